import { describe, expect, it } from 'vitest';
import type { TextSegment } from '../../../media/playout/spoken-text.ts';
import { createSpeechSegmenter } from '../../../media/reply/speech-segmenter.ts';
import { seededRandom } from '../../support/seeded-random.ts';

function cut(text: string, chunks: string[] = [text]): TextSegment[] {
  const segmenter = createSpeechSegmenter();
  return [...chunks.flatMap((chunk) => segmenter.push(chunk)), ...segmenter.flush()];
}

const spoken = (text: string) => cut(text).map((segment) => segment.spoken);

describe('the first segment', () => {
  it('ends at a clause, as soon as the space after it arrives', () => {
    const segmenter = createSpeechSegmenter();
    expect(segmenter.push('Of course you can,')).toEqual([]);
    expect(segmenter.push(' ')).toEqual([{ spoken: 'Of course you can,', original: 'Of course you can, ' }]);
  });

  it('has a minimum length', () => {
    expect(spoken('Sure, I can do that, no problem.')[0]).toBe('Sure, I can do that,');
  });

  it('ends at a word when no punctuation comes', () => {
    const segmenter = createSpeechSegmenter();
    const segments = segmenter.push('I would like to tell you that the table which you ha');
    expect(segments.map((segment) => segment.spoken)).toEqual(['I would like to tell you that the table which you']);
  });
});

describe('later segments', () => {
  it('are sentences, short ones together', () => {
    expect(spoken('Your table is ready now. Yes. Of course. We have parking, and a garden. Anything else?')).toEqual([
      'Your table is ready now.',
      'Yes. Of course. We have parking, and a garden.',
      'Anything else?',
    ]);
  });

  it('are cut at a clause when they grow too long', () => {
    const long = 'and then we walk on through the old town, ';
    const segments = spoken(`Please listen now. ${long.repeat(8)}until the end.`);
    expect(segments.length).toBeGreaterThan(2);
    for (const segment of segments) expect(segment.length).toBeLessThanOrEqual(220);
    for (const segment of segments.slice(1, -1)) expect(segment.endsWith(',')).toBe(true);
  });

  it('are cut at a word when there is no clause either', () => {
    const segments = spoken(`Please listen now. ${'word '.repeat(200)}`);
    for (const segment of segments) expect(segment.length).toBeLessThanOrEqual(220);
    expect(segments.join(' ')).toBe(`Please listen now. ${'word '.repeat(200)}`.trim());
  });
});

describe('never cut', () => {
  // Each is followed by the end of a sentence, so that a cut inside would show.
  const whole = [
    'The price is 3.5 percent of 10,000 in total',
    'That will be ₹1,200.50 for all of you',
    'You are seeing Dr. Rao and Mrs. Iyer today',
    'We have mangoes, e.g. Alphonso or Kesar, today',
    'Please go to counter No. 5 on the left',
    'We close at 7:30 p.m. tomorrow as always',
    'The book is by J. K. Rowling I think',
    'The song is by A.R. Rahman as you know',
    'Please call +91 98765 43210 for that',
    'Have a look at https://a.example/b?c=d.e,f and say',
    'Please wait... while I am looking',
  ];
  it.each(whole)('%s', (text) => {
    const segments = cut(`This is one sentence here. ${text}. And this is another.`);
    expect(segments.map((segment) => segment.spoken)).toContain(`${text}.`);
  });

  it('a number at a forced cut', () => {
    const segments = spoken('The number that you can always reach us under is 98765 43210 day and night');
    expect(segments.join(' | ')).not.toMatch(/\d \| \d/);
    expect(segments[0]).toBe('The number that you can always reach us under');
  });
});

describe('the end of a sentence', () => {
  it('may be a danda', () => {
    expect(spoken('मैं आपकी मदद कर सकता हूँ।कल शाम सात बजे ठीक है।')).toEqual([
      'मैं आपकी मदद कर सकता हूँ।',
      'कल शाम सात बजे ठीक है।',
    ]);
  });

  it('may be p.m., which also stands inside sentences', () => {
    expect(spoken('We open at 7:30 p.m. Would that be fine for you?')).toEqual([
      'We open at 7:30 p.m.',
      'Would that be fine for you?',
    ]);
  });

  it('includes closing quotes', () => {
    expect(spoken('He said "please stop." Then he left us.')[0]).toBe('He said "please stop."');
  });

  it('needs no space at the end of the text', () => {
    expect(spoken('Goodbye.')).toEqual(['Goodbye.']);
  });
});

describe('what cannot be spoken', () => {
  it.each([
    ['**Very** *good* __indeed__ _yes_ ~~no~~', 'Very good indeed yes no'],
    ['Use `code` now', 'Use code now'],
    ['## Our menu', 'Our menu'],
    ['- Apples\n- Pears\n* Kiwis', 'Apples, Pears, Kiwis'],
    ['Look at [our page](https://a.example/b_c?d=*e) now', 'Look at our page now'],
    ['Great 😀👍🏽 see you 👨‍👩‍👧 soon 🇮🇳!', 'Great see you soon !'],
    ['a\u0000b\u0007c\u200bd', 'abcd'],
    ['One line\nAnother line', 'One line. Another line'],
    ['one line that was\nwrapped', 'one line that was wrapped'],
    ['```js\nlet a\n```', ''],
    ['It is [really] so (yes) -5 ~5 snake_case 5-6', 'It is [really] so (yes) -5 ~5 snake_case 5-6'],
    ['क्‍या 1️⃣', 'क्‍या 1'],
    ['\ud83d', ''],
    ['| Dish | Price |\n|------|:---:|\n| Dosa | 80 |', 'Dish , Price , Dosa , 80 ,'],
    ['One<br>two <b>three</b>, a <break time="1s"/> b <c', 'One two three , a b <c'],
    ['5*4 and 5 * 4', '5*4 and 5 4'],
  ])('%j is spoken as %j', (text, expected) => {
    expect(spoken(text).join(' ')).toBe(expected);
  });
});

describe('the chunks of the stream', () => {
  const samples = [
    'Sure! I am **Dr. Rao** 😀, and it is ₹1,200.50 — see [our site](https://x.example/z?a=b.c). Okay?\n\n## Next\n- One\n- Two',
    'Well... 7:30 p.m. is fine, e.g. with Mr. J. K. Singh. [broken](link and [more] _text_ __bold__ ~~x~~ `y` 👨‍👩‍👧',
    'नमस्ते। आप कैसे हैं? क्‍या कल शाम 7:30 बजे ठीक है।\n1. पहला\n2. दूसरा\r\n> quote\n---\n```sh\nls\n```\nEnd',
    `${'many words without any end to them '.repeat(20)}, ${'and, more, '.repeat(40)}.`,
    '| A | *B* |\n|---|:--:|\n| 5*4 | <b>x</b> |\n--- | ---\n| end: 7 |\nand: so',
  ];

  it('make no difference, and no text is lost', () => {
    const next = seededRandom(7);
    const random = (below: number) => Math.floor(next() * below);
    for (const text of samples) {
      const whole = cut(text);
      expect(whole.map((segment) => segment.original).join('')).toBe(text);
      expect(cut(text, text.split(''))).toEqual(whole);
      for (let round = 0; round < 60; round++) {
        const chunks: string[] = [];
        for (let at = 0; at < text.length; ) {
          const size = random(1 + random(24)) + (random(5) === 0 ? 0 : 1);
          chunks.push(text.slice(at, at + size));
          at += size;
        }
        expect(cut(text, chunks)).toEqual(whole);
      }
    }
  });

  it('leave no segment but the last without words', () => {
    for (const text of samples) for (const segment of cut(text).slice(0, -1)) expect(segment.spoken).not.toBe('');
    expect(cut('👍')).toEqual([{ spoken: '', original: '👍' }]);
  });
});
