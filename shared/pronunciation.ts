/**
 * How words are said that a voice would read wrongly: names, brands, abbreviations. Only what the synthesizer is given changes;
 * transcript and history keep the word.
 */

export interface PronunciationRule {
  word: string;
  /** As it is to be said, in letters that the voice reads; empty: the word itself. */
  say: string;
  /** For voices that take IPA; empty or left out: there is none. */
  ipa?: string;
}

export interface SaidWord {
  said: string;
  /** Where it ends in the text. */
  end: number;
  /** It is written in a script without spaces, and needs none beside it. */
  isTight: boolean;
}

/** Finds a word of the rules in a text. */
export interface Pronunciation {
  /** Some words are written in a script without spaces, and may begin inside a run of letters. */
  readonly isAnywhere: boolean;
  /** The rule whose word begins here; null when there is none. */
  at(text: string, index: number): SaidWord | null;
  /** Where the next word in a script without spaces begins, at most `end`. */
  nextInside(text: string, from: number, end: number): number;
}

/** Scripts that write no spaces between words: a word of them has no boundary to look for. */
const WITHOUT_SPACES = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
/** What continues a word: letters, their marks, digits, and the joiners of Indic and Arabic scripts. */
const WORD_ENDS = '(?![\\p{L}\\p{M}\\p{N}_\\u200c\\u200d])';
const CAPITALS = /^[^\p{Ll}\p{Lo}]*\p{Lu}[^\p{Ll}\p{Lo}]*\p{Lu}[^\p{Ll}\p{Lo}]*$/u;

/**
 * Null without rules. The longest word wins, also over the rules for numbers and abbreviations. Capitals do not matter, except for a word
 * that is written in capitals alone: "IT" is not "it".
 */
export function createPronunciation(rules: readonly PronunciationRule[]): Pronunciation | null {
  const longestFirst = rules
    .map(({ word, say }) => ({ word: word.normalize('NFC').trim(), say: say.normalize('NFC') }))
    .filter(({ word }) => word !== '')
    .sort((a, b) => b.word.length - a.word.length);
  if (longestFirst.length === 0) return null;
  const compiled = longestFirst.map(({ word, say }) => {
    const anywhere = WITHOUT_SPACES.test(word);
    const source = `${escaped(word)}${anywhere || !/[\p{L}\p{M}\p{N}]$/u.test(word) ? '' : WORD_ENDS}`;
    return { pattern: new RegExp(source, CAPITALS.test(word) ? 'uy' : 'iuy'), say, anywhere };
  });
  const inside = compiled.filter(({ anywhere }) => anywhere);

  function match(text: string, index: number, among: typeof compiled): SaidWord | null {
    for (const { pattern, say, anywhere } of among) {
      pattern.lastIndex = index;
      if (!pattern.test(text)) continue;
      const end = pattern.lastIndex;
      return { said: say || text.slice(index, end), end, isTight: anywhere };
    }
    return null;
  }

  return {
    isAnywhere: inside.length > 0,
    at: (text, index) => match(text, index, compiled),
    nextInside(text, from, end) {
      for (let index = from; index < end; index++) if (match(text, index, inside)) return index;
      return end;
    },
  };
}

/** Writes a word with its IPA as a provider takes it within a text. */
export type IpaNotation = (word: string, ipa: string) => string;

/**
 * Returns how a spoken text is sent to a voice that takes IPA: each word of a rule with IPA in the provider's notation, found by what
 * `createPronunciation` made of it. Null when no rule has IPA.
 */
export function createIpaText(
  rules: readonly PronunciationRule[],
  notation: IpaNotation,
): ((text: string) => string) | null {
  const withIpa = rules.filter(({ ipa }) => ipa);
  const pronunciation = createPronunciation(withIpa.map(({ word, say, ipa }) => ({ word: say || word, say: ipa! })));
  if (pronunciation === null) return null;
  return (text) => {
    let sent = '';
    let from = 0;
    for (let at = 0; at < text.length; ) {
      const begins = pronunciation.isAnywhere || at === 0 || !INSIDE_WORD.test(text[at - 1]! + text[at]!);
      const found = begins ? pronunciation.at(text, at) : null;
      if (found === null) {
        at++;
        continue;
      }
      sent += text.slice(from, at) + notation(text.slice(at, found.end), found.said);
      at = found.end;
      from = at;
    }
    return sent + text.slice(from);
  };
}

const INSIDE_WORD = /[\p{L}\p{M}\p{N}_]{2}/u;

/** Letters, marks and signs of the IPA, in NFD; a space parts words, a dot syllables. */
const IPA = /^(?:[a-zæðøħŋœǀ-ǃɐ-ʯβθχʰ-˿ᴀ-ᶿ. ]|\p{Mn})+$/u;

/** False for what cannot be IPA, such as capitals, slashes and brackets. */
export function isIpa(text: string): boolean {
  return IPA.test(text.normalize('NFD')) && /[^ˈˌ. ]/u.test(text);
}

/** A space in a word is any white space, and an apostrophe either of the two. */
function escaped(word: string): string {
  return word
    .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    .replace(/\s+/g, '\\s+')
    .replace(/['’]/g, "['’]");
}
