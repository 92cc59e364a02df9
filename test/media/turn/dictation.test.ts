import { expect, test } from 'vitest';
import { completeness } from '../../../media/turn/completeness.ts';
import { dictation } from '../../../media/turn/dictation.ts';

const digitsOf = (text: string) => dictation(text.split(' '), text)?.digits ?? null;

test.each([
  ['nine twenty zero', 4],
  ['my number nine twenty five', 3],
  ['nine ten five', 4],
  ['my number is double five', 2],
])('%s: %s digits', (text, digits) => {
  expect(digitsOf(text)).toBe(digits);
});

test.each([
  ['+91 98765 432', 'dictating'],
  ['my phone number 98765', 'dictating'],
  ['my number nine eight', 'dictating'],
  ['98 765', 'dictating'],
  // Eleven digits that are no phone number may become one with a country code; sixteen without a card are none.
  ['98765 432101', 'dictating'],
  ['4111 1111 1111 1111', 'unsure'],
  ['x y', 'dictating'],
  ['email is arun', 'dictating'],
  ['a table in mumbai', 'unsure'],
  ['the same as in mumbai', 'unsure'],
  ['plan b as usual', 'unsure'],
  ['yes yes okay okay sure sure', 'complete'],
  ['Book it now.', 'complete'],
  ['Book it.', 'unsure'],
])('%s: %s', (text, expected) => {
  expect(completeness(text)).toBe(expected);
});
