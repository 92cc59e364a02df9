import { LINE_RATE } from './format.ts';

/**
 * Sample-rate conversion by a polyphase FIR filter that keeps its history, so that the output does not depend on how the
 * input is split. The prototype is a Kaiser-windowed sinc with its -6 dB point at half the lower rate;
 * its length is in samples of the lower rate, so delay and steepness are the same for every pair:
 * at 8 kHz flat (within 0.1 dB) to 3400 Hz, at least 60 dB down from 4600 Hz, 2 ms of delay. Frequencies between
 * 4000 and 4600 Hz alias to above 3400 Hz, where telephone audio has no content.
 */

/** Half the filter's length in samples of the lower rate: the group delay. */
const HALF_LENGTH = 16;
/** Kaiser window for about 72 dB: 0.1102 (72 - 8.7), Kaiser 1974. */
const KAISER_BETA = 6.98;
/** Limits the filter tables: 22050 -> 8000 Hz needs 160 and 441. */
const MAX_FACTOR = 1000;
/** Input samples per step; the working memory holds this and the filter's history. */
const SLICE = 960;

export interface Resampler {
  readonly fromHz: number;
  readonly toHz: number;
  /** Delay from input to output, in the audio's own time. */
  readonly delayMs: number;
  /** Largest number of samples that `process` may write for this many input samples. */
  maxOutput(inputSamples: number): number;
  /**
   * Writes the output for these samples to `target` and returns its length. After n input samples, ceil(n * to / from) have
   * been written: 20 ms in give exactly 20 ms out. Throws RangeError when the target is too small.
   */
  process(samples: Int16Array, target: Int16Array): number;
  /** Writes the last `delayMs` and resets. */
  flush(target: Int16Array): number;
  /** Clears the history. */
  reset(): void;
}

/** Output n is the sum of `taps` inputs, the latest being number floor(n * down / up), times the row (n * down) % up. */
export interface PolyphaseFilter {
  readonly up: number;
  readonly down: number;
  readonly taps: number;
  /** `up` rows of `taps` coefficients, oldest input first. */
  readonly rows: Float64Array;
}

const filters = new Map<string, PolyphaseFilter>();

export function createResampler(fromHz: number, toHz: number): Resampler {
  const { up, down, taps, rows } = filterFor(fromHz, toHz);
  const passThrough = up === down;
  const history = taps - 1;
  const wholeStep = Math.floor(down / up);
  const restStep = down % up;
  const work = new Float64Array(history + SLICE);
  const delayInput = passThrough ? 0 : Math.ceil((HALF_LENGTH * Math.max(up, down)) / up);
  // When upsampling, the input's own samples pass unchanged: the sinc is zero at all others.
  const copies = up > down;
  const middle = taps - 1 - HALF_LENGTH;
  const zeros = new Int16Array(delayInput);
  // The next output is `position` input samples and `phase` up-steps after the first sample of the next slice.
  let position = 0;
  let phase = 0;

  function reset(): void {
    work.fill(0);
    position = 0;
    phase = 0;
  }

  function slice(samples: Int16Array, from: number, count: number, target: Int16Array, start: number): number {
    for (let i = 0; i < count; i++) work[history + i] = samples[from + i]!;
    let written = start;
    // Locals are faster: the loop below runs some ten thousand times per frame.
    let at = position;
    let row = phase;
    while (at < count) {
      const sum = copies && row === 0 ? work[at + middle]! : dot(rows, row * taps, work, at, taps);
      const value = Math.round(sum);
      target[written++] = value > 32767 ? 32767 : value < -32768 ? -32768 : value;
      at += wholeStep;
      row += restStep;
      if (row >= up) {
        row -= up;
        at++;
      }
    }
    position = at;
    phase = row;
    position -= count;
    work.copyWithin(0, count, count + history);
    return written;
  }

  function maxOutput(inputSamples: number): number {
    return Math.ceil((inputSamples * up) / down) + 1;
  }

  function process(samples: Int16Array, target: Int16Array): number {
    if (passThrough) {
      if (target.length < samples.length) throw new RangeError('the target of the resampler is too small');
      target.set(samples);
      return samples.length;
    }
    // The exact output length, so that a target too small is rejected before anything has changed.
    const due = Math.max(0, Math.ceil(((samples.length - position) * up - phase) / down));
    if (target.length < due) throw new RangeError('the target of the resampler is too small');
    let written = 0;
    for (let from = 0; from < samples.length; from += SLICE) {
      written = slice(samples, from, Math.min(SLICE, samples.length - from), target, written);
    }
    return written;
  }

  return {
    fromHz,
    toHz,
    delayMs: conversionDelayMs(fromHz, toHz),
    maxOutput,
    process,
    flush(target) {
      const written = process(zeros, target);
      reset();
      return written;
    },
    reset,
  };
}

/** `delayMs` of a resampler between these rates. */
export function conversionDelayMs(fromHz: number, toHz: number): number {
  return fromHz === toHz ? 0 : (HALF_LENGTH * 1000) / Math.min(fromHz, toHz);
}

/** Converts a stream's frames to telephone audio at 8 kHz, as `createRateConverter` does. */
export const createNarrowbandConverter = (rateHz: number) => createRateConverter(rateHz, LINE_RATE);

export type RateConverter = (samples: Int16Array) => Int16Array;

/**
 * Creates a function that converts a stream's frames to another rate: frames of 20 ms, or of any length that gives whole samples.
 * The result is valid until the next call; between equal rates it is the given array.
 */
export function createRateConverter(fromHz: number, toHz: number): RateConverter {
  if (fromHz === toHz) return (samples) => samples;
  const resampler = createResampler(fromHz, toHz);
  let output = new Int16Array(0);
  return (samples) => {
    const capacity = resampler.maxOutput(samples.length);
    if (output.length < capacity) output = new Int16Array(capacity);
    return output.subarray(0, resampler.process(samples, output));
  };
}

function dot(rows: Float64Array, row: number, work: Float64Array, at: number, taps: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let i = 0;
  for (; i + 3 < taps; i += 4) {
    a += rows[row + i]! * work[at + i]!;
    b += rows[row + i + 1]! * work[at + i + 1]!;
    c += rows[row + i + 2]! * work[at + i + 2]!;
    d += rows[row + i + 3]! * work[at + i + 3]!;
  }
  for (; i < taps; i++) a += rows[row + i]! * work[at + i]!;
  return a + b + c + d;
}

/**
 * The filter of `createResampler`. Computes a pair's rows once and shares them: the largest (22050 -> 8000 Hz) has 160 rows of 89.
 * Throws RangeError for rates without a small ratio.
 */
export function filterFor(fromHz: number, toHz: number): PolyphaseFilter {
  if (!Number.isInteger(fromHz) || !Number.isInteger(toHz) || fromHz < 1 || toHz < 1) {
    throw new RangeError(`no resampling from ${fromHz} to ${toHz} Hz`);
  }
  const divisor = greatestCommonDivisor(fromHz, toHz);
  const up = toHz / divisor;
  const down = fromHz / divisor;
  if (Math.max(up, down) > MAX_FACTOR) throw new RangeError(`no resampling from ${fromHz} to ${toHz} Hz`);
  const key = `${up}/${down}`;
  let filter = filters.get(key);
  if (!filter) {
    filter = up === down ? { up, down, taps: 1, rows: new Float64Array([1]) } : design(up, down);
    filters.set(key, filter);
  }
  return filter;
}

function design(up: number, down: number): PolyphaseFilter {
  const factor = Math.max(up, down);
  const centre = HALF_LENGTH * factor;
  const length = 2 * centre;
  const taps = Math.ceil(length / up);
  const rows = new Float64Array(up * taps);
  const scale = bessel0(KAISER_BETA);
  for (let phase = 0; phase < up; phase++) {
    let sum = 0;
    for (let tap = 0; tap < taps; tap++) {
      const index = phase + tap * up;
      if (index >= length) continue;
      const periods = (index - centre) / factor;
      const edge = (index - centre) / centre;
      const window = bessel0(KAISER_BETA * Math.sqrt(1 - edge * edge)) / scale;
      const value = window * (periods === 0 ? 1 : Math.sin(Math.PI * periods) / (Math.PI * periods));
      rows[phase * taps + (taps - 1 - tap)] = value;
      sum += value;
    }
    // Every phase passes a constant unchanged; otherwise a DC offset would sound at the phase rate.
    for (let tap = 0; tap < taps; tap++) rows[phase * taps + tap]! /= sum;
  }
  return { up, down, taps, rows };
}

/** The modified Bessel function of order zero, by its power series. */
function bessel0(x: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 1; term > sum * 1e-16; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
