/**
 * How much of what was said has been heard. Text becomes audio through a provider that may or may not tell where each
 * character lies; `SpokenText` keeps both and answers "which words lie before this moment?". What is answered are words of
 * the original: a number, an amount or a date that was read out in many words was heard when the last of them was.
 */

/** Used until a context has told how long its characters take: about 15 characters a second. */
const TYPICAL_MS_PER_CHARACTER = 65;

/** A part of the original and where its spoken form ends. */
export interface AlignedSpan {
  /** When so many characters (UTF-16 units) of the piece's spoken form were heard, this was. */
  spokenEnd: number;
  /** With the space and the markup beside it; what no voice reads, like a block of code, is left out. */
  original: string;
}

export interface TextSegment {
  /** As the model wrote it. */
  original: string;
  /** As the voice was given it. */
  spoken: string;
  /**
   * The original in parts that are heard as a whole, in order, made while the spoken form was. Without them a piece that is
   * spoken as it is written is heard word by word, and any other as a whole.
   */
  spans?: readonly AlignedSpan[];
}

export interface SpokenText {
  /** What was given to the voice, in order. */
  add(piece: TextSegment): void;
  /** The provider told where characters lie; `text` continues where the last timing ended. */
  addTimings(text: string, startMs: readonly number[]): void;
  /** All of the text as the model wrote it, less what no voice reads. */
  fullText(): string;
  /**
   * The words of the original whose sound lies before `heardMs`, cut at a whole word. `generatedMs` of audio exist,
   * all of it when `complete`.
   */
  playedOut(heardMs: number, generatedMs: number, complete: boolean): string;
}

const WHITESPACE = /\s/u;
const ALPHANUMERIC = /[\p{L}\p{M}\p{N}]/u;

export function createSpokenText(): SpokenText {
  const pieces: { spokenLength: number; stretches: readonly AlignedSpan[] }[] = [];
  let spoken = '';
  /** Start of each spoken character that the provider told, in order. */
  const starts: number[] = [];

  /** How many spoken characters were heard to their end before this moment. */
  function charactersBefore(heardMs: number, generatedMs: number, complete: boolean): number {
    const total = spoken.length;
    if (complete && heardMs >= generatedMs) return total;
    if (starts.length > 0 && heardMs < starts[starts.length - 1]!) return Math.max(0, countBefore(starts, heardMs) - 1);
    // The last character that was told has begun; where it ends was not told.
    const known = Math.max(0, starts.length - 1);
    const knownMs = starts[known] ?? 0;
    if (complete && generatedMs > 0) {
      // The rest is spread evenly over the rest of the audio.
      const share = (heardMs - knownMs) / Math.max(1, generatedMs - knownMs);
      return Math.min(total, known + Math.floor((total - known) * share));
    }
    return Math.min(total, known + Math.floor((heardMs - knownMs) / TYPICAL_MS_PER_CHARACTER));
  }

  /** A voice may tell spaces that it was not given, or leave out signs that make no sound: the letters have to agree. */
  function timed(character: string, atMs: number): void {
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
    add(piece) {
      pieces.push({ spokenLength: piece.spoken.length, stretches: piece.spans ?? wordSpans(piece) });
      spoken += piece.spoken;
    },
    addTimings(text, startMs) {
      for (let index = 0; index < Math.min(text.length, startMs.length); index++) timed(text[index]!, startMs[index]!);
    },
    fullText: () => pieces.flatMap(({ stretches }) => stretches.map((stretch) => stretch.original)).join(''),
    playedOut(heardMs, generatedMs, complete) {
      if (heardMs <= 0) return '';
      let left = charactersBefore(heardMs, generatedMs, complete);
      let text = '';
      for (const { spokenLength, stretches } of pieces) {
        for (const { spokenEnd, original } of stretches) {
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

/** Binary search: how many of the ascending moments lie before this one. */
function countBefore(ascending: readonly number[], moment: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}
