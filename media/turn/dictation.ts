import { latinDigits } from '../../shared/digit-words.ts';
import { type DictationWords, turnWords } from '../../shared/languages/turn-words.ts';

/**
 * Detects dictation: a number digit by digit, a name letter by letter, an email address. Pure;
 * words as `plainWords` returns them. People pause longest between the groups of what they dictate, where nothing else shows
 * that more follows.
 */

export interface Dictation {
  /** `under_way`: more follows. `complete`: it has the length or the ending of a complete one. */
  state: 'under_way' | 'complete';
  /** Digits at the end of it; 0 for letters and addresses. */
  digits: number;
}

/** Half of a phone number and more, in few groups, is dictated. */
const HALF_PHONE_DIGITS = 5;
const CARD_DIGITS = 16;
const CODE_DIGITS = 6;
/** This many spoken digits in a row are dictated; fewer are a time, a price or a count. */
const DICTATED_DIGITS = 3;
/** A single written numeral of this length is dictated; a shorter one may be a year or a price. */
const LONG_NUMERAL = 7;
/** Names of letters are common words in Hindi (के, जी, ए), so this many in a row are needed. */
const MIN_LETTER_NAMES = 3;
/** An address is said within this many words. */
const ADDRESS_WORDS = 12;

/**
 * What is being dictated at the end of `words`; null when nothing is. `text`: the same as transcribed; `known`: the words of the
 * call's language.
 */
export function dictation(
  words: readonly string[],
  text: string,
  known: DictationWords = turnWords().dictation,
): Dictation | null {
  const international = () => /\+ ?\p{Nd}/u.test(text) || known.lists.plus.within(words);
  return address(words, text, known) ?? spelling(words, known) ?? numberDictated(words, international(), known);
}

interface DigitRun {
  digits: string;
  /** Spoken or written units: "double five" is one, "twenty five" is one, "98765" is one. */
  groups: number;
  /** Index of its first word. */
  from: number;
}

/** `international`: it began with a plus, so it includes a country code. */
function numberDictated(words: readonly string[], international: boolean, known: DictationWords): Dictation | null {
  const { lists, phone, repeats } = known;
  const run = digitsAtEnd(words, known);
  const count = run.digits.length;
  if (count === 0) {
    // "… nine eight double": the digit itself follows.
    const before = repeats.has(words.at(-1) ?? '') ? digitsAtEnd(words.slice(0, -1), known) : null;
    return before && before.digits !== '' ? { state: 'under_way', digits: before.digits.length } : null;
  }
  const before = words.slice(0, run.from);
  const announced = lists.number_words.within(before);
  const dictated =
    (announced && (run.groups >= 2 || count >= HALF_PHONE_DIGITS || lists.is.atEnd(before))) ||
    (run.groups >= DICTATED_DIGITS && count >= DICTATED_DIGITS) ||
    (run.groups >= 2 && count >= HALF_PHONE_DIGITS) ||
    count >= LONG_NUMERAL;
  if (!dictated) return null;
  const card = lists.card_words.within(before);
  if (card && count < CARD_DIGITS) return { state: 'under_way', digits: count };
  if (lists.code_words.within(before) && count === CODE_DIGITS) return { state: 'complete', digits: count };
  const whole = (international ? phone.international : phone.national).test(run.digits);
  if (whole || (card && count === CARD_DIGITS)) return { state: 'complete', digits: count };
  // Longer than any phone number: nothing shows that more follows.
  return count <= phone.maxDigits ? { state: 'under_way', digits: count } : null;
}

/** The run of digits at the end of the words. */
function digitsAtEnd(words: readonly string[], known: DictationWords): DigitRun {
  let digits = '';
  let groups = 0;
  let at = words.length;
  for (;;) {
    const group = groupBefore(words, at, known);
    if (group === null) break;
    digits = group.digits + digits;
    at -= group.words;
    groups++;
  }
  // "Oh" is a zero only among digits.
  if (groups === 1 && known.lists.zero_among_digits.has(words[at]!)) {
    return { digits: '', groups: 0, from: words.length };
  }
  return { digits: latinDigits(digits), groups, from: at };
}

/** The digits that the words before `at` name, and how many words they are; null for none. */
function groupBefore(
  words: readonly string[],
  at: number,
  { digits, twoDigits, repeats, longestNumber }: DictationWords,
): { digits: string; words: number } | null {
  const word = words[at - 1];
  if (word === undefined) return null;
  const digit = digits.get(word);
  const before = words[at - 2] ?? '';
  const repeat = repeats.get(before);
  if (digit !== undefined && repeat !== undefined) return { digits: String(digit).repeat(repeat), words: 2 };
  for (let count = Math.min(longestNumber, at); count > 0; count--) {
    const value = twoDigits.get(count === 1 ? word : words.slice(at - count, at).join(' '));
    if (value !== undefined) return { digits: String(value), words: count };
  }
  if (digit !== undefined) {
    // "Twenty paanch": the names of two languages.
    const tens = twoDigits.get(before) ?? 0;
    if (digit > 0 && tens >= 20 && tens % 10 === 0) return { digits: String(tens + digit), words: 2 };
    return { digits: String(digit), words: 1 };
  }
  return /^[\p{Nd}-]+$/u.test(word) ? { digits: word.replaceAll('-', ''), words: 1 } : null;
}

function spelling(words: readonly string[], { lists, repeats }: DictationWords): Dictation | null {
  const under: Dictation = { state: 'under_way', digits: 0 };
  // "S as in Sam", "b for Bombay", also before their last word.
  const back = (count: number) => words.at(-count) ?? '';
  const isExample = (...parts: string[]) => lists.letter_examples.has(parts.join(' '));
  if (isLetter(back(4)) && isExample(back(3), back(2))) return under;
  const mayBeWord = back(3) !== 'a' && lists.letter_words.has(back(3));
  if (isLetter(back(3)) && !mayBeWord && (isExample(back(2)) || isExample(back(2), back(1)))) return under;
  const letters: string[] = [];
  for (let at = words.length - 1; at >= 0; at--) {
    const spelled = words[at]!.split('-').reverse();
    if (!spelled.every((part) => isLetter(part) || repeats.has(part))) break;
    letters.push(...spelled);
  }
  letters.reverse();
  // A leading "I" is the pronoun: "can I p m you".
  const isAbbreviation = (some: readonly string[]) => lists.abbreviations.has(some.join(' '));
  if (letters.length >= 2 && !isAbbreviation(letters) && letters.some((one) => !lists.letter_words.has(one))) {
    return letters.length <= 3 && isAbbreviation(letters.slice(-2)) ? null : under;
  }
  const named = words.slice(-MIN_LETTER_NAMES);
  return named.length === MIN_LETTER_NAMES && named.every((word) => lists.letter_names.has(word)) ? under : null;
}

function isLetter(word: string): boolean {
  return /^\p{Script=Latin}$/u.test(word);
}

function address(words: readonly string[], text: string, { lists, wholeAddress }: DictationWords): Dictation | null {
  const trimmed = text.trim();
  if (wholeAddress.test(trimmed)) return { state: 'complete', digits: 0 };
  const under: Dictation = { state: 'under_way', digits: 0 };
  const recent = words.slice(-ADDRESS_WORDS);
  const mailAt = recent.findLastIndex((word) => lists.mail_words.has(word) || lists.mail_hosts.has(word));
  const said = mailAt >= 0 && lists.is.within(recent.slice(mailAt, mailAt + 4));
  const hosted = lists.mail_hosts.within(recent) && (trimmed.includes('@') || lists.at.within(words));
  const written = trimmed.includes('@');
  if (!said && !hosted && !written) return null;
  if (lists.dot.has(recent.at(-2) ?? '') && lists.top_domains.has(recent.at(-1)!))
    return { state: 'complete', digits: 0 };
  if (said && lists.is.atEnd(recent)) return under;
  // A question about email is no address.
  return /[?؟]$/.test(trimmed) ? null : under;
}
