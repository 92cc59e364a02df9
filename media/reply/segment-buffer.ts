import type { Pronunciation } from '../../shared/pronunciation.ts';
import type { MarkupUnit } from '../../shared/reply/markup.ts';
import type { AlignedSpan, TextSegment } from '../playout/spoken-text.ts';
import { alignedSpokenForm } from './spoken-form.ts';

/** Offsets into the texts of a segment. */
export interface Position {
  spoken: number;
  original: number;
  audible: number;
}

/** The text of the segment being read, and which character of the original each spoken character comes from. */
export interface SegmentBuffer {
  readonly spoken: string;
  /** The end of what was read. */
  end(): Position;
  /** Appends a unit's original without speaking it. */
  addOriginal(unit: MarkupUnit): void;
  addSpoken(unit: MarkupUnit): void;
  /** Appends the original of white space, which is spoken as one space. */
  addSpace(unit: MarkupUnit): void;
  /** Replaces the space before `at` by punctuation and returns the position behind it. */
  punctuate(punctuation: string, at: Position): Position;
  /** Removes the text up to this position and returns it as a segment, with the spoken characters removed. */
  cut(at: Position): { segment: TextSegment; removed: number };
  /** Removes all text and returns it as a segment; null without text. */
  flush(): TextSegment | null;
}

/** `language` and `pronunciation`: see `SpeechSegmenterOptions`. */
export function createSegmentBuffer(language: string, pronunciation: Pronunciation | null): SegmentBuffer {
  let spoken = '';
  let original = '';
  /** The original without code blocks: what can be played out. */
  let audible = '';
  /** Offset in `audible` of each character of `spoken`. */
  let offsets: number[] = [];

  function speak(text: string, offset: number): void {
    for (let i = 0; i < text.length; i++) offsets.push(offset);
    spoken += text;
  }

  function addOriginal(unit: MarkupUnit): void {
    original += unit.original;
    // A code block is replaced by one space.
    audible += unit.code ? unit.spoken : unit.original;
  }

  const end = (): Position => ({ spoken: spoken.length, original: original.length, audible: audible.length });

  function segmentUpTo(at: Position): TextSegment {
    const source = original.slice(0, at.original);
    const audibleSource = audible.slice(0, at.audible);
    const written = trimmed(withoutTags({ text: spoken.slice(0, at.spoken), offsets }));
    const form = alignedSpokenForm(written.text, language, pronunciation);
    const segment = { spoken: form.spoken, original: source };
    if (audibleSource === source && (form.spoken === '' || form.spoken === source.trim())) return segment;
    let from = 0;
    const spans = form.alignment.map((point): AlignedSpan => {
      const to = written.offsets[point.written] ?? audibleSource.length;
      const span = { spokenEnd: point.spoken, original: audibleSource.slice(from, to) };
      from = to;
      return span;
    });
    return { ...segment, spans };
  }

  return {
    get spoken() {
      return spoken;
    },
    end,
    addOriginal,
    addSpoken(unit) {
      speak(unit.spoken, audible.length);
      addOriginal(unit);
    },
    addSpace(unit) {
      const offset = audible.length;
      addOriginal(unit);
      if (spoken !== '' && !spoken.endsWith(' ')) speak(' ', offset);
    },
    punctuate(punctuation, at) {
      spoken = spoken.trimEnd();
      const offset = offsets[spoken.length] ?? at.audible;
      offsets.length = spoken.length;
      speak(punctuation, offset);
      return { ...at, spoken: spoken.length };
    },
    cut(at) {
      const segment = segmentUpTo(at);
      const rest = spoken.slice(at.spoken);
      const removed = at.spoken + (rest.length - rest.trimStart().length);
      spoken = spoken.slice(removed);
      original = original.slice(at.original);
      audible = audible.slice(at.audible);
      offsets = offsets.slice(removed).map((offset) => Math.max(0, offset - at.audible));
      return { segment, removed };
    },
    flush() {
      const segment = original === '' ? null : segmentUpTo(end());
      spoken = '';
      original = '';
      audible = '';
      offsets = [];
      return segment;
    },
  };
}

/** A text with the offset in the audible original of each UTF-16 unit. */
interface TracedText {
  text: string;
  offsets: readonly number[];
}

const TAG =
  /<\/?(?:b|i|u|p|br|hr|em|strong|ul|ol|li|code|pre|span|div|a|h[1-6]|speak|break|emphasis|prosody)(?:\s[^<>]{0,100})?\/?>/gi;

/** Removes HTML and SSML, which some models write. */
function withoutTags(traced: TracedText): TracedText {
  return traced.text.includes('<') ? replaced(replaced(traced, TAG, ' '), / {2,}/g, ' ') : traced;
}

function replaced({ text, offsets }: TracedText, pattern: RegExp, by: string): TracedText {
  let result = '';
  const resultOffsets: number[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    result += text.slice(from, match.index) + by;
    for (let i = from; i < match.index; i++) resultOffsets.push(offsets[i]!);
    from = match.index + match[0].length;
    // A closing tag belongs to the text before it.
    const offset = offsets[match[0].startsWith('</') ? from : match.index] ?? offsets[match.index]!;
    for (let i = 0; i < by.length; i++) resultOffsets.push(offset);
  }
  for (let i = from; i < text.length; i++) resultOffsets.push(offsets[i]!);
  return { text: result + text.slice(from), offsets: resultOffsets };
}

function trimmed({ text, offsets }: TracedText): TracedText {
  const start = text.length - text.trimStart().length;
  return { text: text.trim(), offsets: offsets.slice(start, start + text.trim().length) };
}
