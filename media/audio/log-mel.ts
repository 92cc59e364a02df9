/**
 * Log-mel features for Whisper and models built on its encoder, equal to those of transformers' `WhisperFeatureExtractor`
 * with `chunk_length=8` for 8 s at 16 kHz. The signal is normalized to mean 0 and variance 1; frames of 25 ms every
 * 10 ms (400 and 160 samples), centred, mirrored at both ends; a periodic Hann window; the power spectrum; 80 triangles on
 * Slaney's mel scale from 0 to 8000 Hz, each of the same area; the logarithm to base 10, no lower than 8 below the highest;
 * plus 4, divided by 4.
 */

export const MEL_RATE_HZ = 16_000;
export const MEL_BINS = 80;
export const MEL_FRAMES = 800;
const FRAME = 400;
const HOP = 160;
/** 8 s. */
export const MEL_SAMPLES = MEL_FRAMES * HOP;
const SPECTRUM = FRAME / 2 + 1;
const VARIANCE_FLOOR = 1e-7;
const POWER_FLOOR = 1e-10;
const RANGE = 8;
/** 400 = 4 · 4 · 5 · 5. */
const RADICES = [4, 4, 5, 5];

export interface LogMel {
  /**
   * Computes the features of exactly `MEL_SAMPLES` samples of any scale into `features` (`MEL_BINS` rows of `MEL_FRAMES`).
   * Throws RangeError for other lengths. About 20 ms of work.
   */
  compute(samples: Float32Array, features: Float32Array): void;
}

/** Creates an extractor with its own working memory, for one thread. */
export function createLogMel(): LogMel {
  const window = Float64Array.from({ length: FRAME }, (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / FRAME));
  const filters = melFilters();
  const signal = new Float64Array(MEL_SAMPLES + FRAME);
  const power = new Float64Array(SPECTRUM);
  const nextPower = new Float64Array(SPECTRUM);
  const transform = createTransform();

  function normalize(samples: Float32Array): void {
    let sum = 0;
    for (const sample of samples) sum += sample;
    const mean = sum / MEL_SAMPLES;
    let squares = 0;
    for (const sample of samples) squares += (sample - mean) ** 2;
    const scale = 1 / Math.sqrt(squares / MEL_SAMPLES + VARIANCE_FLOOR);
    const half = FRAME / 2;
    for (let at = 0; at < MEL_SAMPLES; at++) signal[half + at] = (samples[at]! - mean) * scale;
    for (let at = 1; at <= half; at++) {
      signal[half - at] = signal[half + at]!;
      signal[half + MEL_SAMPLES - 1 + at] = signal[half + MEL_SAMPLES - 1 - at]!;
    }
  }

  /** Transforms two frames at once, as the real and the imaginary part of one signal. */
  function spectra(first: number): void {
    const { re, im } = transform;
    for (let at = 0; at < FRAME; at++) {
      re[at] = signal[first + at]! * window[at]!;
      im[at] = signal[first + HOP + at]! * window[at]!;
    }
    transform.run();
    for (let k = 0; k < SPECTRUM; k++) {
      const mirror = (FRAME - k) % FRAME;
      const a = transform.outRe[k]!;
      const b = transform.outIm[k]!;
      const c = transform.outRe[mirror]!;
      const d = transform.outIm[mirror]!;
      power[k] = ((a + c) ** 2 + (b - d) ** 2) / 4;
      nextPower[k] = ((b + d) ** 2 + (c - a) ** 2) / 4;
    }
  }

  return {
    compute(samples, features) {
      if (samples.length !== MEL_SAMPLES || features.length !== MEL_BINS * MEL_FRAMES) {
        throw new RangeError(`log-mel wants ${MEL_SAMPLES} samples and ${MEL_BINS * MEL_FRAMES} features`);
      }
      normalize(samples);
      let highest = Number.NEGATIVE_INFINITY;
      for (let frame = 0; frame < MEL_FRAMES; frame += 2) {
        spectra(frame * HOP);
        for (const [bin, { from, weights }] of filters.entries()) {
          let left = 0;
          let right = 0;
          for (let at = 0; at < weights.length; at++) {
            left += weights[at]! * power[from + at]!;
            right += weights[at]! * nextPower[from + at]!;
          }
          const index = bin * MEL_FRAMES + frame;
          features[index] = Math.log10(Math.max(left, POWER_FLOOR));
          features[index + 1] = Math.log10(Math.max(right, POWER_FLOOR));
          highest = Math.max(highest, features[index]!, features[index + 1]!);
        }
      }
      const lowest = highest - RANGE;
      for (let at = 0; at < features.length; at++) features[at] = (Math.max(features[at]!, lowest) + 4) / 4;
    },
  };
}

/** Slaney's scale (Auditory Toolbox, 1998): linear to 1000 Hz at 15 mels, then 27 mels for each factor of 6.4. */
export function hertzToMel(hz: number): number {
  return hz < 1_000 ? (3 * hz) / 200 : 15 + (27 * Math.log(hz / 1_000)) / Math.log(6.4);
}

export function melToHertz(mel: number): number {
  return mel < 15 ? (200 * mel) / 3 : 1_000 * Math.exp((Math.log(6.4) * (mel - 15)) / 27);
}

interface MelFilter {
  /** The first frequency bin with a weight, and the weights from there on. */
  from: number;
  weights: Float64Array;
}

function melFilters(): MelFilter[] {
  const top = hertzToMel(MEL_RATE_HZ / 2);
  const corners = Array.from({ length: MEL_BINS + 2 }, (_, at) => melToHertz((top * at) / (MEL_BINS + 1)));
  return Array.from({ length: MEL_BINS }, (_, bin) => {
    const [low, middle, high] = corners.slice(bin, bin + 3) as [number, number, number];
    const weights = Array.from({ length: SPECTRUM }, (_, k) => {
      const hz = (k * MEL_RATE_HZ) / FRAME;
      const height = Math.min((hz - low) / (middle - low), (high - hz) / (high - middle));
      return (Math.max(0, height) * 2) / (high - low);
    });
    const from = Math.max(
      0,
      weights.findIndex((weight) => weight > 0),
    );
    const to = weights.findLastIndex((weight) => weight > 0);
    return { from, weights: Float64Array.from(weights.slice(from, to + 1)) };
  });
}

/** A discrete Fourier transform of 400 complex numbers by mixed radices (Cooley and Tukey, decimation in time). */
function createTransform() {
  const re = new Float64Array(FRAME);
  const im = new Float64Array(FRAME);
  const cos = Float64Array.from({ length: FRAME }, (_, at) => Math.cos((2 * Math.PI * at) / FRAME));
  const sin = Float64Array.from({ length: FRAME }, (_, at) => -Math.sin((2 * Math.PI * at) / FRAME));
  let fromRe = new Float64Array(FRAME);
  let fromIm = new Float64Array(FRAME);
  let toRe = new Float64Array(FRAME);
  let toIm = new Float64Array(FRAME);
  const order = digitReversed();
  const result = { re, im, outRe: fromRe, outIm: fromIm, run };

  function run(): void {
    for (let at = 0; at < FRAME; at++) {
      fromRe[at] = re[order[at]!]!;
      fromIm[at] = im[order[at]!]!;
    }
    let size = 1;
    for (const radix of RADICES) {
      combine(size, radix);
      size *= radix;
      [fromRe, toRe] = [toRe, fromRe];
      [fromIm, toIm] = [toIm, fromIm];
    }
    result.outRe = fromRe;
    result.outIm = fromIm;
  }

  /** Combines every `radix` neighbouring transforms of `size` into one of `size · radix`. */
  function combine(size: number, radix: number): void {
    const whole = size * radix;
    const step = FRAME / whole;
    for (let block = 0; block < FRAME; block += whole) {
      for (let k = 0; k < whole; k++) {
        const inner = block + (k % size);
        let sumRe = fromRe[inner]!;
        let sumIm = fromIm[inner]!;
        for (let part = 1; part < radix; part++) {
          const turn = (part * k * step) % FRAME;
          const a = fromRe[inner + part * size]!;
          const b = fromIm[inner + part * size]!;
          sumRe += a * cos[turn]! - b * sin[turn]!;
          sumIm += a * sin[turn]! + b * cos[turn]!;
        }
        toRe[block + k] = sumRe;
        toIm[block + k] = sumIm;
      }
    }
  }

  return result;
}

/** The input permutation: each stage splits by its radix, the last stage first. */
function digitReversed(): Uint16Array {
  const spread = (indices: number[], radices: readonly number[]): number[] => {
    const radix = radices.at(-1);
    if (radix === undefined) return indices;
    const parts = Array.from({ length: radix }, (_, part) => indices.filter((_index, at) => at % radix === part));
    return parts.flatMap((part) => spread(part, radices.slice(0, -1)));
  };
  return Uint16Array.from(spread([...Array(FRAME).keys()], RADICES));
}
