import { ParseError, parsePhoneNumberWithError } from 'libphonenumber-js/min';
import { E164_PATTERN } from '../../shared/phone.ts';

export type ParsedNumber = { number: string } | { msg: string };

/** The zero of each script's digits that keyboards write besides ASCII's, from Unicode's category Nd. */
const DIGIT_ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xff10];

/**
 * Parses a cell of the phone column as E.164, by the numbering plan of its country. A number without a plus is a national one, with
 * or without the trunk prefix, or has the country code, as spreadsheets leave it when they remove the plus.
 */
export function parsePhoneNumber(cell: string, countryCode: string): ParsedNumber {
  const text = asciiDigits(cell)
    .trim()
    // A spreadsheet's marker for text, a link, and the decimals of a number.
    .replace(/^['`’]\s*/, '')
    .replace(/^tel:/i, '')
    .replace(/[.,]0+$/, '')
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .replace(/^\s*00/, '+');
  if (text === '') return { msg: 'the number is missing' };
  if (/^\+?\d+(?:[.,]\d+)?e\+?\d+$/i.test(text)) {
    return { msg: 'the spreadsheet shortened this number: format the column as text' };
  }
  if (!/^\+?[\d\s().\-/\u2010-\u2015]*\d$/.test(text)) return { msg: 'this is not a phone number' };
  try {
    const country = text.startsWith('+') ? {} : { defaultCallingCode: countryCode };
    const parsed = parsePhoneNumberWithError(text, { ...country, extract: false });
    if (parsed.isPossible() && E164_PATTERN.test(parsed.number)) return { number: parsed.number };
  } catch (error) {
    // An unknown default code is another error than one in the number.
    if (!(error instanceof ParseError) || error.message === 'INVALID_COUNTRY') {
      return { msg: 'no country has this calling code' };
    }
  }
  return { msg: 'the number of digits is wrong for its country' };
}

function asciiDigits(text: string): string {
  return text.replace(/[\u0660-\uff19]/g, (sign) => {
    const code = sign.charCodeAt(0);
    const zero = DIGIT_ZEROS.find((first) => code >= first && code < first + 10);
    return zero === undefined ? sign : String(code - zero);
  });
}
