import { expect, test } from 'vitest';
import {
  awaitWords,
  checkUntranscribed,
  mayReprompt,
  nothingUntranscribed,
  onUnderstood,
  stopAwaitingWords,
} from '../../../media/turn/untranscribed-speech.ts';

const CLEAR = { startMs: 10_000, endMs: 11_000, unbrokenMs: 600 };

test('four seconds after clear speech without words its duration is returned, once', () => {
  const state = nothingUntranscribed();
  awaitWords(state, CLEAR);
  expect(checkUntranscribed(state, 14_999)).toBeNull();
  expect(checkUntranscribed(state, 15_000)).toBe(1_000);
  expect(checkUntranscribed(state, 20_000)).toBeNull();
});

test('a cough is not asked for, nor does it take back the clear speech before it', () => {
  const state = nothingUntranscribed();
  awaitWords(state, { ...CLEAR, unbrokenMs: 599 });
  expect(checkUntranscribed(state, 15_000)).toBeNull();
  awaitWords(state, CLEAR);
  awaitWords(state, { startMs: 11_200, endMs: 11_400, unbrokenMs: 100 });
  expect(checkUntranscribed(state, 15_000)).toBe(1_000);
});

test('more than fifteen seconds without a word are a television', () => {
  const state = nothingUntranscribed();
  awaitWords(state, { startMs: 0, endMs: 15_000, unbrokenMs: 5_000 });
  expect(checkUntranscribed(state, 19_000)).toBe(15_000);
  awaitWords(state, CLEAR);
  awaitWords(state, { startMs: 12_000, endMs: 27_001, unbrokenMs: 5_000 });
  expect(checkUntranscribed(state, 40_000)).toBeNull();
});

test('nothing is asked for once words came or the agent speaks', () => {
  const state = nothingUntranscribed();
  for (const stop of [stopAwaitingWords, onUnderstood]) {
    awaitWords(state, CLEAR);
    stop(state);
    expect(checkUntranscribed(state, 15_000)).toBeNull();
  }
});

test('the agent asks twice in a row, and again after it has understood something', () => {
  const state = nothingUntranscribed();
  const ask = () => {
    awaitWords(state, CLEAR);
    return checkUntranscribed(state, 15_000);
  };
  expect([ask(), mayReprompt(state), ask(), mayReprompt(state), ask()]).toEqual([1_000, true, 1_000, false, null]);
  onUnderstood(state);
  expect(mayReprompt(state)).toBe(true);
  expect(ask()).toBe(1_000);
});
