import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type BlockConverter, createBlockConverter } from './block-converter.ts';
import { FRAME_MS } from './format.ts';
import { conversionDelayMs } from './resample.ts';
import { Instance, Module, PAGE_BYTES, type WebAssemblyMemory } from './web-assembly.ts';

/**
 * Removes noise from a caller's audio with RNNoise (Valin, "A hybrid DSP/deep learning approach to real-time
 * full-band speech enhancement", 2018; the model before version 0.2), which works on 10 ms at 48 kHz in the range of 16 bits.
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
  heap(): Float32Array;
  /** `model` 0 is the built-in one. Returns an address, or 0 when there is no memory left. */
  rnnoise_create(model: number): number;
  rnnoise_destroy(state: number): void;
  /** 480 samples from `input` to `output`, both addresses; returns the probability of speech. */
  rnnoise_process_frame(state: number, output: number, input: number): number;
  rnnoise_get_frame_size(): number;
  malloc(bytes: number): number;
  free(address: number): void;
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

/** A build of RNNoise with SIMD, by Shiguredo (Apache 2.0), which the package ships; the package's code is for browsers and not used. */
const RNNOISE_FILE = '@sapphi-red/web-noise-suppressor/rnnoise_simd.wasm';

type RnnoiseExports = Omit<Rnnoise, 'heap'> & {
  memory: WebAssemblyMemory;
  __wasm_call_ctors(): void;
  emscripten_stack_init(): void;
};

/** Loads the model: 16 MB with room for a few hundred calls, and more as needed. Done once per thread. Throws when the package is damaged. */
export async function loadDenoiser(): Promise<Rnnoise> {
  const bytes = await readFile(createRequire(import.meta.url).resolve(RNNOISE_FILE));
  const { exports } = new Instance(new Module(new Uint8Array(bytes)), {
    // Emscripten's: https://emscripten.org/docs/tools_reference/settings_reference.html
    env: {
      emscripten_memcpy_big(to: number, from: number, length: number) {
        whole().copyWithin(to, from, from + length);
      },
      emscripten_resize_heap: (length: number) => growTo(memory, length),
      __assert_fail() {
        throw new Error('RNNoise failed');
      },
    },
  });
  const { memory, ...rnnoise } = exports as RnnoiseExports;
  const whole = viewOf(memory, Uint8Array);
  rnnoise.emscripten_stack_init();
  rnnoise.__wasm_call_ctors();
  const frame = rnnoise.rnnoise_get_frame_size();
  if (frame !== MODEL_FRAME) throw new Error(`RNNoise works on ${frame} samples, not on ${MODEL_FRAME}`);
  return { ...rnnoise, heap: viewOf(memory, Float32Array) };
}

/** Returns what gives the whole memory, as another array after it has grown. */
function viewOf<View extends { length: number }>(
  memory: WebAssemblyMemory,
  ViewClass: new (buffer: ArrayBuffer) => View,
): () => View {
  let view = new ViewClass(memory.buffer);
  return () => {
    if (view.length === 0) view = new ViewClass(memory.buffer);
    return view;
  };
}

/** Returns whether there is so much memory now. */
function growTo(memory: WebAssemblyMemory, bytes: number): boolean {
  try {
    memory.grow(Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES));
    return true;
  } catch {
    return false;
  }
}

/** Delay of denoised audio at this rate: 14 ms at 8 kHz, 12 ms at 16 kHz. */
export function denoiserDelayMs(rateHz: number): number {
  return conversionDelayMs(rateHz, MODEL_RATE) + MODEL_DELAY_MS + conversionDelayMs(MODEL_RATE, rateHz);
}

/**
 * Creates a denoiser for audio of this rate: some 0.2 ms of computing per 20 ms. `strength` 100 is the model's
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

  const { up, down } = convertersFor(rateHz);
  const beforeUp = new Float32Array(up.earlier);
  const beforeDown = new Float32Array(down.earlier);
  const delayMs = denoiserDelayMs(rateHz);
  const clean = new Int16Array(frameSamples);

  const dryShare = (1 - strength / 100) ** 2;
  const delaySamples = dryShare === 0 ? 0 : (delayMs * rateHz) / 1000;
  // The last `delaySamples` of the original audio, followed by space for a frame.
  const dry = dryShare === 0 ? NO_DELAY : new Int16Array(delaySamples + frameSamples);

  let state = rnnoise.rnnoise_create(0);
  const buffer = rnnoise.malloc(MODEL_FRAME * FLOAT_BYTES);
  if (state === 0 || buffer === 0) {
    if (state !== 0) rnnoise.rnnoise_destroy(state);
    if (buffer !== 0) rnnoise.free(buffer);
    throw new Error('no memory left for RNNoise');
  }
  const first = buffer / FLOAT_BYTES;

  /** From `up.output` to behind `down`'s earlier inputs. */
  function denoise(at: number): void {
    rnnoise.heap().set(up.output.subarray(at, at + MODEL_FRAME), first);
    rnnoise.rnnoise_process_frame(state, buffer, buffer);
    down.input.set(rnnoise.heap().subarray(first, first + MODEL_FRAME), down.earlier + at);
  }

  return {
    delayMs,
    process(samples, target) {
      checkFrame(samples, target);
      if (state === 0) return copy(samples, target);
      up.input.set(beforeUp);
      up.input.set(samples, up.earlier);
      up.run();
      beforeUp.set(up.input.subarray(frameSamples));
      down.input.set(beforeDown);
      for (let at = 0; at < up.output.length; at += MODEL_FRAME) denoise(at);
      down.run();
      beforeDown.set(down.input.subarray(up.output.length));
      for (let i = 0; i < frameSamples; i++) {
        const value = Math.round(down.output[i]!);
        clean[i] = value > 32767 ? 32767 : value < -32768 ? -32768 : value;
      }
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
      rnnoise.rnnoise_destroy(state);
      rnnoise.free(buffer);
      state = 0;
    },
  };
}

const converters = new Map<number, { up: BlockConverter; down: BlockConverter }>();

/** Of all streams of a rate in this thread. */
function convertersFor(rateHz: number): { up: BlockConverter; down: BlockConverter } {
  let pair = converters.get(rateHz);
  if (!pair) {
    pair = {
      up: createBlockConverter(rateHz, MODEL_RATE, (FRAME_MS * MODEL_RATE) / 1_000),
      down: createBlockConverter(MODEL_RATE, rateHz, (FRAME_MS * rateHz) / 1_000),
    };
    converters.set(rateHz, pair);
  }
  return pair;
}

function copy(samples: Int16Array, target: Int16Array): void {
  if (target !== samples) target.set(samples);
}
