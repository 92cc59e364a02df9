import { LINE_RATE } from './format.ts';
import { createResampler } from './resample.ts';

/**
 * A stream's frames as telephone sound, for what knows nothing else. Takes frames of 20 ms, or of any length that gives whole
 * samples at 8 kHz. What is returned is valid until the next call; at 8 kHz it is what was given.
 */
export function createNarrowbandConverter(rateHz: number): (samples: Int16Array) => Int16Array {
  if (rateHz === LINE_RATE) return (samples) => samples;
  const resampler = createResampler(rateHz, LINE_RATE);
  let narrow = new Int16Array(0);
  return (samples) => {
    const room = resampler.maxOutput(samples.length);
    if (narrow.length < room) narrow = new Int16Array(room);
    return narrow.subarray(0, resampler.process(samples, narrow));
  };
}
