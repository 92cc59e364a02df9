import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

export const NUMBER_TYPES = ['local', 'mobile', 'toll_free', 'series_140', 'series_160'] as const;
export type NumberType = (typeof NUMBER_TYPES)[number];

/** Two letters; empty for numbers of no country, such as international freephone. */
export const countryOf = (number: string): string => parsePhoneNumberFromString(number)?.country ?? '';

/**
 * What the digits themselves show. In many numbering plans they do not tell a mobile from a fixed line: then `local`, unless the
 * carrier says more.
 */
export function typeOf(number: string): NumberType {
  if (/^\+91140\d{7}$/.test(number)) return 'series_140';
  if (/^\+91160\d{7}$/.test(number)) return 'series_160';
  return /^\+(1(800|833|844|855|866|877|888)|911800)/.test(number) ? 'toll_free' : 'local';
}
