/**
 * Positions in a spoken text. Providers leave out punctuation and add spaces, so texts are compared by their letters and
 * digits.
 */

const ALPHANUMERIC = /[\p{L}\p{N}]/u;

/** Counts the letters and digits of a text. */
export function countAlphanumerics(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

/** Returns the position after `count` letters and digits, and after the punctuation and white space that follow them. */
export function positionAfter(text: string, count: number): number {
  if (count === 0) return 0;
  let position = 0;
  let left = count;
  for (const character of text) {
    if (ALPHANUMERIC.test(character)) {
      if (left === 0) break;
      left--;
    }
    position += character.length;
  }
  return position;
}

/** Returns the start of the word at this position, or the end of the text. */
export function wordStart(text: string, position: number): number {
  if (position >= text.length) return text.length;
  let start = position;
  while (start > 0 && !/\s/.test(text[start - 1]!)) start--;
  return start;
}
