import { E164_PATTERN } from '../../shared/phone.ts';

export type ParsedNumber = { number: string } | { msg: string };

/** The first of each run of ten digits that people's keyboards write besides ASCII's, from Unicode's category Nd. */
const DIGIT_ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xff10];

/** Where a national number always has that many digits, so that one with the country's code in front can be told apart. */
const NATIONAL_DIGITS: Record<string, number> = { '91': 10, '1': 10 };
/** Italy's numbers keep their zero. */
const KEEPS_ZERO = new Set(['39']);

/**
 * A cell of the phone column as E.164. What has no plus gets the country's code, without the zero that is dialled inside the
 * country; a number of India or North America that already has the code, as spreadsheets leave it when they take the plus
 * away, does not get it twice. `msg` says what is wrong, for a person.
 */
export function parsePhoneNumber(cell: string, countryCode: string): ParsedNumber {
  const written = asciiDigits(cell)
    .trim()
    // A spreadsheet's mark for text, a link, and the decimals of a number that is none.
    .replace(/^['`’]\s*/, '')
    .replace(/^tel:/i, '')
    .replace(/[.,]0+$/, '');
  if (written === '') return { msg: 'the number is missing' };
  if (/^\+?\d+(?:[.,]\d+)?e\+?\d+$/i.test(written)) {
    return { msg: 'the spreadsheet shortened this number: format the column as text' };
  }
  const bare = written.replace(/[\s().\-/\u00a0\u2010-\u2015\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '');
  if (!/^\+?\d+$/.test(bare)) return { msg: 'this is not a phone number' };
  const international = bare.startsWith('00') ? `+${bare.slice(2)}` : bare;
  if (international.startsWith('+')) return validated(international);

  const national = NATIONAL_DIGITS[countryCode];
  const inCountry = KEEPS_ZERO.has(countryCode) ? bare : bare.replace(/^0/, '');
  if (national === undefined) return validated(`+${countryCode}${inCountry}`);
  if (inCountry.length === national) return validated(`+${countryCode}${inCountry}`);
  if (bare.startsWith(countryCode) && bare.length === national + countryCode.length) return validated(`+${bare}`);
  return { msg: `a number of country ${countryCode} has ${national} digits` };
}

function validated(number: string): ParsedNumber {
  return E164_PATTERN.test(number) ? { number } : { msg: 'a phone number has 7 to 15 digits with its country code' };
}

function asciiDigits(text: string): string {
  return text.replace(/[\u0660-\uff19]/g, (sign) => {
    const code = sign.charCodeAt(0);
    const zero = DIGIT_ZEROS.find((first) => code >= first && code < first + 10);
    return zero === undefined ? sign : String(code - zero);
  });
}
