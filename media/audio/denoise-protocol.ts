import { startThread, type Thread, type ThreadListener } from '../../shared/worker-thread.ts';
import { FRAME_MS } from './format.ts';

/** What `denoise-thread.ts` and its worker thread, `denoise-worker.ts`, exchange: messages, and frames in shared memory. */

/** Frames of one batch, in the shared memory. */
export const MAX_BATCH = 64;
/** 20 ms at the highest rate, 24 kHz. */
export const ROW_SAMPLES = 480;

/** Memory shared with the thread. Row n: the stream's id, and the samples of its frame, which are denoised in place. */
export interface DenoiseMemory {
  streams: Int32Array;
  samples: Int16Array;
}

/** To the thread, in order. `count`: that many rows are filled; the reply is `count` when they are denoised. */
export type DenoiseCommand = { open: number; strength: number; rateHz: number } | { close: number } | { count: number };
export type DenoiseReply = 'ready' | { count: number };

export const frameSamples = (rateHz: number) => (rateHz * FRAME_MS) / 1_000;

export interface DenoiseWorker {
  readonly memory: DenoiseMemory;
  readonly thread: Thread<DenoiseCommand>;
}

const WORKER_SCRIPT = new URL('./denoise-worker.ts', import.meta.url);

/** Starts the thread with memory of its own. */
export function startDenoiseWorker(listener: ThreadListener<DenoiseReply>, script = WORKER_SCRIPT): DenoiseWorker {
  const memory: DenoiseMemory = {
    streams: new Int32Array(new SharedArrayBuffer(MAX_BATCH * Int32Array.BYTES_PER_ELEMENT)),
    samples: new Int16Array(new SharedArrayBuffer(MAX_BATCH * ROW_SAMPLES * Int16Array.BYTES_PER_ELEMENT)),
  };
  // The thread holds nothing that must be closed in order.
  const options = { workerData: memory, name: 'denoise', keepsProcessAlive: false };
  return { memory, thread: startThread<DenoiseCommand, DenoiseReply>(script, options, listener) };
}
