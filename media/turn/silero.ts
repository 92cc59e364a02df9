import { Worker } from 'node:worker_threads';
import type { Clock } from '../../shared/clock.ts';

/** Windows of one run. More cost no less apiece, and make the first wait for the last. */
export const MAX_BATCH = 64;
/** What the model remembers of one stream: two layers of 128. */
export const STATE_FLOATS = 256;
const LOAD_WAIT_MS = 30_000;
const CLOSE_WAIT_MS = 2000;

/**
 * A voice-activity model that takes many windows at once. The caller fills rows of `input` and `state` and calls
 * `run`; when that resolves, `probability` and the new `state` are there. One run at a time.
 */
export interface BatchModel {
  /** The sample rate of the windows. */
  readonly rateHz: number;
  /** Samples of one window; each row of `input` has `contextSamples` of the sound before it in front. */
  readonly windowSamples: number;
  readonly contextSamples: number;
  readonly maxBatch: number;
  /** Rows of contextSamples + windowSamples, -1 to 1. A run leaves them as they are. */
  readonly input: Float32Array;
  /** Of a batch of n: 128 floats of layer one for each of n rows, then of layer two. Zeros for a new stream. */
  readonly state: Float32Array;
  readonly probability: Float32Array;
  /** Rejects when the model fails; the state is then undefined. */
  run(size: number): Promise<void>;
  close(): Promise<void>;
}

/** What is shared with the model's thread. */
export interface SileroMemory {
  input: Float32Array;
  state: Float32Array;
  probability: Float32Array;
  inputFloats: number;
  rateHz: number;
}

/** Silero VAD v5 in a thread of its own. Rejects when the model cannot be loaded. */
export async function loadSilero(clock: Clock, rateHz: 8000 | 16000 = 16000): Promise<BatchModel> {
  const windowSamples = rateHz === 16000 ? 512 : 256;
  const contextSamples = rateHz === 16000 ? 64 : 32;
  const inputFloats = contextSamples + windowSamples;
  const memory: SileroMemory = {
    input: shared(MAX_BATCH * inputFloats),
    state: shared(MAX_BATCH * STATE_FLOATS),
    probability: shared(MAX_BATCH),
    inputFloats,
    rateHz,
  };
  // The library reports its use to its maker unless told not to, and reads that from the process, not from a worker's copy.
  process.env.ORT_DISABLE_TELEMETRY = '1';
  const worker = new Worker(new URL('./silero-worker.ts', import.meta.url), { workerData: memory, name: 'silero' });
  let running: { resolve: () => void; reject: (error: Error) => void } | null = null;
  let broken: Error | null = null;
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));

  function settle(error: Error | null): void {
    const waiting = running;
    running = null;
    if (error) waiting?.reject(error);
    else waiting?.resolve();
  }

  worker.on('message', (message: number | string) => {
    settle(typeof message === 'string' && message !== 'ready' ? new Error(message) : null);
  });
  worker.on('error', (error) => {
    broken ??= error instanceof Error ? error : new Error(String(error));
    settle(broken);
  });
  worker.on('exit', () => {
    broken ??= new Error('the thread of the voice-activity model is gone');
    settle(broken);
  });

  async function close(): Promise<void> {
    broken ??= new Error('closed');
    worker.postMessage('close');
    const timer = clock.after(CLOSE_WAIT_MS, () => void worker.terminate());
    await exited;
    timer.cancel();
  }

  const loading = clock.after(LOAD_WAIT_MS, () => settle(new Error('the voice-activity model did not load in time')));
  try {
    await new Promise<void>((resolve, reject) => {
      running = { resolve, reject };
    });
  } catch (error) {
    await worker.terminate();
    throw error;
  } finally {
    loading.cancel();
  }

  return {
    rateHz,
    windowSamples,
    contextSamples,
    maxBatch: MAX_BATCH,
    input: memory.input,
    state: memory.state,
    probability: memory.probability,
    run(size) {
      if (broken) return Promise.reject(broken);
      return new Promise((resolve, reject) => {
        running = { resolve, reject };
        worker.postMessage(size);
      });
    },
    close,
  };
}

function shared(floats: number): Float32Array {
  return new Float32Array(new SharedArrayBuffer(floats * Float32Array.BYTES_PER_ELEMENT));
}
