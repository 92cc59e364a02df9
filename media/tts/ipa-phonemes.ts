/**
 * The phonemes of a word in IPA, for providers that take them one by one. A letter keeps its length, modifiers and marks; stress is a
 * phoneme of its own; syllable dots and tie bars are dropped. `tʃ` and `dʒ` are one phoneme, in English its diphthongs as well.
 */
export function ipaPhonemes(word: string, language: string): string[] {
  const pattern = /^en\b/i.test(language) ? ENGLISH : ANY;
  return Array.from(word.normalize('NFC').matchAll(pattern), ([phoneme]) => phoneme.replace(/\u035c|\u0361/g, ''));
}

const MODIFIER = '(?:\\p{M}|[ʰ-ˇˉ-ˋˍ-˿])';
const LETTER = '[^\\p{M}\\s.ʰ-˿]';
/** A tie bar is a mark of the first letter. */
const TIED = `${LETTER}${MODIFIER}*?(?:\u035c|\u0361)${LETTER}`;
const phonemes = (pairs: string) => new RegExp(`[ˈˌ]|(?:${TIED}|${pairs}|${LETTER})${MODIFIER}*`, 'gu');
const ANY = phonemes('tʃ|dʒ');
const ENGLISH = phonemes('tʃ|dʒ|[aeɔ]ɪ|[aoə]ʊ');
