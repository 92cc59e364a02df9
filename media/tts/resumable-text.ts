import { type Converter, createConverter } from '../audio/converter.ts';
import { type AudioFormat, FRAME_MS, frameBytes } from '../audio/format.ts';
import { countAlphanumerics } from './character-alignment.ts';
import { createSynthesisProgress } from './synthesis-progress.ts';
import type { SynthesizerListener } from './synthesizer.ts';

/**
 * One text that several synthesizers may speak, one after the other. Its audio is emitted in the call's format, its timings
 * count from the start of the whole, and the next synthesizer resumes with the first word that was not spoken completely.
 */
export interface ResumableText {
  /** Audio of the present synthesizer, in milliseconds. */
  readonly audioMs: number;
  /** The present synthesizer has spoken everything it was sent, as far as can be known. */
  isSpoken(): boolean;
  /** Appends text, whether it can be sent now or not. */
  add(text: string): void;
  /** The present synthesizer was sent this part of it; its audio comes in this format. */
  sent(text: string, output: AudioFormat): void;
  /** Starts another synthesizer, or the same once more: returns the rest of the text, or null when it has no letters. */
  resumeWith(output: AudioFormat): string | null;
  audio(bytes: Uint8Array): void;
  /** A timing of the present synthesizer. */
  timing(text: string, startMs: readonly number[]): void;
  /** The present synthesizer is done; false when there were words and no audio of them ever came. */
  finish(): boolean;
}

const NO_AUDIO = new Uint8Array(0);

export function createResumableText(
  contextId: string,
  outputFormat: AudioFormat,
  listener: SynthesizerListener,
): ResumableText {
  const bytesPerMs = frameBytes(outputFormat) / FRAME_MS;
  let text = '';
  /** Audio emitted, of all synthesizers. */
  let emittedMs = 0;
  /** Where in the text the present synthesizer began. */
  let from = 0;
  let progress = createSynthesisProgress();
  let converter: Converter | null = null;

  function emitAudio(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    emittedMs += bytes.length / bytesPerMs;
    progress.audioMs += bytes.length / bytesPerMs;
    listener({ type: 'audio', contextId, bytes });
  }

  /** Where the present synthesizer's audio begins. */
  function offsetMs(): number {
    return emittedMs - progress.audioMs;
  }

  /** Emits whole words only, and only those whose audio was emitted: another synthesizer would speak the others again. */
  function emitTimings(all: boolean): void {
    const timed = progress.takeTimings(all);
    if (!timed) return;
    const offset = offsetMs();
    listener({ type: 'timing', contextId, text: timed.text, startMs: timed.startMs.map((ms) => ms + offset) });
  }

  /** Spreads the spoken text evenly, so that timings of the next synthesizer continue at the right character. */
  function emitEstimatedTimings(spoken: number): void {
    const offset = offsetMs();
    const startMs = Array.from({ length: spoken }, (_, index) => offset + (index / spoken) * progress.audioMs);
    listener({ type: 'timing', contextId, text: text.slice(from, from + spoken), startMs });
  }

  return {
    get audioMs() {
      return progress.audioMs;
    },
    isSpoken: () => progress.isSpoken(),
    add(more) {
      text += more;
    },
    sent(part, output) {
      progress.add(part);
      converter ??= createConverter(output, outputFormat);
    },
    resumeWith(output) {
      const spoken = progress.spokenCharacters(text.slice(from));
      if (!progress.hasTimings && spoken > 0) emitEstimatedTimings(spoken);
      from += spoken;
      progress = createSynthesisProgress();
      converter = createConverter(output, outputFormat);
      const rest = text.slice(from);
      progress.add(rest);
      return countAlphanumerics(rest) > 0 ? rest : null;
    },
    audio(bytes) {
      if (converter) emitAudio(converter.convert(bytes));
      emitTimings(false);
    },
    timing(timedText, startMs) {
      progress.timing(timedText, startMs);
      emitTimings(false);
    },
    finish() {
      emitAudio(converter?.flush() ?? NO_AUDIO);
      if (emittedMs === 0 && countAlphanumerics(text) > 0) return false;
      emitTimings(true);
      return true;
    },
  };
}
