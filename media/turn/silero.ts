import type { Clock } from '../../shared/clock.ts';
import { startRequestThread } from '../../shared/worker-thread.ts';

/** Windows per run. Beyond it a window costs no less, and the first one waits longer. */
export const MAX_BATCH = 64;
/** The model's state of one stream: two layers of 128. */
export const STATE_FLOATS = 256;

/**
 * A voice-activity model that takes many windows at once. The caller fills rows of `input` and `state` and calls
 * `run`; when that resolves, `probability` and the new `state` are filled in. One run at a time.
 */
export interface BatchModel {
  /** The sample rate of the windows. */
  readonly rateHz: number;
  /** Samples of one window; each row of `input` begins with the `contextSamples` that precede the window. */
  readonly windowSamples: number;
  readonly contextSamples: number;
  readonly maxBatch: number;
  /** Rows of contextSamples + windowSamples, -1 to 1. A run does not change them. */
  readonly input: Float32Array;
  /** For a batch of n: 128 floats of layer one for each of n rows, then of layer two. Zeros for a new stream. */
  readonly state: Float32Array;
  readonly probability: Float32Array;
  /** Rejects when the model fails; the state is then undefined. */
  run(size: number): Promise<void>;
  close(): Promise<void>;
}

/** Memory shared with the model's thread. */
export interface SileroMemory {
  input: Float32Array;
  state: Float32Array;
  probability: Float32Array;
  inputFloats: number;
  rateHz: number;
}

const WORKER_SCRIPT = new URL('./silero-worker.ts', import.meta.url);

/** Silero VAD v5 in a worker thread with memory of its own. Rejects when the model cannot be loaded. */
export async function loadSilero(
  clock: Clock,
  { rateHz = 16000, script = WORKER_SCRIPT }: { rateHz?: 8000 | 16000; script?: URL } = {},
): Promise<BatchModel> {
  const windowSamples = rateHz === 16000 ? 512 : 256;
  const contextSamples = rateHz === 16000 ? 64 : 32;
  const inputFloats = contextSamples + windowSamples;
  const memory: SileroMemory = {
    input: sharedFloats(MAX_BATCH * inputFloats),
    state: sharedFloats(MAX_BATCH * STATE_FLOATS),
    probability: sharedFloats(MAX_BATCH),
    inputFloats,
    rateHz,
  };
  // onnxruntime sends telemetry by default. It reads this variable from the process, not from a worker's copy.
  process.env.ORT_DISABLE_TELEMETRY = '1';
  const thread = await startRequestThread<number, null>(script, { name: 'silero', workerData: memory, clock });
  return {
    rateHz,
    windowSamples,
    contextSamples,
    maxBatch: MAX_BATCH,
    input: memory.input,
    state: memory.state,
    probability: memory.probability,
    async run(size) {
      await thread.request(size);
    },
    close: thread.close,
  };
}

function sharedFloats(length: number): Float32Array {
  return new Float32Array(new SharedArrayBuffer(length * Float32Array.BYTES_PER_ELEMENT));
}
