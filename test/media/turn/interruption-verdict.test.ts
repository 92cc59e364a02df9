import { expect, test } from 'vitest';
import { interruptionVerdict, shouldPause } from '../../../media/turn/interruption-verdict.ts';
import { sameWords } from '../../../shared/words.ts';

test('a quarter of a second of unbroken speech pauses the agent before any word is known', () => {
  expect(shouldPause(229, '')).toBe(false);
  expect(shouldPause(230, '')).toBe(true);
});

test('a first word pauses the agent at once unless it is a backchannel', () => {
  expect(shouldPause(10, 'but')).toBe(true);
  expect(shouldPause(400, 'Mm-hm.')).toBe(false);
  expect(shouldPause(400, 'achha haan')).toBe(false);
});

test.each([
  ['wait', 2, false, 'interrupt'],
  ['ek minute', 5, false, 'interrupt'],
  ['रुको', 2, false, 'interrupt'],
  ['tomorrow', 2, false, 'wait'],
  ['tomorrow', 2, true, 'resume'],
  ['tomorrow morning', 2, false, 'interrupt'],
  ['okay right', 1, true, 'resume'],
  ['okay but tomorrow', 2, false, 'interrupt'],
  ['', 1, true, 'resume'],
])('%j with at least %i words, complete %s: %s', (text, minWords, complete, expected) => {
  expect(interruptionVerdict(text, minWords, complete)).toBe(expected);
});

test('words that differ in case and punctuation only are the same', () => {
  expect(sameWords('Yes, please!', 'yes please')).toBe(true);
  expect(sameWords('yes please', 'no please')).toBe(false);
});
