/**
 * Maps a playout position to the words played out so far. Text becomes audio through a synthesizer that may or may not report
 * where each character lies; `SpokenText` keeps text and timings, and answers in words of the original: a number, amount or
 * date that is spoken in many words counts as played out with the last of them.
 */

/** Used until a context has reported character timings: about 15 characters a second. */
const TYPICAL_MS_PER_CHARACTER = 65;

/** A part of the original text and where its spoken form ends. */
export interface AlignedSpan {
  /** Offset in the segment's spoken form (UTF-16 units) up to which this span is spoken. */
  spokenEnd: number;
  /** The original with the space and markup beside it, without what is never spoken, such as a code block. */
  original: string;
}

export interface TextSegment {
  /** As the model wrote it. */
  original: string;
  /** As the synthesizer was given it. */
  spoken: string;
  /** The model says it itself: no synthesizer gets it. */
  voiced?: boolean;
  /**
   * The original in spans that are played out as a whole, in order. Without them a segment that is spoken as written is split
   * into words, and any other is one span.
   */
  spans?: readonly AlignedSpan[];
}

export interface SpokenText {
  /** Appends what was given to the synthesizer. */
  add(segment: TextSegment): void;
  /** Removes the segments from this index on, which the synthesizer was not given. */
  removeFrom(index: number): void;
  /** Adds the synthesizer's character timings; `text` continues where the last timings ended. */
  addTimings(text: string, startMs: readonly number[]): void;
  /** All of the text as the model wrote it, without what is never spoken. */
  fullText(): string;
  /**
   * Returns the words of the original that end before `positionMs`. `generatedMs` of audio exist; with `complete` that is all
   * of it.
   */
  playedOut(positionMs: number, generatedMs: number, complete: boolean): string;
}

const WHITESPACE = /\s/u;
const ALPHANUMERIC = /[\p{L}\p{M}\p{N}]/u;

export function createSpokenText(): SpokenText {
  const segments: { spokenLength: number; spans: readonly AlignedSpan[] }[] = [];
  let spoken = '';
  /** Start of each spoken character with a reported timing, in order. */
  const starts: number[] = [];

  /** Spoken characters played to their end before this moment. */
  function charactersBefore(positionMs: number, generatedMs: number, complete: boolean): number {
    const total = spoken.length;
    if (complete && positionMs >= generatedMs) return total;
    if (starts.length > 0 && positionMs < starts[starts.length - 1]!) {
      return Math.max(0, countBefore(starts, positionMs) - 1);
    }
    // Of the last timed character only the start is known.
    const known = Math.max(0, starts.length - 1);
    const knownMs = starts[known] ?? 0;
    if (complete && generatedMs > 0) {
      // The rest of the text is spread evenly over the rest of the audio.
      const share = (positionMs - knownMs) / Math.max(1, generatedMs - knownMs);
      return Math.min(total, known + Math.floor((total - known) * share));
    }
    return Math.min(total, known + Math.floor((positionMs - knownMs) / TYPICAL_MS_PER_CHARACTER));
  }

  /** Synthesizers report spaces they were not given and leave out punctuation, so only letters and digits have to agree. */
  function addTiming(character: string, atMs: number): void {
    while (starts.length < spoken.length) {
      const expected = spoken[starts.length]!;
      const agrees = expected === character || (WHITESPACE.test(expected) && WHITESPACE.test(character));
      if (agrees || ALPHANUMERIC.test(expected)) {
        if (agrees || ALPHANUMERIC.test(character)) starts.push(atMs);
        return;
      }
      if (!ALPHANUMERIC.test(character) && !WHITESPACE.test(expected)) return;
      starts.push(atMs);
    }
  }

  return {
    add(segment) {
      segments.push({ spokenLength: segment.spoken.length, spans: segment.spans ?? wordSpans(segment) });
      spoken += segment.spoken;
    },
    removeFrom(index) {
      const removed = segments.splice(index).reduce((length, segment) => length + segment.spokenLength, 0);
      spoken = spoken.slice(0, spoken.length - removed);
      starts.length = Math.min(starts.length, spoken.length);
    },
    addTimings(text, startMs) {
      for (let i = 0; i < Math.min(text.length, startMs.length); i++) addTiming(text[i]!, startMs[i]!);
    },
    fullText: () => segments.flatMap(({ spans }) => spans.map((span) => span.original)).join(''),
    playedOut(positionMs, generatedMs, complete) {
      if (positionMs <= 0) return '';
      let left = charactersBefore(positionMs, generatedMs, complete);
      let text = '';
      for (const { spokenLength, spans } of segments) {
        for (const { spokenEnd, original } of spans) {
          if (spokenEnd > left) return text.trim();
          text += original;
        }
        left -= spokenLength;
      }
      return text.trim();
    },
  };
}

function wordSpans({ original, spoken }: TextSegment): AlignedSpan[] {
  if (spoken === '' || spoken !== original.trim()) return [{ spokenEnd: spoken.length, original }];
  const leading = original.length - original.trimStart().length;
  return Array.from(original.matchAll(/\s*\S+(?:\s+$)?/gu), (match) => ({
    spokenEnd: Math.min(spoken.length, match.index + match[0].length - leading),
    original: match[0],
  }));
}

/** Counts the ascending moments before `ms` by binary search. */
function countBefore(ascending: readonly number[], ms: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
