import {
  isAadhaar,
  isCardNumber,
  isIndianMobile,
  isPermanentAccountNumber,
  isSocialSecurityNumber,
} from './checksums.ts';
import { type DigitGroup, type DigitRun, digitRuns } from './digit-runs.ts';

/** What an agent redacts. */
export interface RedactionSettings {
  /** Card numbers, and expiry dates and security codes that are named near them. */
  cards: boolean;
  /** Aadhaar, PAN and US social security numbers. */
  identity_numbers: boolean;
}

/** Where a number stands in which text, or a part of it that stands there. */
export interface FoundPart {
  text: number;
  from: number;
  to: number;
  kind: NumberKind;
  digits: string;
}

export type NumberKind = 'card number' | 'card expiry' | 'card security code' | 'Aadhaar' | 'PAN' | 'SSN';

const CARD_WORDS = /\b(card|debit|credit|visa|mastercard|rupay|amex)\b|कार्ड/iu;
const CODE_WORDS = /\b(cvv|cvc|cvn|c v v|c v c|security code|card code|three digits)\b|सीवीवी|सी वी वी/iu;
const EXPIRY_WORDS = /\b(expir\w*|valid (till|until|thru|through|upto)|exp)\b|एक्सपायरी|वैधता/iu;
const AADHAAR_WORDS = /\b(aadhaar|aadhar|adhar|uid|uidai)\b|आधार/iu;
const SSN_WORDS = /\b(ssn|s s n|social security|social)\b/iu;
const OTHER_NUMBER_WORDS =
  /\b(order|tracking|invoice|ticket|reference|booking|awb|phone|mobile|whatsapp)\b|ऑर्डर|मोबाइल|फोन/iu;
const MONTHS = 'jan\\w*|feb\\w*|mar(?:ch)?|apr\\w*|may|june?|july?|aug\\w*|sep\\w*|oct\\w*|nov\\w*|dec\\w*';
const MONTH_AND_YEAR = new RegExp(`\\b(?:${MONTHS})[ ,]+(?:20)?\\d\\d\\b`, 'giu');
const MONTH_BEFORE = new RegExp(`\\b(?:${MONTHS})\\W*$`, 'iu');
/** Written as such: three, two and four digits. */
const WRITTEN_SSN = /^\d{3}-\d{2}-\d{4}$/;
/** Characters before a number that say what it is: about three sentences, of both speakers. */
const CONTEXT_CHARACTERS = 250;
/** The name of a short number stands closer to it. */
const NEAR_CHARACTERS = 90;
/** Twelve digits or more that were called a card are one, also when a digit of them was misunderstood. */
const CARD_DIGITS = { min: 13, max: 19 };

/**
 * The numbers in texts of one speaker that follow each other. `before(i)` is what both speakers said before text `i`; a part of a
 * number may stand in each text.
 */
export function findNumbers(
  texts: readonly string[],
  settings: RedactionSettings,
  before: (text: number) => string = () => '',
): FoundPart[] {
  const found: FoundPart[] = [];
  for (const run of digitRuns(texts)) found.push(...inRun(run, texts, settings, before));
  if (settings.identity_numbers) found.push(...permanentAccountNumbers(texts));
  if (settings.cards) found.push(...monthsAndYears(texts, before));
  return found;
}

type Before = (text: number) => string;

function inRun(run: DigitRun, texts: readonly string[], settings: RedactionSettings, before: Before): FoundPart[] {
  const parts: FoundPart[] = [];
  const { groups } = run;
  for (let start = 0; start < groups.length; ) {
    const found = longestFrom(start, run, texts, settings, before);
    if (found) parts.push(...partsOf(groups.slice(start, found.end), found.kind));
    start = found?.end ?? start + 1;
  }
  return parts;
}

function longestFrom(
  start: number,
  { groups, international }: DigitRun,
  texts: readonly string[],
  settings: RedactionSettings,
  before: Before,
): { end: number; kind: NumberKind } | null {
  const first = groups[start]!;
  const context = `${before(first.text)} ${texts[first.text]!.slice(0, first.from)}`.slice(-CONTEXT_CHARACTERS);
  let digits = '';
  let best: { end: number; kind: NumberKind } | null = null;
  for (let at = start; at < groups.length && digits.length < CARD_DIGITS.max; at++) {
    digits += groups[at]!.digits;
    const last = at + 1 === groups.length;
    const written = groups[at]!.text === first.text ? texts[first.text]!.slice(first.from, groups[at]!.to) : '';
    const kind = kindOf(digits, { context, written, whole: start === 0 && last, last, international }, settings);
    if (kind) best = { end: at + 1, kind };
  }
  return best;
}

interface Place {
  context: string;
  written: string;
  /** The run is this number and nothing else. */
  whole: boolean;
  last: boolean;
  international: boolean;
}

function kindOf(digits: string, place: Place, { cards, identity_numbers }: RedactionSettings): NumberKind | null {
  const { context, written, whole, last, international } = place;
  const near = context.slice(-NEAR_CHARACTERS);
  if (cards) {
    const named = CARD_WORDS.test(context) && !OTHER_NUMBER_WORDS.test(near);
    if (isCardNumber(digits) && !international) return 'card number';
    if (whole && named && digits.length >= CARD_DIGITS.min && digits.length <= CARD_DIGITS.max) return 'card number';
    if (digits.length >= 3 && digits.length <= 6) {
      const code = lastIndex(CODE_WORDS, near);
      const expiry = lastIndex(EXPIRY_WORDS, near);
      if (code > expiry && digits.length <= 4 && (last || digits.length === 3)) return 'card security code';
      if (expiry > code && /^(0?[1-9]|1[0-2])(20)?[2-4]\d$/.test(digits)) return 'card expiry';
    }
  }
  if (!identity_numbers || international) return null;
  const other = OTHER_NUMBER_WORDS.test(near);
  if (digits.length === 12) {
    if (AADHAAR_WORDS.test(context) && whole) return 'Aadhaar';
    if (isAadhaar(digits) && !other && !isIndianMobile(digits)) return 'Aadhaar';
  }
  if (digits.length === 9 && isSocialSecurityNumber(digits)) {
    if (WRITTEN_SSN.test(written) || (SSN_WORDS.test(context) && whole)) return 'SSN';
  }
  return null;
}

/** Where the last match begins, -1 for none. */
function lastIndex(pattern: RegExp, text: string): number {
  let index = -1;
  for (const match of text.matchAll(new RegExp(pattern, 'giu'))) index = match.index;
  return index;
}

/** One part for each text that the number runs through. */
function partsOf(groups: readonly DigitGroup[], kind: NumberKind): FoundPart[] {
  const parts: FoundPart[] = [];
  for (const { text, from, to, digits } of groups) {
    const part = parts.at(-1);
    if (part?.text === text) {
      part.to = to;
      part.digits += digits;
    } else parts.push({ text, from, to, digits, kind });
  }
  return parts;
}

function monthsAndYears(texts: readonly string[], before: Before): FoundPart[] {
  return texts.flatMap((value, text) =>
    [...value.matchAll(MONTH_AND_YEAR)].flatMap(({ 0: written, index }) => {
      const context = `${before(text)} ${value.slice(0, index)}`.slice(-NEAR_CHARACTERS);
      const part: FoundPart = { text, from: index, to: index + written.length, digits: written, kind: 'card expiry' };
      return EXPIRY_WORDS.test(context) && !MONTH_BEFORE.test(context) ? [part] : [];
    }),
  );
}

/** Five letters, four digits, a letter: in one piece, in groups or spelled. */
function permanentAccountNumbers(texts: readonly string[]): FoundPart[] {
  const found: FoundPart[] = [];
  for (const [text, value] of texts.entries()) {
    const pieces = [...value.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].map(({ 0: word, index: from }) => ({
      from,
      to: from + word.length,
      characters: panCharacters(word),
    }));
    for (let at = 0; at < pieces.length; at++) {
      let characters = '';
      for (let end = at; end < pieces.length && characters.length < 10 && pieces[end]!.characters !== ''; end++) {
        characters += pieces[end]!.characters;
        if (characters.length !== 10 || !isPermanentAccountNumber(characters)) continue;
        found.push({ text, from: pieces[at]!.from, to: pieces[end]!.to, digits: characters.slice(5, 9), kind: 'PAN' });
        at = end;
      }
    }
  }
  return found;
}

const SPELLED_DIGITS = 'zero one two three four five six seven eight nine'.split(' ');

/** Empty for what cannot be a part of such a number: a word of small letters is a word. */
function panCharacters(word: string): string {
  const digit = SPELLED_DIGITS.indexOf(word.toLowerCase());
  if (digit >= 0) return String(digit);
  if (/^[a-z]$/i.test(word) || /^\d{1,4}$/.test(word) || /^[A-Z]{2,5}$/.test(word)) return word;
  return /^[a-z]{0,5}\d{1,4}[a-z]?$/i.test(word) ? word : '';
}
