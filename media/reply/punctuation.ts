/** What punctuation means for cutting a text into segments: ends of sentences and clauses, and words that belong together. */

/** Punctuation that was just read; what follows it may decide its meaning. */
export interface Punctuation {
  kind: 'sentence' | 'clause';
  /** Ends the segment without a space after it. */
  bare: boolean;
  /** A space after it decides; otherwise the next word does. */
  certain: boolean;
  /** An ellipsis, or the stop of an abbreviation: ends a sentence only before a capital. */
  weak: boolean;
}

/** What was read before a punctuation mark. */
export interface TextBefore {
  /** The last character that was no space. */
  last: string;
  /** The end of the current word, with the mark, and the end of the word before it. */
  word: string;
  wordBefore: string;
  /** The current line up to the mark, with it; null when it began in an earlier segment. */
  line: string | null;
  /** A space stands directly before the mark. */
  afterSpace: boolean;
}

/** No abbreviation is longer, so the end of a word is kept up to here. */
export const MAX_ABBREVIATION_CHARACTERS = 12;

const DIGIT = /\p{Nd}/u;
const LOWER = /\p{Ll}/u;
const CLOSERS = '"\'”’»)]}';
const BARE_ENDS = '।॥。！？';
const ENDS = `.!?…؟۔${BARE_ENDS}`;
const BARE_CLAUSES = '—，、；';
const CLAUSES = `,;:،–-${BARE_CLAUSES}`;
const DASH = /[-–]/;
/** The first character of a number or amount. */
const AMOUNT = /[\p{Nd}\p{Sc}]/u;
/** After these a dash means "to": "7 p.m. - 9 p.m.", "Mon - Fri", "12 Nov - 3 Dec". */
const RANGE_START =
  /(?:[\p{Nd}%]|\d\s?(?:k|l|cr)|^(?:[ap]\.?m\.?|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun|jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)|^\d{1,2}[ap]m)$/iu;
/** Before a small letter, the stop of these ends neither a sentence nor a clause. */
const CONTINUES_BEFORE_LOWERCASE = /(?:[ap]\.?m|ft|min|hrs)\.$/i;
/** These belong to the next word. */
const LEAD_IN_WORDS = /^(?:dr|mr|mrs|ms|prof|smt|sq|otp|pin|code|passcode|id|number|ओटीपी|पिन|कोड|नंबर)$/i;
/** "21st" belongs to its month. */
const ORDINAL = /\d(?:st|nd|rd|th)$/i;

/** Never the end of a sentence. */
const TITLES = new Set(
  'dr mr mrs ms mx prof st sr jr smt shri sri km rs approx dept gen col capt lt sgt rev hon vs cf al e.g i.e viz govt sq डॉ प्रो कु रु रू नं मो उदा'.split(
    ' ',
  ),
);
/** A number may follow, and then it is no end of a sentence. */
const NUMBERED = new Set(
  'no nos art sec fig vol ch p pp ext flat apt jan feb mar apr jun jul aug sep sept oct nov dec'.split(' '),
);
/** May end a sentence, but not before a small letter. */
const WEAK = new Set('etc inc ltd co corp pvt rd ave blvd ft min hrs a.m p.m am pm'.split(' '));

export const isSentenceEnd = (character: string): boolean => ENDS.includes(character);

/** Closing quotes and brackets belong to the sentence before them. */
export const isCloser = (character: string): boolean => CLOSERS.includes(character);

/** Returns what a character means as punctuation, or null. */
export function punctuationOf(character: string, before: TextBefore): Punctuation | null {
  if (isSentenceEnd(character)) {
    const bare = BARE_ENDS.includes(character);
    if (character === '…') return { kind: 'sentence', bare, certain: false, weak: true };
    return character === '.' ? fullStop(before) : { kind: 'sentence', bare, certain: true, weak: false };
  }
  if (!CLAUSES.includes(character)) return null;
  const bare = BARE_CLAUSES.includes(character);
  if (DASH.test(character)) {
    const separates = before.afterSpace && !RANGE_START.test(before.wordBefore);
    return separates ? { kind: 'clause', bare, certain: false, weak: false } : null;
  }
  return { kind: 'clause', bare, certain: bare || !DIGIT.test(before.last), weak: false };
}

function fullStop({ word, last, line }: TextBefore): Punctuation | null {
  const abbreviation = word.slice(0, -1).replace(/^["'“‘(]+/, '');
  const small = abbreviation.toLowerCase();
  if (TITLES.has(small) || /^\p{Lu}(\.\p{Lu})*$/u.test(abbreviation)) return null;
  // "1." at the start of a line numbers a list item.
  if (line !== null && /^\d{1,3}\.$/.test(line)) return null;
  const weak = WEAK.has(small) || small.includes('.');
  const certain = !weak && !NUMBERED.has(small) && !DIGIT.test(last);
  return { kind: 'sentence', bare: false, certain, weak: weak || NUMBERED.has(small) };
}

/** Merges a sentence end with the one directly after it: "...", "?!". */
export function mergedEnds(open: Punctuation, last: string, character: string): Punctuation {
  if (last === '.' && character === '.') return { kind: 'sentence', bare: false, certain: false, weak: true };
  return { kind: 'sentence', bare: open.bare || BARE_ENDS.includes(character), certain: true, weak: false };
}

/** Returns what punctuation ends, given the first character after the space behind it; null when it ends nothing. */
export function endOf({ kind, weak }: Punctuation, word: string, next: string): 'sentence' | 'clause' | null {
  if (weak && LOWER.test(next)) return CONTINUES_BEFORE_LOWERCASE.test(word) ? null : 'clause';
  const amountNext = AMOUNT.test(next);
  if (weak && (amountNext || DASH.test(next))) return null;
  return kind === 'clause' && amountNext ? null : kind;
}

/** Whether a line that ends before this character was only wrapped. */
export const isWrapped = (next: string): boolean => LOWER.test(next);

/** Whether a text must not be cut at the space between this word and the next character. */
export function isTied(last: string, word: string, wordBefore: string, next: string): boolean {
  const besideNumber = DIGIT.test(last) || DIGIT.test(next) || DASH.test(next) || /[\p{Sc}#–-]/u.test(last);
  if (besideNumber || last === '.' || ORDINAL.test(word) || LEAD_IN_WORDS.test(word)) return true;
  return word === 'of' && ORDINAL.test(wordBefore);
}
