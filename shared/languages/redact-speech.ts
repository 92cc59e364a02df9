import { oneSpelling } from '../words.ts';
import type { DictationLists, Language, TurnLists } from './language.ts';
import { phrasesOf } from './phrases.ts';
import { DEFAULT_LANGUAGE, languageOf } from './registry.ts';
import { type DictationWords, turnWords } from './turn-words.ts';

/** Lists of dictation that announce or join what is dictated; the others name letters and digits. */
const DICTATION_LISTS: readonly (keyof DictationLists)[] = [
  ...(['double', 'triple', 'number_words', 'code_words', 'card_words', 'mail_words', 'mail_hosts'] as const),
  ...(['is', 'at', 'dot', 'plus', 'top_domains'] as const),
];

const compiled = new Map<string, (text: string) => string>();

/**
 * Returns a function that replaces what a caller said, but not what turn-taking depends on: the words of its lists for this
 * language tag and for the languages mixed into it, punctuation, and that a number is one. Names of numbers become names of
 * others with as many digits, digits become 1, other letters x. Applying it twice gives the same.
 */
export function speechRedactor(tag = DEFAULT_LANGUAGE): (text: string) => string {
  const own = languageOf(tag);
  const code = own?.code ?? '';
  const known = compiled.get(code) ?? createRedactor(own);
  compiled.set(code, known);
  return known;
}

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/gu;

function createRedactor(own: Language | null): (text: string) => string {
  const { dictation } = turnWords(own?.code ?? '');
  const listed = listedWords(own);
  const numberFor = numbers(own, dictation);
  const isLetter = (word: string | undefined) =>
    word !== undefined && ([...word].length === 1 || dictation.lists.letter_names.has(word));
  const isNumber = (word: string | undefined) =>
    word !== undefined && (/\p{N}/u.test(word) || numberFor(word) !== null);

  return (text) => {
    const words = Array.from(text.matchAll(WORD), ([word]) => oneSpelling(word).toLowerCase());
    let at = 0;
    return text.replace(WORD, (written) => {
      const [before, word, after] = [words[at - 1], words[at]!, words[at + 1]];
      at++;
      // "Oh" is a zero among digits only.
      const isZero = !dictation.lists.zero_among_digits.has(word) || isNumber(before) || isNumber(after);
      const number = isZero ? numberFor(word) : null;
      if (number !== null) return number;
      // A letter alone may be a word, like "a"; several are spelling.
      const isSpelled = isLetter(word) && (isLetter(before) || isLetter(after));
      // In small letters, so that the name Will is the word "will".
      return listed.has(word) && !isSpelled ? written.toLowerCase() : withoutContent(written);
    });
  };
}

/** The words of all phrases that rules of turn-taking look for. */
function listedWords(own: Language | null): ReadonlySet<string> {
  const languages = own ? [own, ...own.mixes.map((mixed) => languageOf(mixed)!)] : [];
  const textsOf = (lists: TurnLists | DictationLists, names: readonly string[]) =>
    names.map((name) => lists[name as keyof typeof lists] as string | undefined);
  const texts = languages.flatMap(({ turn, dictation }) => [
    ...textsOf(
      turn,
      Object.keys(turn).filter((name) => !name.endsWith('_suffixes')),
    ),
    ...textsOf(dictation, DICTATION_LISTS),
  ]);
  return new Set(phrasesOf(...texts).flatMap((phrase) => phrase.split(' ')));
}

/** Returns a function that gives for a number's name that of another number with as many digits; null for other words. */
function numbers(own: Language | null, { digits, twoDigits }: DictationWords): (word: string) => string | null {
  const { digits: ownDigits = [], two_digits = '' } = own?.dictation ?? {};
  const digitName = phrasesOf(ownDigits[1])[0] ?? null;
  const namesFromTen = two_digits.split(',').map((name) => phrasesOf(...name.split('/'))[0]?.replaceAll(' ', '-'));
  /** "Twenty five" has two digits, "eleven five" three. */
  const likeOf = (value: number) => (value < 20 ? 11 : value % 10 === 0 ? 20 : 21);
  return (word) => {
    const digit = digits.get(word);
    if (digit !== undefined) return digit === 1 ? word : digitName;
    const value = twoDigits.get(word);
    if (value === undefined) return null;
    return value === likeOf(value) ? word : (namesFromTen[likeOf(value) - 10] ?? digitName);
  };
}

const withoutContent = (word: string): string =>
  word.replace(/\p{L}|\p{M}|\p{N}/gu, (found) => {
    if (/\p{N}/u.test(found)) return '1';
    return found === found.toLowerCase() ? 'x' : 'X';
  });
