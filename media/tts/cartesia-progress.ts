import { readWords } from './cartesia-protocol.ts';
import { createWordTiming, type TimedText } from './word-timing.ts';

/**
 * How far Cartesia has come with what it was sent, for one reply. A reply may need several contexts on the wire, one
 * after the other; the provider's times count from the start of each, ours from the start of the reply.
 */
export interface CartesiaProgress {
  /** Sound that came, of the whole reply. */
  readonly audioMs: number;
  /** All that was sent has come, as far as the provider tells. */
  readonly spoken: boolean;
  /** The next piece begins a fresh context on the wire. */
  begin(): void;
  segment(text: string): void;
  audio(ms: number): void;
  /** A `word_timestamps`, whatever it holds. */
  words(value: unknown): TimedText | null;
  /** A piece is spoken; told is what its words left out. */
  flushed(): TimedText | null;
  /** No more comes. */
  finished(): TimedText | null;
}

export function createCartesiaProgress(): CartesiaProgress {
  const timing = createWordTiming();
  let soundMs = 0;
  /** Pieces of this context, and those that are spoken. */
  let pieces = 0;
  let flushes = 0;
  let beganMs = 0;
  /** What the provider's times are counted from. */
  let baseMs = 0;
  /** Where the last spoken piece ended. */
  let flushedMs = 0;
  let lastWordMs = 0;

  return {
    get audioMs() {
      return soundMs;
    },
    get spoken() {
      return soundMs > beganMs && (flushes >= pieces || timing.complete);
    },
    begin() {
      pieces = 0;
      flushes = 0;
      beganMs = soundMs;
      baseMs = soundMs;
      flushedMs = soundMs;
      lastWordMs = soundMs;
    },
    segment(text) {
      pieces++;
      timing.add(text);
    },
    audio(ms) {
      soundMs += ms;
    },
    words(value) {
      const words = readWords(value);
      const first = words[0];
      if (!first) return null;
      // The vendor counts from the start of the context. Should it begin anew with a piece, the flush tells where.
      if (first.startMs + baseMs < lastWordMs - 1 && flushedMs > baseMs) baseMs = flushedMs;
      for (const word of words) {
        word.startMs += baseMs;
        word.endMs += baseMs;
      }
      lastWordMs = words.at(-1)!.startMs;
      return timing.words(words);
    },
    flushed() {
      flushes++;
      flushedMs = soundMs;
      return flushes < pieces ? null : timing.rest(soundMs);
    },
    finished: () => timing.rest(soundMs),
  };
}
