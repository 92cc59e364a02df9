/**
 * Cuts a text into passages that can be found and read alone: whole paragraphs while they fit, whole sentences where they
 * do not, and words only where a sentence is longer than a passage.
 */

/** A passage that has come so far ends with its paragraph. */
export const TARGET_PASSAGE_CHARACTERS = 500;
/** No passage is longer. */
export const MAX_PASSAGE_CHARACTERS = 900;
/** So much of a passage that ends inside a paragraph is said again at the beginning of the next. */
export const MAX_OVERLAP_CHARACTERS = 200;

interface Unit {
  text: string;
  /** Which paragraph it belongs to. */
  paragraph: number;
}

/** As it is kept: one kind of line end, no control characters, no runs of spaces, at most one empty line. */
export function cleanText(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[^\P{Cc}\n\t]|[\ufeff\u200b\u2060]/gu, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** In the order of the text; none for a text without letters. Takes what `cleanText` gives. */
export function splitPassages(text: string): string[] {
  const passages: string[] = [];
  let units: Unit[] = [];
  let length = 0;
  let fresh = false;

  const close = () => {
    if (fresh) passages.push(joined(units));
    units = [];
    length = 0;
    fresh = false;
  };

  for (const unit of unitsOf(text)) {
    const last = units.at(-1);
    const sameParagraph = last?.paragraph === unit.paragraph;
    if (last && !sameParagraph && length >= TARGET_PASSAGE_CHARACTERS) close();
    else if (last && length + 1 + unit.text.length > MAX_PASSAGE_CHARACTERS) {
      close();
      // The sentence before tells what "it" is.
      if (
        sameParagraph &&
        last.text.length <= MAX_OVERLAP_CHARACTERS &&
        last.text.length + 1 + unit.text.length <= MAX_PASSAGE_CHARACTERS
      ) {
        units = [last];
        length = last.text.length;
      }
    }
    length += unit.text.length + (units.length > 0 ? 1 : 0);
    units.push(unit);
    fresh = true;
  }
  close();
  return passages.filter((passage) => /[\p{L}\p{N}]/u.test(passage));
}

function joined(units: readonly Unit[]): string {
  let text = '';
  let before: Unit | null = null;
  for (const unit of units) {
    if (before) text += before.paragraph === unit.paragraph ? ' ' : '\n';
    text += unit.text;
    before = unit;
  }
  return text;
}

function unitsOf(text: string): Unit[] {
  // Lines are paragraphs too: lists, tables and questions with answers are written in lines.
  const paragraphs = text.split(/\n+/).flatMap((paragraph) => paragraph.trim() || []);
  return paragraphs.flatMap((paragraph, index) =>
    sentencesOf(paragraph).flatMap((sentence) =>
      splitLongSentence(sentence).map((piece) => ({ text: piece, paragraph: index })),
    ),
  );
}

/** A point inside a number or an address is followed by no space; abbreviations cost a cut, not a word. */
function sentencesOf(paragraph: string): string[] {
  return paragraph.split(/(?<=[.!?।॥…]["'”’)\]]{0,2})\s+/u);
}

/** Pieces no longer than a passage, cut between words. What is no word (900 characters without a space) is cut anywhere. */
function splitLongSentence(sentence: string): string[] {
  if (sentence.length <= MAX_PASSAGE_CHARACTERS) return [sentence];
  const pieces: string[] = [];
  let piece = '';
  for (const word of sentence.split(/\s+/).flatMap(splitLongWord)) {
    if (piece !== '' && piece.length + 1 + word.length > MAX_PASSAGE_CHARACTERS) {
      pieces.push(piece);
      piece = '';
    }
    piece = piece === '' ? word : `${piece} ${word}`;
  }
  if (piece !== '') pieces.push(piece);
  return pieces;
}

function splitLongWord(word: string): string[] {
  if (word.length <= MAX_PASSAGE_CHARACTERS) return [word];
  const parts: string[] = [];
  let part = '';
  // By characters, so that no pair of surrogates is torn.
  for (const character of word) {
    if (part.length + character.length > MAX_PASSAGE_CHARACTERS) {
      parts.push(part);
      part = '';
    }
    part += character;
  }
  if (part !== '') parts.push(part);
  return parts;
}
