import { type AudioFormat, FRAME_SAMPLES, LINE_RATE } from './format.ts';
import { readSamples, writeSamples } from './samples.ts';

/** Fastest change of the gain; a step is audible as a click. */
const MIN_RAMP_MS = 5;

export interface Gain {
  /**
   * Ramps the gain linearly from the next sample on to `target` (0 is silence, 1 leaves the audio unchanged) over
   * `overMs` of audio, at least 5 ms. A new call continues from the level reached. Throws RangeError
   * for a target below 0 or not finite.
   */
  set(target: number, overMs: number): void;
  /**
   * Returns the frame with the gain applied. At a steady gain of 1 that is the frame itself; otherwise memory of the gain's
   * own, valid until the next call. The given frame is not modified.
   */
  apply(frame: Uint8Array, encoding: AudioFormat['encoding']): Uint8Array;
  /** Applies the gain to samples in place. */
  applyTo(samples: Int16Array): void;
  /** The gain of the next sample. */
  readonly level: number;
}

/** Creates the gain of one stream, starting at 1. */
export function createGain(rateHz = LINE_RATE): Gain {
  let level = 1;
  let target = 1;
  /** Change of the level per sample, and the samples left of the ramp. */
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
      // Computed from the end, so that the target is reached exactly.
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
