import { describe, expect, test } from 'vitest';
import { readWords } from '../../../media/tts/cartesia-protocol.ts';
import { createWordTiming } from '../../../media/tts/word-timing.ts';

describe('word timings', () => {
  test('spread the characters over the time of their word, and return the text as it was', () => {
    const timing = createWordTiming();
    timing.add('Hi, you two. ');
    const timed = timing.words([
      { word: 'Hi,', startMs: 100, endMs: 400 },
      { word: 'you', startMs: 400, endMs: 700 },
    ]);
    expect(timed).toEqual({ text: 'Hi, you ', startMs: [100, 200, 300, 400, 400, 500, 600, 700] });
    expect(timing.complete).toBe(false);
    expect(timing.words([{ word: 'two.', startMs: 700, endMs: 1100 }])).toEqual({
      text: 'two. ',
      startMs: [700, 800, 900, 1000, 1100],
    });
    expect(timing.complete).toBe(true);
  });

  test('time what the provider left out with the next word, and never decrease', () => {
    const timing = createWordTiming();
    timing.add('2 + 2 = 4, so. ');
    expect(timing.words([{ word: 'so.', startMs: 900, endMs: 1200 }])).toMatchObject({ text: '2 + 2 = 4, so. ' });
    timing.add('Yes. ');
    const late = timing.words([{ word: 'Yes.', startMs: 500, endMs: 600 }])!;
    expect(late.startMs.every((ms) => ms >= 1200)).toBe(true);
  });

  test('of words that are not in the text are ignored; the rest is timed by the end of the audio', () => {
    const timing = createWordTiming();
    timing.add('It is 5 pm. ');
    expect(timing.words([{ word: 'It', startMs: 0, endMs: 100 }])!.text).toBe('It ');
    expect(timing.words([{ word: 'five', startMs: 200, endMs: 300 }])).toBeNull();
    const rest = timing.rest(1000)!;
    expect(rest.text).toBe('is 5 pm. ');
    expect(rest.startMs[0]).toBe(100);
    expect(rest.startMs.at(-1)).toBeLessThan(1000);
    expect(timing.rest(2000)).toBeNull();
  });

  test('are not invented for a provider that sends none', () => {
    const timing = createWordTiming();
    timing.add('Anything. ');
    expect(timing.rest(500)).toBeNull();
  });

  test('are not searched far away, where the same letters are another word', () => {
    const timing = createWordTiming();
    timing.add(`${'x'.repeat(90)} one `);
    expect(timing.words([{ word: 'one', startMs: 0, endMs: 10 }])).toBeNull();
  });

  test('have one start for each UTF-16 unit', () => {
    const timing = createWordTiming();
    timing.add('नमस्ते 🙂 जी। ');
    const timed = timing.words([
      { word: 'नमस्ते', startMs: 0, endMs: 600 },
      { word: 'जी।', startMs: 700, endMs: 1000 },
    ])!;
    expect(timed.text).toBe('नमस्ते 🙂 जी। ');
    expect(timed.startMs).toHaveLength(timed.text.length);
  });
});

test('readWords ignores malformed word times', () => {
  expect(readWords({ words: [' a '], start: [0.5], end: [0.4] })).toEqual([{ word: 'a', startMs: 500, endMs: 500 }]);
  for (const bad of [null, 7, {}, { words: ['a'], start: [], end: [1] }, { words: ['a'], start: ['0'], end: [1] }]) {
    expect(readWords(bad)).toEqual([]);
  }
  expect(readWords({ words: ['a', 3], start: [0, 0], end: [1, 1] })).toEqual([]);
});
