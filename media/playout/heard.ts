/**
 * How much of what was said has been heard. Text becomes audio through a provider that may or may not tell where each
 * character lies; `SpokenText` keeps both and answers "which words lie before this moment?".
 */

/** Used until a context has told how long its characters take: about 15 characters a second. */
const TYPICAL_MS_PER_CHARACTER = 65;

export interface Piece {
  /** As the model wrote it, for the transcript. */
  original: string;
  /** As the voice was given it. */
  spoken: string;
}

export interface SpokenText {
  /** What was given to the voice, in order. */
  add(piece: Piece): void;
  /** The provider told where characters lie; `text` continues where the last timing ended. */
  timing(text: string, startMs: readonly number[]): void;
  /** All of the text as the model wrote it. */
  whole(): string;
  /**
   * The words of the original whose sound lies before `heardMs`, cut at a whole word. `generatedMs` of audio exist,
   * all of it when `complete`.
   */
  before(heardMs: number, generatedMs: number, complete: boolean): string;
}

export function createSpokenText(): SpokenText {
  const pieces: Piece[] = [];
  /** Start of each spoken character that the provider told, in order. */
  const starts: number[] = [];

  function spokenLength(): number {
    let length = 0;
    for (const piece of pieces) length += piece.spoken.length;
    return length;
  }

  /** How many spoken characters begin before this moment. */
  function charactersBefore(heardMs: number, generatedMs: number, complete: boolean): number {
    const total = spokenLength();
    if (complete && heardMs >= generatedMs) return total;
    if (starts.length > 0 && heardMs < starts[starts.length - 1]!) return countBefore(starts, heardMs);
    if (complete && generatedMs > 0) {
      // The rest after the last told character is spread evenly over the rest of the audio.
      const knownMs = starts.length > 0 ? starts[starts.length - 1]! : 0;
      const share = (heardMs - knownMs) / Math.max(1, generatedMs - knownMs);
      return Math.min(total, starts.length + Math.floor((total - starts.length) * share));
    }
    const knownMs = starts.length > 0 ? starts[starts.length - 1]! : 0;
    return Math.min(total, starts.length + Math.floor((heardMs - knownMs) / TYPICAL_MS_PER_CHARACTER));
  }

  return {
    add(piece) {
      pieces.push(piece);
    },
    timing(text, startMs) {
      for (let index = 0; index < Math.min(text.length, startMs.length); index++) starts.push(startMs[index]!);
    },
    whole: () => pieces.map((piece) => piece.original).join(''),
    before(heardMs, generatedMs, complete) {
      if (heardMs <= 0) return '';
      let left = charactersBefore(heardMs, generatedMs, complete);
      let text = '';
      for (const piece of pieces) {
        if (left >= piece.spoken.length) {
          text += piece.original;
          left -= piece.spoken.length;
          continue;
        }
        const share = piece.spoken.length === 0 ? 0 : left / piece.spoken.length;
        text += wholeWords(piece.original, Math.floor(piece.original.length * share));
        break;
      }
      return text.trim();
    },
  };
}

/** The first `length` characters, less a word that was begun but not finished. */
function wholeWords(text: string, length: number): string {
  if (length >= text.length) return text;
  if (/\s/.test(text[length]!)) return text.slice(0, length);
  const lastSpace = text.slice(0, length).search(/\s\S*$/);
  return lastSpace < 0 ? '' : text.slice(0, lastSpace);
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
