import { createResampler } from '../audio/resample.ts';

/** Windows of one stream that may wait: 1.2 s, which a stalled network delivers at once, and what comes in meanwhile. */
export const MAX_WAITING_WINDOWS = 45;
/**
 * Audio before a window that is resampled with it when the window before was not: the model's context, and as much again for
 * the filter, which reaches back 4 ms at 8 kHz. The result is that of unbroken resampling.
 */
const PREROLL_MS = 8;
const WINDOW_MS = 32;

/** The model's input: see `BatchModel`. */
export interface WindowShape {
  rateHz: number;
  windowSamples: number;
  contextSamples: number;
}

/**
 * One stream's audio in windows of 32 ms, resampled to the model's rate only when the model is run: most windows of a call
 * hold only noise.
 */
export interface VadWindows {
  /** Number of full windows. */
  readonly waiting: number;
  /** Copies the samples; calls `onWindow` for each window that they fill, which may take or skip windows. */
  push(samples: Int16Array, atMs: number, onWindow: () => void): void;
  /** The oldest window, at the stream's own rate, valid until it is taken or skipped. */
  readonly oldest: Int16Array;
  /** When the last sample of the oldest came in. */
  readonly oldestEndMs: number;
  /** Removes the oldest. */
  skip(): void;
  /** Removes the oldest and writes it, with the context before it, at the model's rate to `rows` from `start` on. */
  take(rows: Float32Array, start: number): void;
}

/** @throws RangeError for a rate that has no whole samples in 32 ms, or cannot be converted. */
export function createVadWindows(fromHz: number, { rateHz, windowSamples, contextSamples }: WindowShape): VadWindows {
  const length = (fromHz * WINDOW_MS) / 1_000;
  if (!Number.isInteger(length)) throw new RangeError(`no windows of ${WINDOW_MS} ms at ${fromHz} Hz`);
  const resampler = createResampler(fromHz, rateHz);
  const prerollSamples = (fromHz * PREROLL_MS) / 1_000;
  const converted = new Int16Array(resampler.maxOutput(length));
  const context = new Float32Array(contextSamples);
  // Besides those that may wait: the one being filled, and the one before the oldest.
  const slots = MAX_WAITING_WINDOWS + 2;
  const windows = Array.from({ length: slots }, () => new Int16Array(length));
  const endMs = new Float64Array(slots);
  let head = 0;
  let waiting = 0;
  let filled = 0;
  /** The window before the oldest was resampled. */
  let unbroken = false;

  function removeOldest(): void {
    head = (head + 1) % slots;
    waiting--;
  }

  function skip(): void {
    unbroken = false;
    removeOldest();
  }

  function primeResampler(): void {
    resampler.reset();
    const before = windows[(head + slots - 1) % slots]!;
    const count = resampler.process(before.subarray(length - prerollSamples), converted);
    for (let i = 0; i < contextSamples; i++) context[i] = converted[count - contextSamples + i]! / 32768;
  }

  return {
    get waiting() {
      return waiting;
    },
    get oldest() {
      return windows[head]!;
    },
    get oldestEndMs() {
      return endMs[head]!;
    },
    push(samples, atMs, onWindow) {
      for (let at = 0; at < samples.length; ) {
        const slot = (head + waiting) % slots;
        const window = windows[slot]!;
        const end = Math.min(samples.length, at + length - filled);
        let to = filled;
        for (; at < end; at++) window[to++] = samples[at]!;
        filled = to;
        if (filled < length) return;
        filled = 0;
        endMs[slot] = atMs - ((samples.length - at) * 1_000) / fromHz;
        waiting++;
        onWindow();
      }
    },
    skip,
    take(rows, start) {
      if (!unbroken) primeResampler();
      unbroken = true;
      resampler.process(windows[head]!, converted);
      const from = start + contextSamples;
      for (let i = 0; i < contextSamples; i++) rows[start + i] = context[i]!;
      for (let i = 0; i < windowSamples; i++) rows[from + i] = converted[i]! / 32768;
      for (let i = 0; i < contextSamples; i++) context[i] = rows[from + windowSamples - contextSamples + i]!;
      removeOldest();
    },
  };
}
