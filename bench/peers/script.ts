import { loadSpeech } from '../../fixtures/speech.ts';
import { createResampler } from '../../media/audio/resample.ts';
import { lineNoise } from '../load-caller.ts';
import { framesOf } from '../load-phone.ts';

/** What is said in every call of `make peers`, and the delays that the providers are set to. */

export const END_OF_TURN_MS = 200;
export const FIRST_TOKEN_MS = 250;
export const FIRST_AUDIO_MS = 120;
export const SCRIPTED_MS = END_OF_TURN_MS + FIRST_TOKEN_MS + FIRST_AUDIO_MS;
export const ANSWER = 'Certainly, I have a table for two people by the window.';
/** PCM16 frames of 20 ms for a peer that takes no telephone audio. */
export const WIDE_RATE = 16_000;

/** The rate of recordings. */
const RATE = 8_000;
const WIDE_FRAME_SAMPLES = WIDE_RATE / 50;

/** A recorded question; its speech in seconds from its first sample. */
export interface Question {
  text: string;
  start: number;
  end: number;
  /** Base64 µ-law at 8 kHz. */
  narrow: string[];
  /** The same audio, PCM16 at 16 kHz. */
  wide: Buffer[];
}

export const QUESTIONS: readonly Question[] = ['short-two-people', 'short-friday-evening', 'short-seven-thirty'].map(
  (name) => {
    const { text, speech, samples } = loadSpeech(name);
    return {
      text,
      start: speech[0]!.start / RATE,
      end: speech.at(-1)!.end / RATE,
      narrow: framesOf(samples),
      wide: wideFramesOf(samples),
    };
  },
);

export const WIDE_NOISE = wideFramesOf(lineNoise());

function wideFramesOf(samples: Int16Array): Buffer[] {
  const resampler = createResampler(RATE, WIDE_RATE);
  const wide = new Int16Array(resampler.maxOutput(samples.length));
  const length = resampler.process(samples, wide);
  const frames: Buffer[] = [];
  for (let from = 0; from + WIDE_FRAME_SAMPLES <= length; from += WIDE_FRAME_SAMPLES) {
    frames.push(Buffer.from(wide.slice(from, from + WIDE_FRAME_SAMPLES).buffer));
  }
  return frames;
}
