import { expect, test } from 'vitest';
import { createSpokenText } from '../../../media/playout/heard.ts';

function spoken(...pieces: [original: string, spoken?: string][]) {
  const text = createSpokenText();
  for (const [original, said = original] of pieces) text.add({ original, spoken: said });
  return text;
}

test('without timings the words before a moment follow the share of the audio', () => {
  const text = spoken(['one two three four']);
  expect(text.before(900, 1800, true)).toBe('one two');
  expect(text.before(1800, 1800, true)).toBe('one two three four');
});

test('a word that was begun but not finished was not heard', () => {
  expect(spoken(['tomorrow morning']).before(800, 1600, true)).toBe('tomorrow');
  expect(spoken(['tomorrow']).before(400, 800, true)).toBe('');
});

test('timings decide where they exist', () => {
  const text = spoken(['ab cd ef']);
  text.timing('ab cd ef', [0, 10, 20, 1000, 1010, 1020, 2000, 2010]);
  expect(text.before(500, 3000, false)).toBe('ab');
  expect(text.before(1500, 3000, false)).toBe('ab cd');
});

test('before anything is known a typical rate of speech is assumed', () => {
  expect(spoken(['hello there my friend']).before(65 * 12, 400, false)).toBe('hello there');
});

test('the transcript keeps the original, the ear follows the spoken form', () => {
  const text = spoken(['**Yes**, ', 'Yes, '], ['at 7 pm.', 'at seven p m.']);
  expect(text.whole()).toBe('**Yes**, at 7 pm.');
  expect(text.before(5 * 65, 0, false)).toBe('**Yes**,');
});

test('nothing heard is nothing said', () => {
  expect(spoken(['hello']).before(0, 800, true)).toBe('');
});
