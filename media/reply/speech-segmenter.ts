import type { Pronunciation } from '../../shared/pronunciation.ts';
import { createMarkupReader, type MarkupUnit } from '../../shared/reply/markup.ts';
import type { TextSegment } from '../playout/spoken-text.ts';
import {
  endOf,
  isCloser,
  isSentenceEnd,
  isTied,
  isWrapped,
  MAX_ABBREVIATION_CHARACTERS,
  mergedEnds,
  type Punctuation,
  punctuationOf,
} from './punctuation.ts';
import { createSegmentBuffer, type Position } from './segment-buffer.ts';

export interface SpeechSegmenterOptions {
  /** Language of the voice, like "en" or "hi-IN". Without it, and for other languages, numbers stay as written. */
  language?: string;
  /** Words that are said otherwise than they are written. */
  pronunciation?: Pronunciation | null;
  /** The first segment ends at the first clause of at least this length. */
  firstMinChars?: number;
  /** Without a clause, the first segment ends at a word about here. */
  firstMaxChars?: number;
  /** Shorter sentences are spoken together with the next. */
  laterMinChars?: number;
  /** Longer sentences are cut at a clause or at a word. */
  laterMaxChars?: number;
}

/**
 * Returns the segments of a streamed text. The originals of all segments together are exactly the text; `spoken` is without
 * markup, with single spaces, in words where numbers and the like would be misread. `spoken` is empty only in a last segment
 * that holds nothing but markup.
 */
export interface SpeechSegmenter {
  push(text: string): TextSegment[];
  /** Returns the rest at the end of the text. */
  flush(): TextSegment[];
}

const WHITESPACE = /\s/u;
const WORD = /[\p{L}\p{M}\p{N}]/u;

/**
 * Cuts a reply into segments for the synthesizer while it is generated. The first segment ends as early as possible, so that
 * the caller waits for a clause rather than a sentence; the others are sentences, which synthesizers speak best. Never cuts
 * inside numbers, times, abbreviations, initials or addresses. Reads character by character, so the chunks of the stream make
 * no difference. Linear in the length of the text.
 */
export function createSpeechSegmenter(options: SpeechSegmenterOptions = {}): SpeechSegmenter {
  const { language = '', firstMinChars = 8, firstMaxChars = 50, laterMinChars = 20, laterMaxChars = 220 } = options;
  const markup = createMarkupReader();
  const buffer = createSegmentBuffer(language, options.pronunciation ?? null);
  const segments: TextSegment[] = [];
  let isFirst = true;

  let punctuation: Punctuation | null = null;
  /** The last character that was no space. */
  let last = '';
  /** The end of the current word, and of the word before it. */
  let word = '';
  let wordBefore = '';
  /** The end of the spaces after the word; null while there are none. */
  let gap: Position | null = null;
  /** A line ended in the gap; `item` when the next begins with a list marker. */
  let lineEnd: 'line' | 'item' | null = null;
  /** Start of the current line in the spoken text; -1 when it began in an earlier segment. */
  let lineStart = 0;
  /** Where the segment can be cut: after a clause, after a word, and anywhere at all. */
  let clauseEnd: Position | null = null;
  let wordEnd: Position | null = null;
  let spaceEnd: Position | null = null;

  function cut(at: Position): void {
    const { segment, removed } = buffer.cut(at);
    segments.push(segment);
    const shifted = (other: Position): Position => ({
      spoken: Math.max(0, other.spoken - removed),
      original: Math.max(0, other.original - at.original),
      audible: Math.max(0, other.audible - at.audible),
    });
    const remaining = (other: Position | null) => (other !== null && other.spoken > removed ? shifted(other) : null);
    clauseEnd = remaining(clauseEnd);
    wordEnd = remaining(wordEnd);
    spaceEnd = remaining(spaceEnd);
    gap = gap && shifted(gap);
    lineStart = lineStart >= removed ? lineStart - removed : -1;
    isFirst = false;
  }

  /** A sentence or clause ends here: cuts, or remembers the position. */
  function mayCut(kind: Punctuation['kind'], at: Position): void {
    if (at.spoken === 0) return;
    const length = at.spoken - (gap === null ? 0 : 1);
    if (isFirst ? length >= firstMinChars : kind === 'sentence' && length >= laterMinChars) cut(at);
    else clauseEnd = at;
  }

  function cutWhenLong(): void {
    const { length } = buffer.spoken;
    const limit = isFirst ? firstMaxChars : laterMaxChars;
    if (length < limit) return;
    const best = [clauseEnd, wordEnd].find((at) => at !== null && at.spoken * 4 >= limit);
    if (best) cut(best);
    else if (length >= 2 * laterMaxChars && spaceEnd !== null) cut(spaceEnd);
  }

  function readSpace(unit: MarkupUnit): void {
    buffer.addSpace(unit);
    if (unit.spoken === '\n') lineEnd ??= 'line';
    gap = buffer.end();
    if (punctuation?.certain && lineEnd === null) {
      const { kind } = punctuation;
      punctuation = null;
      mayCut(kind, gap);
    }
  }

  /** The first character after spaces decides what the punctuation or line end before them meant. */
  function beginWord(next: string, after: Position): void {
    const [open, ended] = [punctuation, lineEnd];
    punctuation = null;
    lineEnd = null;
    if (ended !== null) {
      lineStart = after.spoken;
      const wrapped = ended === 'line' && isWrapped(next);
      if (!wrapped || open !== null) {
        let at = after;
        if (WORD.test(last) && !wrapped) {
          // Synthesizers run lines without a stop together.
          at = buffer.punctuate(ended === 'item' ? ', ' : '. ', after);
          lineStart = at.spoken;
        }
        mayCut(wrapped ? open!.kind : 'sentence', at);
        return;
      }
    } else if (open !== null) {
      const kind = endOf(open, word, next);
      if (kind !== null) mayCut(kind, after);
      return;
    }
    if (buffer.spoken === '') return;
    spaceEnd = after;
    if (!isTied(last, word, wordBefore, next)) wordEnd = after;
  }

  /** Handles a character directly after punctuation; returns whether it belongs to it and was taken. */
  function endsPunctuation(open: Punctuation, unit: MarkupUnit): boolean {
    const character = unit.spoken;
    const isEnd = isSentenceEnd(character);
    if (!isEnd && !isCloser(character)) {
      punctuation = null;
      if (open.bare) mayCut(open.kind, buffer.end());
      return false;
    }
    buffer.addSpoken(unit);
    if (!isEnd) return true;
    punctuation = mergedEnds(open, last, character);
    last = character;
    return true;
  }

  /** The line before a code block is complete and does not wait for what follows the block. */
  function beginCode(): void {
    if (gap === null || lineEnd === null) return;
    if (buffer.spoken !== '') {
      beginWord('`', gap);
      last = '.';
    }
    gap = null;
  }

  function readSpoken(unit: MarkupUnit): void {
    const character = unit.spoken;
    if (WHITESPACE.test(character)) {
      readSpace(unit);
      return;
    }
    const afterSpace = gap !== null;
    if (gap !== null) {
      beginWord(character, gap);
      gap = null;
      wordBefore = word;
      word = character;
    } else {
      word = (word + character).slice(-MAX_ABBREVIATION_CHARACTERS);
      if (punctuation !== null && endsPunctuation(punctuation, unit)) return;
    }
    buffer.addSpoken(unit);
    const line = lineStart < 0 || buffer.spoken.length - lineStart > 4 ? null : buffer.spoken.slice(lineStart);
    punctuation = punctuationOf(character, { last, word, wordBefore, line, afterSpace });
    last = character;
    cutWhenLong();
  }

  function read(units: MarkupUnit[]): TextSegment[] {
    for (const unit of units) {
      if (unit.item && lineEnd !== null) lineEnd = 'item';
      if (unit.code === 'start') beginCode();
      if (unit.spoken === '') buffer.addOriginal(unit);
      else readSpoken(unit);
    }
    return segments.splice(0);
  }

  return {
    push: (text) => read(markup.push(text)),
    flush() {
      const rest = read(markup.end());
      const segment = buffer.flush();
      return segment ? [...rest, segment] : rest;
    },
  };
}

/** Returns the segments of a complete text, such as a welcome message. */
export function segmentText(text: string, language: string, pronunciation: Pronunciation | null = null): TextSegment[] {
  const segmenter = createSpeechSegmenter({ language, pronunciation });
  return [...segmenter.push(text), ...segmenter.flush()];
}
