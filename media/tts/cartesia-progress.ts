import { readWords } from './cartesia-protocol.ts';
import { createWordTiming, type TimedText } from './word-timing.ts';

/**
 * How far Cartesia has come with what it was sent, for one reply. A reply may need several contexts at the provider, one
 * after the other; the provider's times count from the start of each, ours from the start of the reply.
 */
export interface CartesiaProgress {
  /** All that was sent has come, as far as the provider reports. */
  readonly spoken: boolean;
  /** The next segment begins a fresh context at the provider. */
  begin(): void;
  segment(text: string): void;
  /** A `word_timestamps`, whatever it holds. */
  words(value: unknown): TimedText | null;
  /** A segment is spoken; returns the times of what its words left out. */
  flushed(): TimedText | null;
  /** No more comes. */
  finished(): TimedText | null;
}

/** `audioMs`: the reply's audio received so far. */
export function createCartesiaProgress(audioMs: () => number): CartesiaProgress {
  const timing = createWordTiming();
  /** Segments of this context, and those that are spoken. */
  let segments = 0;
  let flushes = 0;
  let beganMs = 0;
  /** What the provider's times are counted from. */
  let baseMs = 0;
  /** Where the last spoken segment ended. */
  let flushedMs = 0;
  let lastWordMs = 0;

  return {
    get spoken() {
      return audioMs() > beganMs && (flushes >= segments || timing.complete);
    },
    begin() {
      segments = 0;
      flushes = 0;
      beganMs = audioMs();
      baseMs = beganMs;
      flushedMs = beganMs;
      lastWordMs = beganMs;
    },
    segment(text) {
      segments++;
      timing.add(text);
    },
    words(value) {
      const words = readWords(value);
      const first = words[0];
      if (!first) return null;
      // The vendor counts from the start of the context. Should it begin anew with a segment, the flush shows where.
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
      flushedMs = audioMs();
      return flushes < segments ? null : timing.rest(flushedMs);
    },
    finished: () => timing.rest(audioMs()),
  };
}
