/**
 * Cuts a text into passages that can be found and read alone: whole paragraphs while they fit, whole sentences where they
 * do not, and words only where a sentence is longer than a passage.
 */

/** A passage of this length ends with its paragraph. */
export const TARGET_PASSAGE_CHARACTERS = 500;
/** Limit of a passage. */
export const MAX_PASSAGE_CHARACTERS = 900;
/** Longest sentence that is repeated at the start of the next passage, where a passage ends inside a paragraph. */
export const MAX_OVERLAP_CHARACTERS = 200;

interface Unit {
  text: string;
  /** Position of its paragraph. */
  paragraph: number;
}

/** Normalizes a text for storage: one kind of line end, no control characters, no runs of spaces, at most one empty line. */
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

/** Splits a text from `cleanText` into passages, in order; none for a text without letters. */
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
      // The previous sentence tells what a pronoun refers to.
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
  // Lines count as paragraphs, because lists, tables and questions with answers have one item a line.
  const paragraphs = text.split(/\n+/).flatMap((paragraph) => paragraph.trim() || []);
  return paragraphs.flatMap((paragraph, index) =>
    sentencesOf(paragraph).flatMap((sentence) =>
      splitLongSentence(sentence).map((segment) => ({ text: segment, paragraph: index })),
    ),
  );
}

/** Splits at sentence ends. A dot inside a number or URL is not followed by a space; after an abbreviation the split does no harm. */
function sentencesOf(paragraph: string): string[] {
  return paragraph.split(/(?<=[.!?।॥…]["'”’)\]]{0,2})\s+/u);
}

/** Splits a sentence that is longer than a passage between words; a word longer than a passage is split anywhere. */
function splitLongSentence(sentence: string): string[] {
  if (sentence.length <= MAX_PASSAGE_CHARACTERS) return [sentence];
  const segments: string[] = [];
  let segment = '';
  for (const word of sentence.split(/\s+/).flatMap(splitLongWord)) {
    if (segment !== '' && segment.length + 1 + word.length > MAX_PASSAGE_CHARACTERS) {
      segments.push(segment);
      segment = '';
    }
    segment = segment === '' ? word : `${segment} ${word}`;
  }
  if (segment !== '') segments.push(segment);
  return segments;
}

function splitLongWord(word: string): string[] {
  if (word.length <= MAX_PASSAGE_CHARACTERS) return [word];
  const parts: string[] = [];
  let part = '';
  // By code points, so that no surrogate pair is split.
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
