import { createResampler } from '../audio/resample.ts';

/**
 * Audio before a window that is resampled with it when the window before was not: the model's context, and as much again for
 * the filter, which reaches back 4 ms at 8 kHz. The result is that of unbroken resampling.
 */
const PREROLL_MS = 8;
const WINDOW_MS = 32;

/** The model's input: see `SpeechModel`. */
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
  /** Copies the samples; calls `onWindow` for each window that they fill, at the stream's own rate. `endMs`: when its last sample came in. */
  push(samples: Int16Array, atMs: number, onWindow: (window: Int16Array, endMs: number) => void): void;
  /** Within `onWindow`: writes the window, with the context before it, at the model's rate. */
  convert(row: Float32Array): void;
}

/** @throws RangeError for a rate that has no whole samples in 32 ms, or cannot be converted. */
export function createVadWindows(fromHz: number, { rateHz, windowSamples, contextSamples }: WindowShape): VadWindows {
  const length = (fromHz * WINDOW_MS) / 1_000;
  if (!Number.isInteger(length)) throw new RangeError(`no windows of ${WINDOW_MS} ms at ${fromHz} Hz`);
  const resampler = createResampler(fromHz, rateHz);
  const output = new Int16Array(resampler.maxOutput(length));
  const context = new Float32Array(contextSamples);
  let window = new Int16Array(length);
  let before = new Int16Array(length);
  const prerollFrom = length - (fromHz * PREROLL_MS) / 1_000;
  let filled = 0;
  /** The window before this one was resampled … */
  let unbroken = false;
  /** … and this one. */
  let converted = false;

  function primeResampler(): void {
    resampler.reset();
    const count = resampler.process(before.subarray(prerollFrom), output);
    for (let i = 0; i < contextSamples; i++) context[i] = output[count - contextSamples + i]! / 32768;
  }

  return {
    push(samples, atMs, onWindow) {
      for (let at = 0; at < samples.length; ) {
        const end = Math.min(samples.length, at + length - filled);
        while (at < end) window[filled++] = samples[at++]!;
        if (filled < length) return;
        filled = 0;
        converted = false;
        onWindow(window, atMs - ((samples.length - at) * 1_000) / fromHz);
        unbroken = converted;
        [window, before] = [before, window];
      }
    },
    convert(row) {
      if (!unbroken) primeResampler();
      converted = true;
      resampler.process(window, output);
      for (let i = 0; i < contextSamples; i++) row[i] = context[i]!;
      for (let i = 0; i < windowSamples; i++) row[contextSamples + i] = output[i]! / 32768;
      for (let i = 0; i < contextSamples; i++) context[i] = row[windowSamples + i]!;
    },
  };
}
