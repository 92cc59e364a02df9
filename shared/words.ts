/** Marks that are written or left out without another meaning: Arabic vowel signs and its long dash, joiners inside words. */
const LEFT_OUT = /[\u064b-\u0652\u0670\u0640\u200c\u200d]/gu;
const ONE_ALEF = /[أإآٱ]/gu;

/**
 * Returns the words of a text, in small letters, without punctuation but inner hyphens and apostrophes. One spelling where
 * transcribers have several: composed letters, one apostrophe, Arabic without vowel signs and with one alef.
 */
export function plainWords(text: string): string[] {
  // Asked at every window of audio while the agent speaks, mostly before the caller said anything.
  if (text === '') return [];
  return oneSpelling(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}'\- ]+/gu, ' ')
    .split(/\s+/)
    .map((word) => word.replace(/^[-']+|[-']+$/g, ''))
    .filter((word) => word !== '');
}

/** The spelling of `plainWords`, with capitals and punctuation as written. */
export function oneSpelling(text: string): string {
  return text.normalize('NFC').replace(LEFT_OUT, '').replace(ONE_ALEF, 'ا').replaceAll('’', "'");
}

/** Differs in substance, not only in case or punctuation. */
export function sameWords(a: string, b: string): boolean {
  return plainWords(a).join(' ') === plainWords(b).join(' ');
}
