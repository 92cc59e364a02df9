import { countAlphanumerics, positionAfter, wordStart } from './character-alignment.ts';
import type { TimedText } from './word-timing.ts';

/**
 * How much of a text one synthesizer has spoken, as far as is known: by the positions of its characters, where it sends
 * them, and by the length of its audio.
 */
export interface SynthesisProgress {
  /** Audio received, in milliseconds. */
  audioMs: number;
  /** More text was sent to the synthesizer. */
  add(text: string): void;
  /** A timing of the synthesizer; it continues the one before. */
  timing(text: string, startMs: readonly number[]): void;
  /** Returns the timings of the whole words whose audio was received (`all`: of everything), once each; null: none. */
  takeTimings(all: boolean): TimedText | null;
  /** The synthesizer sends timings. */
  readonly hasTimings: boolean;
  /** Everything that was sent has been spoken, as far as can be known. */
  isSpoken(): boolean;
  /** Returns how many characters of `text` were spoken, in whole words: where another synthesizer would begin. */
  spokenCharacters(text: string): number;
}

/** An average, for synthesizers without timings. */
const MS_PER_CHARACTER = 65;

export function createSynthesisProgress(): SynthesisProgress {
  let sent = '';
  let timed = '';
  const starts: number[] = [];
  let taken = 0;

  /** Counts the timed characters that lie before the end of the audio, up to a whole word. */
  function wholeWords(audioMs: number): number {
    let count = 0;
    while (count < starts.length && starts[count]! < audioMs) count++;
    // A character ends where the next one begins, so the last one may not be complete.
    if (count < timed.length || !/\s$/.test(timed)) {
      while (count > 0 && !(/\s/.test(timed[count - 1]!) || (count < timed.length && /\s/.test(timed[count]!))))
        count--;
    }
    return count;
  }

  const progress: SynthesisProgress = {
    audioMs: 0,
    add(text) {
      sent += text;
    },
    timing(text, startMs) {
      const count = Math.min(text.length, startMs.length);
      timed += text.slice(0, count);
      for (let index = 0; index < count; index++) starts.push(startMs[index]!);
    },
    takeTimings(all) {
      const until = all ? timed.length : wholeWords(progress.audioMs);
      if (until <= taken) return null;
      const timings = { text: timed.slice(taken, until), startMs: starts.slice(taken, until) };
      taken = until;
      return timings;
    },
    get hasTimings() {
      return starts.length > 0;
    },
    isSpoken() {
      if (starts.length > 0) return countAlphanumerics(timed) >= countAlphanumerics(sent);
      return progress.audioMs >= sent.trim().length * MS_PER_CHARACTER * 0.6;
    },
    spokenCharacters(text) {
      if (progress.audioMs === 0) return 0;
      if (starts.length === 0) return wordStart(text, Math.floor(progress.audioMs / MS_PER_CHARACTER));
      const until = Math.max(taken, wholeWords(progress.audioMs));
      return positionAfter(text, countAlphanumerics(timed.slice(0, until)));
    },
  };
  return progress;
}
