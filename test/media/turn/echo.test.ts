import { expect, test } from 'vitest';
import { isEcho } from '../../../media/turn/echo.ts';

const SAYING = 'Certainly. So that is a table for two people, tomorrow at seven in the evening.';

test.each([
  ['for two people tomorrow', 'the same words'],
  ['tomorrow at seven in the', 'the last ones'],
  ['for too people tomorrow', 'one word misheard'],
  ['a tabel for two', 'one letter wrong in a word'],
  ['So that is, a table!', 'signs and capitals'],
])('%j is an echo: %s', (text) => {
  expect(isEcho(text, SAYING, false)).toBe(true);
  expect(isEcho(text, SAYING, true)).toBe(true);
});

test.each([
  ['no not at seven', 'some of the words'],
  ['evening the in seven at', 'the words in another order'],
  ['but make it eight', 'other words'],
  ['', 'nothing'],
])('%j is none: %s', (text) => {
  expect(isEcho(text, SAYING, false)).toBe(false);
  expect(isEcho(text, SAYING, true)).toBe(false);
});

test('one word may begin an echo, but a complete one is an answer', () => {
  expect(isEcho('seven', SAYING, false)).toBe(true);
  expect(isEcho('seven', SAYING, true)).toBe(false);
  expect(isEcho('certainly', SAYING, false)).toBe(false);
});

test('a command is never an echo', () => {
  expect(isEcho('wait', 'Please wait', false)).toBe(false);
});

test('words the agent said long ago are no echo', () => {
  const later = `${SAYING} We keep it for fifteen minutes and there is parking behind the house for all of our guests.`;
  expect(isEcho('for two people tomorrow', later, true)).toBe(false);
});

test('nothing is an echo of silence', () => {
  expect(isEcho('for two people', '', true)).toBe(false);
});
