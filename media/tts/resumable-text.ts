import { type Converter, createConverter } from '../audio/converter.ts';
import { type AudioFormat, FRAME_MS } from '../audio/format.ts';
import { frameBytes } from '../audio/silence.ts';
import { countAlphanumerics } from './character-alignment.ts';
import { createSynthesisProgress, type SynthesisProgress } from './synthesis-progress.ts';
import type { SynthesizerListener } from './synthesizer.ts';

/**
 * One text that several voices may speak, one after the other: its sound goes out in the line's format, its timings count
 * from the start of the whole, and who takes over goes on with the first word that was not said to its end.
 */
export interface ResumableText {
  /** Sound of the present speaker, milliseconds. */
  readonly audioMs: number;
  /** By all signs the present speaker has said everything it was given. */
  isSpoken(): boolean;
  /** More text, for whoever will speak it. */
  add(text: string): void;
  /** The present speaker is given this of it, and its sound will come in this format. */
  sent(text: string, output: AudioFormat): void;
  /** Another speaker, or the same once more, is given the rest: what that is. Null when nothing of it can be heard. */
  resumeWith(output: AudioFormat): string | null;
  audio(bytes: Uint8Array): void;
  /** Where characters lie, as the present speaker tells it. */
  timing(text: string, startMs: readonly number[]): void;
  /** The present speaker has said all; false when there were words, and nothing was ever heard of them. */
  finish(): boolean;
}

const NOTHING = new Uint8Array(0);

export function createResumableText(
  contextId: string,
  line: AudioFormat,
  listener: SynthesizerListener,
): ResumableText {
  const bytesPerMs = frameBytes(line) / FRAME_MS;
  let text = '';
  /** Sound given to the call, of all speakers. */
  let givenMs = 0;
  /** So much of the text was said before the present speaker began. */
  let from = 0;
  /** What the present speaker has said, as far as it tells. */
  let part: SynthesisProgress = createSynthesisProgress();
  let converter: Converter | null = null;

  function tell(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    givenMs += bytes.length / bytesPerMs;
    part.audioMs += bytes.length / bytesPerMs;
    listener({ type: 'audio', contextId, bytes });
  }

  /** Whole words only, and only those whose sound was given: what is left out is what another voice would say. */
  function tellTimings(all: boolean): void {
    const told = part.takeTimings(all);
    if (!told) return;
    const offsetMs = givenMs - part.audioMs;
    listener({ type: 'timing', contextId, text: told.text, startMs: told.startMs.map((ms) => ms + offsetMs) });
  }

  /** A voice that told no timings is followed by one that may: what was said gets a place, so that the rest finds its own. */
  function guessTimings(said: number): void {
    const offsetMs = givenMs - part.audioMs;
    const startMs = Array.from({ length: said }, (_, index) => offsetMs + (index / said) * part.audioMs);
    listener({ type: 'timing', contextId, text: text.slice(from, from + said), startMs });
  }

  return {
    get audioMs() {
      return part.audioMs;
    },
    isSpoken: () => part.isSpoken(),
    add(more) {
      text += more;
    },
    sent(more, output) {
      part.add(more);
      converter ??= createConverter(output, line);
    },
    resumeWith(output) {
      const said = part.spokenCharacters(text.slice(from));
      if (!part.hasTimings && said > 0) guessTimings(said);
      from += said;
      part = createSynthesisProgress();
      converter = createConverter(output, line);
      const rest = text.slice(from);
      part.add(rest);
      return countAlphanumerics(rest) > 0 ? rest : null;
    },
    audio(bytes) {
      if (converter) tell(converter.convert(bytes));
      tellTimings(false);
    },
    timing(told, startMs) {
      part.timing(told, startMs);
      tellTimings(false);
    },
    finish() {
      tell(converter?.flush() ?? NOTHING);
      if (givenMs === 0 && countAlphanumerics(text) > 0) return false;
      tellTimings(true);
      return true;
    },
  };
}
