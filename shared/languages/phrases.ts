import { plainWords } from '../words.ts';

/** A set of words and phrases, to be looked for among plain words. Takes time by the words, not by the size of the set. */
export interface Phrases {
  readonly size: number;
  /** The last words are one of them. */
  atEnd(words: readonly string[]): boolean;
  /** One of them stands anywhere. */
  within(words: readonly string[]): boolean;
  /** The words are nothing but a sequence of them. */
  cover(words: readonly string[]): boolean;
  /** This word is one of them. */
  has(word: string): boolean;
}

/** Splits the lists of a language's file into phrases of plain words; what is no word is left out. */
export function phrasesOf(...lists: readonly (string | undefined)[]): string[] {
  return lists
    .flatMap((list) => (list ?? '').split(','))
    .map((phrase) => plainWords(phrase).join(' '))
    .filter((phrase) => phrase !== '');
}

export function createPhrases(phrases: readonly string[]): Phrases {
  const all = new Set(phrases);
  const longest = Math.max(0, ...phrases.map((phrase) => phrase.split(' ').length));
  /** A phrase of `count` words from here; `at + count` is within the words. */
  const isPhrase = (words: readonly string[], at: number, count: number) =>
    all.has(count === 1 ? words[at]! : words.slice(at, at + count).join(' '));

  function covers(words: readonly string[], from: number): boolean {
    if (from === words.length) return true;
    for (let count = Math.min(longest, words.length - from); count > 0; count--) {
      if (isPhrase(words, from, count) && covers(words, from + count)) return true;
    }
    return false;
  }

  return {
    size: all.size,
    has: (word) => all.has(word),
    atEnd(words) {
      for (let count = Math.min(longest, words.length); count > 0; count--) {
        if (isPhrase(words, words.length - count, count)) return true;
      }
      return false;
    },
    within(words) {
      for (let at = 0; at < words.length; at++) {
        for (let count = Math.min(longest, words.length - at); count > 0; count--) {
          if (isPhrase(words, at, count)) return true;
        }
      }
      return false;
    },
    cover: (words) => words.length > 0 && covers(words, 0),
  };
}
