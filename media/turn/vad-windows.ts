import { createBlockConverter } from '../audio/block-converter.ts';

const WINDOW_MS = 32;

/** The model's input: see `SpeechModel`. */
export interface WindowShape {
  rateHz: number;
  windowSamples: number;
  contextSamples: number;
}

/**
 * One stream's audio in windows of 32 ms, converted to the model's rate only when the model is run: most windows of a call
 * hold only noise.
 */
export interface VadWindows {
  /** Copies the samples; calls `onWindow` for each window that they fill, at the stream's own rate. `endMs`: when its last sample came in. */
  push(samples: Int16Array, atMs: number, onWindow: (window: Int16Array, endMs: number) => void): void;
  /** Within `onWindow`: writes the window, with the context before it, at the model's rate, -1 to 1. */
  convert(row: Float32Array): void;
}

/** @throws RangeError for a rate that has no whole samples in 32 ms, or cannot be converted. */
export function createVadWindows(fromHz: number, shape: WindowShape): VadWindows {
  const length = (fromHz * WINDOW_MS) / 1_000;
  if (!Number.isInteger(length)) throw new RangeError(`no windows of ${WINDOW_MS} ms at ${fromHz} Hz`);
  const convert = converterFor(fromHz, shape);
  let window = new Int16Array(length);
  let before = new Int16Array(length);
  let filled = 0;

  return {
    push(samples, atMs, onWindow) {
      for (let at = 0; at < samples.length; ) {
        const part = samples.subarray(at, at + length - filled);
        window.set(part, filled);
        at += part.length;
        filled += part.length;
        if (filled < length) return;
        filled = 0;
        onWindow(window, atMs - ((samples.length - at) * 1_000) / fromHz);
        [window, before] = [before, window];
      }
    },
    convert: (row) => convert(before, window, row),
  };
}

type WindowConverter = (before: Int16Array, window: Int16Array, row: Float32Array) => void;

const converters = new Map<string, WindowConverter>();

/** The converter of all streams of a rate: it has no state. */
function converterFor(fromHz: number, shape: WindowShape): WindowConverter {
  const key = `${fromHz} ${shape.rateHz} ${shape.windowSamples} ${shape.contextSamples}`;
  const converter = converters.get(key) ?? createConverter(fromHz, shape);
  converters.set(key, converter);
  return converter;
}

/** What the filter and the context need from before a window is converted anew for each. */
function createConverter(fromHz: number, { rateHz, windowSamples, contextSamples }: WindowShape): WindowConverter {
  const { input, output, run } = createBlockConverter(fromHz, rateHz, contextSamples + windowSamples, 1 / 32768);
  const earlier = input.length - (windowSamples * fromHz) / rateHz;
  return (before, window, row) => {
    input.set(before.subarray(before.length - earlier));
    input.set(window, earlier);
    run();
    row.set(output);
  };
}
