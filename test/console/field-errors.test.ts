import { HttpError } from '@oazapfts/runtime';
import { expect, it } from 'vitest';
import { fieldErrors } from '../../console/data/field-errors.ts';

it.each([
  ['missing', 'Field required', 'This is needed.'],
  ['string_too_short', 'String should have at least 1 character', 'This is needed.'],
  ['too_short', 'List should have at least 1 item', 'This is needed.'],
  ['string_too_short', 'String should have at least 10 characters', 'Enter at least 10 characters.'],
  ['string_too_long', 'String should have at most 80 characters', 'Enter at most 80 characters.'],
  ['greater_than_equal', 'Input should be greater than or equal to 0.5', 'Enter 0.5 or more.'],
  ['less_than_equal', 'Input should be less than or equal to 100', 'Enter 100 or less.'],
  ['string_pattern_mismatch', "String should match pattern '^[A-Z]{2}$'", 'This is not written as it should be.'],
  ['value_error', 'the name is taken', 'The name is taken.'],
])('what the API says of a field is put in the words of a form: %s, %s', (type, msg, text) => {
  const detail = [{ loc: ['body', 'voice', 'speed'], type, msg }];
  expect(fieldErrors(new HttpError(422, { detail }, new Headers()))).toEqual({ 'voice.speed': text });
});
