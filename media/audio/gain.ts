import { type AudioFormat, FRAME_SAMPLES, LINE_RATE } from './format.ts';
import { readSamples, writeSamples } from './samples.ts';

/** A change is never faster than this: a step in the middle of a wave is heard as a click. */
const MIN_RAMP_MS = 5;

export interface Gain {
  /**
   * From the next sample on, goes to `target` (0 is silence, 1 leaves the sound as it is) in a straight line over
   * `overMs` of sound, at least 5 ms. A new call takes over from wherever the last one has got to. Throws RangeError
   * for a target below 0 or not finite.
   */
  set(target: number, overMs: number): void;
  /**
   * The frame with its gain. At a steady gain of 1 that is the frame itself, untouched; otherwise memory of the gain's
   * own, valid until the next call. The frame given is never written to.
   */
  apply(frame: Uint8Array, encoding: AudioFormat['encoding']): Uint8Array;
  /** The same for samples, in place. */
  applyTo(samples: Int16Array): void;
  /** The gain of the next sample. */
  readonly level: number;
}

/** The loudness of one stream, changed without clicks. Starts at 1. */
export function createGain(rateHz = LINE_RATE): Gain {
  let level = 1;
  let target = 1;
  /** What the level gains with every sample, for so many samples still. */
  let step = 0;
  let left = 0;
  let decoded = new Int16Array(FRAME_SAMPLES);
  let output = new Uint8Array(FRAME_SAMPLES);

  function scale(samples: Int16Array): void {
    for (let i = 0; i < samples.length; i++) {
      const value = Math.round(samples[i]! * level);
      samples[i] = value > 32767 ? 32767 : value < -32768 ? -32768 : value;
      if (left === 0) continue;
      left--;
      // Counted from the end, so that it is met exactly.
      level = target - step * left;
    }
  }

  return {
    set(to, overMs) {
      if (!(to >= 0) || !Number.isFinite(to)) throw new RangeError(`a gain of ${to}`);
      target = to;
      left = target === level ? 0 : Math.max(1, Math.round((Math.max(MIN_RAMP_MS, overMs) * rateHz) / 1000));
      step = left === 0 ? 0 : (target - level) / left;
    },
    apply(frame, encoding) {
      if (level === 1 && left === 0) return frame;
      const count = encoding === 'pcm16' ? frame.length >> 1 : frame.length;
      if (decoded.length !== count) decoded = new Int16Array(count);
      if (output.length !== frame.length) output = new Uint8Array(frame.length);
      readSamples(frame, encoding, decoded);
      scale(decoded);
      writeSamples(decoded, encoding, output);
      return output;
    },
    applyTo(samples) {
      if (level !== 1 || left !== 0) scale(samples);
    },
    get level() {
      return level;
    },
  };
}
