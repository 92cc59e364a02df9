import { latinDigits, REPEATS, TENS, UNITS } from '../../shared/digit-words.ts';

/**
 * Detects dictation: a number digit by digit, a name letter by letter, an email address. In English, Hindi and Hinglish. Pure;
 * words as `plainWords` returns them. People pause longest between the groups of what they dictate, where nothing else shows
 * that more follows.
 */

export interface Dictation {
  /** `under_way`: more follows. `complete`: it has the length or the ending of a complete one. */
  state: 'under_way' | 'complete';
  /** Digits at the end of it; 0 for letters and addresses. */
  digits: number;
}

/** Words after which digits follow. */
const NUMBER_WORDS = new Set(
  'number numbers phone mobile telephone contact whatsapp otp pin code pincode account card aadhaar aadhar passport nambar nmbr नंबर नम्बर फोन मोबाइल कोड ओटीपी पिन खाता कार्ड आधार'.split(
    ' ',
  ),
);
const CODE_WORDS = new Set('otp pin code pincode कोड ओटीपी पिन'.split(' '));
const CARD_WORDS = new Set('card कार्ड'.split(' '));
/** Digits of a phone number in India and North America; with a leading 0 or 1, or 91, one or two more. */
const PHONE_DIGITS = 10;
const CARD_DIGITS = 16;
const CODE_DIGITS = 6;
/** This many spoken digits in a row are dictated; fewer are a time, a price or a count. */
const DICTATED_DIGITS = 3;
/** A single written numeral of this length is dictated; a shorter one may be a year or a price. */
const LONG_NUMERAL = 7;

/** Spelled abbreviations that are words. */
const ABBREVIATIONS = new Set(['a m', 'p m', 'i d', 't v', 'o k', 'u s', 'u k', 'u s a', 'a c', 'd j', 'i t', 'h r']);
const HINDI_LETTERS = new Set(
  'ए बी सी डी ई एफ जी एच आई जे के एल एम एन ओ पी क्यू आर एस टी यू वी डब्ल्यू डब्लू एक्स वाई वाय ज़ेड जेड'.split(' '),
);
/** Hindi names of letters are common words too (के, जी, ए), so this many in a row are needed. */
const MIN_HINDI_LETTERS = 3;

const MAIL_WORDS = new Set('email e-mail mail gmail ईमेल मेल जीमेल'.split(' '));
const MAIL_HOSTS = new Set('gmail yahoo hotmail outlook rediffmail icloud जीमेल याहू'.split(' '));
const IS = new Set('is hai है'.split(' '));
const DOT = new Set('dot डॉट डाट'.split(' '));
const TOP_DOMAINS = new Set('com in org net edu gov io ai info biz uk कॉम इन ओआरजी'.split(' '));
const WHOLE_ADDRESS = /\S+@[\w-]+(\.[\w-]+)*\.(com|in|org|net|edu|gov|io|ai|info|biz|uk)[.!?,।]*$/iu;
/** An address is said within this many words. */
const ADDRESS_WORDS = 12;

/** What is being dictated at the end of `words`; null when nothing is. `text`: the same as transcribed. */
export function dictation(words: readonly string[], text: string): Dictation | null {
  return (
    address(words, text) ?? spelling(words) ?? numberDictated(words, /\+ ?\d/.test(text) || words.includes('plus'))
  );
}

interface DigitRun {
  digits: string;
  /** Spoken or written units: "double five" is one, "twenty five" is one, "98765" is one. */
  groups: number;
  /** Index of its first word. */
  from: number;
}

/** `international`: it began with a plus, so it includes a country code. */
function numberDictated(words: readonly string[], international: boolean): Dictation | null {
  const run = digitsAtEnd(words);
  const count = run.digits.length;
  if (count === 0) {
    // "… nine eight double": the digit itself follows.
    const before = REPEATS.has(words.at(-1) ?? '') ? digitsAtEnd(words.slice(0, -1)) : null;
    return before && before.digits !== '' ? { state: 'under_way', digits: before.digits.length } : null;
  }
  const before = words.slice(0, run.from);
  const announced = before.some((word) => NUMBER_WORDS.has(word));
  const dictated =
    (announced && (run.groups >= 2 || count >= PHONE_DIGITS / 2 || IS.has(before.at(-1)!))) ||
    (run.groups >= DICTATED_DIGITS && count >= DICTATED_DIGITS) ||
    (run.groups >= 2 && count >= PHONE_DIGITS / 2) ||
    count >= LONG_NUMERAL;
  if (!dictated) return null;
  const card = before.some((word) => CARD_WORDS.has(word));
  if (card && count < CARD_DIGITS) return { state: 'under_way', digits: count };
  if (before.some((word) => CODE_WORDS.has(word)) && count === CODE_DIGITS) return { state: 'complete', digits: count };
  if (isPhoneNumber(run.digits, international) || (card && count === CARD_DIGITS))
    return { state: 'complete', digits: count };
  // Longer than any phone number: nothing shows that more follows.
  return count <= PHONE_DIGITS + 1 ? { state: 'under_way', digits: count } : null;
}

function isPhoneNumber(digits: string, international: boolean): boolean {
  if (digits.length === PHONE_DIGITS) return !international && !digits.startsWith('0');
  if (digits.length === PHONE_DIGITS + 1) return digits.startsWith('1') || digits.startsWith('0');
  return digits.length === PHONE_DIGITS + 2;
}

/** The run of digits at the end of the words. */
function digitsAtEnd(words: readonly string[]): DigitRun {
  let digits = '';
  let groups = 0;
  let at = words.length;
  while (at > 0) {
    const word = words[at - 1]!;
    const unit = UNITS.get(word);
    const repeat = REPEATS.get(words[at - 2] ?? '');
    const tens = TENS.get(words[at - 2] ?? '');
    if (unit !== undefined && repeat !== undefined) {
      digits = String(unit).repeat(repeat) + digits;
      at -= 2;
    } else if (unit !== undefined && unit > 0 && tens !== undefined && tens >= 20) {
      digits = String(tens + unit) + digits;
      at -= 2;
    } else if (unit !== undefined) {
      digits = String(unit) + digits;
      at--;
    } else if (TENS.has(word)) {
      digits = String(TENS.get(word)) + digits;
      at--;
    } else if (/^[0-9०-९-]+$/u.test(word)) {
      digits = word.replaceAll('-', '') + digits;
      at--;
    } else break;
    groups++;
  }
  // "Oh" is a zero only among digits.
  if (groups === 1 && words[at] === 'oh') return { digits: '', groups: 0, from: words.length };
  return { digits: latinDigits(digits), groups: groups, from: at };
}

function spelling(words: readonly string[]): Dictation | null {
  const under: Dictation = { state: 'under_way', digits: 0 };
  // "S as in Sam", "b for Bombay", also before their last word.
  const back = (count: number) => words.at(-count) ?? '';
  if (isLetter(back(4)) && back(3) === 'as' && back(2) === 'in') return under;
  if (isLetter(back(3)) && back(3) !== 'i' && (back(2) === 'for' || (back(2) === 'as' && back(1) === 'in')))
    return under;
  const letters: string[] = [];
  for (let at = words.length - 1; at >= 0; at--) {
    const spelled = words[at]!.split('-').reverse();
    if (!spelled.every((part) => isLetter(part) || REPEATS.has(part))) break;
    letters.push(...spelled);
  }
  letters.reverse();
  // A leading "I" is the pronoun: "can I p m you".
  if (letters.length >= 2 && !ABBREVIATIONS.has(letters.join(' ')) && letters.some((one) => !/^[ai]$/.test(one))) {
    const tail = letters.slice(-2).join(' ');
    return letters.length <= 3 && ABBREVIATIONS.has(tail) ? null : under;
  }
  const hindi = words.slice(-MIN_HINDI_LETTERS);
  if (hindi.length === MIN_HINDI_LETTERS && hindi.every((word) => HINDI_LETTERS.has(word))) return under;
  return null;
}

function isLetter(word: string): boolean {
  return /^[a-z]$/.test(word);
}

function address(words: readonly string[], text: string): Dictation | null {
  const trimmed = text.trim();
  if (WHOLE_ADDRESS.test(trimmed)) return { state: 'complete', digits: 0 };
  const under: Dictation = { state: 'under_way', digits: 0 };
  const recent = words.slice(-ADDRESS_WORDS);
  const last = recent.at(-1) ?? '';
  const mailAt = recent.findLastIndex((word) => MAIL_WORDS.has(word) || MAIL_HOSTS.has(word));
  const said = mailAt >= 0 && recent.slice(mailAt, mailAt + 4).some((word) => IS.has(word));
  const hosted = recent.some((word) => MAIL_HOSTS.has(word)) && /\b(at|एट|@)|\brate\b/iu.test(trimmed);
  const written = /@/.test(trimmed);
  if (!said && !hosted && !written) return null;
  if (DOT.has(recent.at(-2) ?? '') && TOP_DOMAINS.has(last)) return { state: 'complete', digits: 0 };
  if (said && IS.has(last)) return under;
  // A question about email is no address.
  return /[?]$/.test(trimmed) ? null : under;
}
