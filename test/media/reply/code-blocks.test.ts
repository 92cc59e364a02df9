import { describe, expect, it } from 'vitest';
import type { TextSegment } from '../../../media/playout/spoken-text.ts';
import { createSpokenText } from '../../../media/playout/spoken-text.ts';
import { createSpeechSegmenter } from '../../../media/reply/speech-segmenter.ts';

function cut(chunks: string[]): TextSegment[] {
  const segmenter = createSpeechSegmenter({ language: 'en' });
  return [...chunks.flatMap((chunk) => segmenter.push(chunk)), ...segmenter.flush()];
}

function spoken(text: string): string {
  return cut([text])
    .flatMap((segment) => segment.spoken || [])
    .join(' ');
}

/** Returns the transcript once all of it was played out. */
function transcriptOf(text: string): string {
  const spokenText = createSpokenText();
  for (const segment of cut([text])) spokenText.add(segment);
  expect(spokenText.playedOut(1000, 1000, true)).toBe(spokenText.fullText().trim());
  return spokenText.fullText();
}

const BLOCKS = [
  ['Like this:\n```js\nlet a = 1;\n```\nThat is all.', 'Like this: That is all.'],
  ['Like this:\n\n```\nlet a = 1;\n\n# x\n- y\n```\n\nThat is all.', 'Like this: That is all.'],
  ['Write this\n```js\nlet a = `b`;\n``` \nand run it.', 'Write this. and run it.'],
  ['Like this: ```let a = 1``` and so on.', 'Like this: and so on.'],
  ['Like this:```let a```and so on.', 'Like this: and so on.'],
  ['One:\n```\na\n```\nTwo:\n```\nb\n```\nThree.', 'One: Two: Three.'],
  ['Like this:\n````md\n```js\nlet a\n```\n````\nDone.', 'Like this: Done.'],
  ['Like this:\n~~~\nlet a\n```\n~~~\nDone.', 'Like this: Done.'],
  ['Steps:\n- Run this:\n  ```sh\n  ls -l\n  ```\n- Done', 'Steps: Run this: Done'],
  ['> ```\n> let a\n> ```\n> Done.', 'Done.'],
  ['Like this:\r\n```js\r\nlet a\r\n```\r\nDone.', 'Like this: Done.'],
  ['Like this:\n```js\nlet a\n```python\nprint(1)\n```\nDone.', 'Like this: Done.'],
  ['Like this:\n```js\nlet a = 1; // never closed. And more.\nlet b', 'Like this:'],
  ['Like this:\n```', 'Like this:'],
  ['```js\nlet a\n```', ''],
  ['```', ''],
  ['Type `npm start` or ``a`b`` now.', 'Type npm start or ab now.'],
  ['It is 😀 fine:\n```\n😀\n```\n😀 Done.', 'It is fine: Done.'],
] as const;

describe('a code block', () => {
  it.each(BLOCKS)('%j is spoken as %j', (text, expected) => {
    expect(spoken(text)).toBe(expected);
  });

  it.each(BLOCKS)('%j is the same on every chunk boundary', (text) => {
    const whole = cut([text]);
    expect(whole.map((segment) => segment.original).join('')).toBe(text);
    expect(cut(text.split(''))).toEqual(whole);
    for (let at = 1; at < text.length; at++) {
      expect(cut([text.slice(0, at), text.slice(at)])).toEqual(whole);
      expect(cut([text.slice(0, at), text[at]!, text.slice(at + 1)])).toEqual(whole);
    }
  });

  it('does not delay the text before it', () => {
    const segmenter = createSpeechSegmenter();
    expect(segmenter.push('Put this into your page\n```').map((segment) => segment.spoken)).toEqual([]);
    expect(segmenter.push('j').map((segment) => segment.spoken)).toEqual(['Put this into your page.']);
  });

  it('is not played out, so it is not in the transcript', () => {
    expect(transcriptOf('Like **this**:\n```js\nlet a = 1;\n```\nThat is all.')).toBe(
      'Like **this**:\n \nThat is all.',
    );
    expect(transcriptOf('Type `npm start` now.')).toBe('Type `npm start` now.');
    expect(transcriptOf('```js\nlet a\n```').trim()).toBe('');
  });

  it('of any length takes linear time', () => {
    const text = `Like this:\n\`\`\`\n${'let a = "`` b";\n'.repeat(20_000)}\`\`\`\nDone.`;
    expect(spoken(text)).toBe('Like this: Done.');
  });
});
