import { FRAME_MS } from './format.ts';
import { createResampler } from './resample.ts';

/**
 * Removes noise from a caller's audio with RNNoise (Valin, "A hybrid DSP/deep learning approach to real-time
 * full-band speech enhancement", 2018; version 0.2), which works on 10 ms at 48 kHz in the range of 16 bits.
 */

const MODEL_RATE = 48_000;
const MODEL_FRAME = 480;
const FLOAT_BYTES = 4;
/** The model's windows overlap by half: output is complete one frame later. */
const MODEL_DELAY_MS = 10;
const NO_DELAY = new Int16Array(0);

/** RNNoise in this process: one WebAssembly instance, in whose memory every call has a state of its own. */
export interface Rnnoise {
  /** The instance's memory; another array after it has grown. */
  readonly HEAPF32: Float32Array;
  /** `model` 0 is the built-in one. Returns an address, or 0 when there is no memory left. */
  _rnnoise_create(model: number): number;
  _rnnoise_destroy(state: number): void;
  /** 480 samples from `input` to `output`, both addresses; returns the probability of speech. */
  _rnnoise_process_frame(state: number, output: number, input: number): number;
  _rnnoise_get_frame_size(): number;
  _malloc(bytes: number): number;
  _free(address: number): void;
}

/** The denoiser of one caller, for use within a thread; calls use `denoise-thread.ts`. */
export interface Denoiser {
  /** Delay from input to output. */
  readonly delayMs: number;
  /** The next 20 ms of the stream, 160 samples at 8 kHz, into as many, which may be the same array. */
  process(samples: Int16Array, target: Int16Array): void;
  /** Frees the memory. Afterwards `process` copies its input. */
  close(): void;
}

/** Loads the model, 16 MB with room for a few hundred calls. Done once per process. Throws when the package is damaged. */
export async function loadDenoiser(): Promise<Rnnoise> {
  // @ts-expect-error The package brings no types; `Rnnoise` is what is used of it.
  const { default: loadRnnoise } = await import('@echogarden/rnnoise-wasm');
  const quiet = () => {};
  const rnnoise = (await loadRnnoise({ print: quiet, printErr: quiet })) as Rnnoise;
  const frame = rnnoise._rnnoise_get_frame_size();
  if (frame !== MODEL_FRAME) throw new Error(`RNNoise works on ${frame} samples, not on ${MODEL_FRAME}`);
  return rnnoise;
}

/** Delay of denoised audio at this rate: 14 ms at 8 kHz, 12 ms at 16 kHz. */
export function denoiserDelayMs(rateHz: number): number {
  return createResampler(rateHz, MODEL_RATE).delayMs + MODEL_DELAY_MS + createResampler(MODEL_RATE, rateHz).delayMs;
}

/**
 * Creates a denoiser for audio of this rate: some 0.4 ms of computing per 20 ms. `strength` 100 is the model's
 * output alone; below it, the share of the original audio is the square of what is missing to 100, so that 50 still takes
 * up to 12 dB off the noise; at 0 nothing is computed or delayed. The original is mixed in with the same
 * delay. Throws RangeError for a strength outside 0 to 100, Error when WebAssembly has no memory left.
 */
export function createDenoiser(rnnoise: Rnnoise, strength: number, rateHz: number): Denoiser {
  if (!(strength >= 0 && strength <= 100)) throw new RangeError(`a strength of ${strength}`);
  const frameSamples = (rateHz * FRAME_MS) / 1_000;
  const checkFrame = (samples: Int16Array, target: Int16Array) => {
    if (samples.length === frameSamples && target.length === frameSamples) return;
    throw new RangeError(`a frame has ${frameSamples} samples, not ${samples.length} or ${target.length}`);
  };
  const copyFrame = (samples: Int16Array, target: Int16Array) => {
    checkFrame(samples, target);
    copy(samples, target);
  };
  if (strength === 0) return { delayMs: 0, process: copyFrame, close() {} };

  const up = createResampler(rateHz, MODEL_RATE);
  const down = createResampler(MODEL_RATE, rateHz);
  const delayMs = denoiserDelayMs(rateHz);
  const wide = new Int16Array((FRAME_MS * MODEL_RATE) / 1_000);
  const clean = new Int16Array(frameSamples);

  const dryShare = (1 - strength / 100) ** 2;
  const delaySamples = dryShare === 0 ? 0 : (delayMs * rateHz) / 1000;
  // The last `delaySamples` of the original audio, followed by space for a frame.
  const dry = dryShare === 0 ? NO_DELAY : new Int16Array(delaySamples + frameSamples);

  let state = rnnoise._rnnoise_create(0);
  const buffer = rnnoise._malloc(MODEL_FRAME * FLOAT_BYTES);
  if (state === 0 || buffer === 0) {
    if (state !== 0) rnnoise._rnnoise_destroy(state);
    if (buffer !== 0) rnnoise._free(buffer);
    throw new Error('no memory left for RNNoise');
  }
  const first = buffer / FLOAT_BYTES;

  function denoise(from: number): void {
    const input = rnnoise.HEAPF32;
    for (let i = 0; i < MODEL_FRAME; i++) input[first + i] = wide[from + i]!;
    rnnoise._rnnoise_process_frame(state, buffer, buffer);
    const output = rnnoise.HEAPF32;
    for (let i = 0; i < MODEL_FRAME; i++) {
      const value = Math.round(output[first + i]!);
      wide[from + i] = value > 32767 ? 32767 : value < -32768 ? -32768 : value;
    }
  }

  return {
    delayMs,
    process(samples, target) {
      checkFrame(samples, target);
      if (state === 0) return copy(samples, target);
      up.process(samples, wide);
      for (let from = 0; from < wide.length; from += MODEL_FRAME) denoise(from);
      down.process(wide, clean);
      if (dryShare === 0) return copy(clean, target);
      dry.copyWithin(0, frameSamples);
      for (let i = 0; i < frameSamples; i++) dry[delaySamples + i] = samples[i]!;
      for (let i = 0; i < frameSamples; i++) {
        // A weighted mean of two 16-bit samples cannot overflow.
        target[i] = Math.round(clean[i]! + dryShare * (dry[i]! - clean[i]!));
      }
    },
    close() {
      if (state === 0) return;
      rnnoise._rnnoise_destroy(state);
      rnnoise._free(buffer);
      state = 0;
    },
  };
}

function copy(samples: Int16Array, target: Int16Array): void {
  if (target !== samples) target.set(samples);
}
