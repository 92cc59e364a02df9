import { turnWords } from './languages/turn-words.ts';

/** Words for digits as people dictate numbers, in English, Hindi and Hinglish, lower case. */

const { digits, twoDigits, repeats } = turnWords('hi').dictation;

/** One digit each. */
export const UNITS: ReadonlyMap<string, number> = digits;
/** Two digits each, as phone numbers are read in English. */
export const TENS: ReadonlyMap<string, number> = new Map([...twoDigits].filter(([name]) => /^[a-z]+$/.test(name)));
/** How often the digit after them stands. */
export const REPEATS: ReadonlyMap<string, number> = repeats;

const DECIMAL_DIGIT = /\p{Nd}/gu;
/** Unicode has the decimal digits of a script together, in their order, from zero on. */
const ZEROS = [0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66];

/** Decimal digits of other scripts (Devanagari, Bengali, Tamil, Telugu, Arabic …) as those of ASCII. */
export function latinDigits(text: string): string {
  return text.replace(DECIMAL_DIGIT, (digit) => {
    const code = digit.codePointAt(0)!;
    const zero = ZEROS.find((each) => code >= each && code <= each + 9);
    return zero === undefined ? digit : String(code - zero);
  });
}
