import { seededRandom } from '../../support/seeded-random.ts';

/** Test signals. */

/** A sine; `amplitude` 1 is full scale. */
export function tone(frequencyHz: number, rateHz: number, samples: number, amplitude = 0.5): Int16Array {
  return Int16Array.from({ length: samples }, (_, i) =>
    Math.round(amplitude * 32767 * Math.sin((2 * Math.PI * frequencyHz * i) / rateHz)),
  );
}

export function noise(samples: number, seed = 1): Int16Array {
  const random = seededRandom(seed);
  return Int16Array.from({ length: samples }, () => Math.round((random() - 0.5) * 40000));
}

/** How strong one frequency is in the samples (1: a full-scale sine), seen through a Blackman-Harris window. */
export function strength(samples: Int16Array, frequencyHz: number, rateHz: number): number {
  let re = 0;
  let im = 0;
  let total = 0;
  for (let i = 0; i < samples.length; i++) {
    const x = (2 * Math.PI * i) / (samples.length - 1);
    const window = 0.35875 - 0.48829 * Math.cos(x) + 0.14128 * Math.cos(2 * x) - 0.01168 * Math.cos(3 * x);
    const angle = (2 * Math.PI * frequencyHz * i) / rateHz;
    re += window * samples[i]! * Math.cos(angle);
    im -= window * samples[i]! * Math.sin(angle);
    total += window;
  }
  return (2 * Math.hypot(re, im)) / total / 32767;
}

export function decibels(ratio: number): number {
  return 20 * Math.log10(Math.max(ratio, 1e-9));
}

export function pcmBytes(samples: Int16Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength).slice();
}

export function pcmSamples(bytes: Uint8Array): Int16Array {
  return new Int16Array(bytes.slice().buffer);
}
