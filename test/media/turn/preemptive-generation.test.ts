import { expect, test } from 'vitest';
import { mayGeneratePreemptively } from '../../../media/turn/preemptive-generation.ts';

const may = (attempts: number, text: string, speechStartMs: number | null, nowMs = 20_000) =>
  mayGeneratePreemptively({ attempts }, text, speechStartMs, nowMs);

test('three attempts a turn, and none without words', () => {
  expect([0, 1, 2, 3].map((attempts) => may(attempts, 'a table', 19_000))).toEqual([true, true, true, false]);
  expect(may(0, ' ', 19_000)).toBe(false);
});

test('none after ten seconds of speech; words without voice activity have no length', () => {
  expect(may(0, 'a table', 10_000)).toBe(true);
  expect(may(0, 'a table', 9_999)).toBe(false);
  expect(may(0, 'a table', null)).toBe(true);
});
