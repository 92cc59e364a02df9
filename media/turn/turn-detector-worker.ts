import { parentPort, workerData } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { LINE_RATE } from '../audio/format.ts';
import { createLogMel, MEL_BINS, MEL_FRAMES, MEL_RATE_HZ, MEL_SAMPLES } from '../audio/log-mel.ts';
import { createResampler } from '../audio/resample.ts';
import type { TurnDetectorMemory } from './turn-detector.ts';

/**
 * The thread of the end-of-turn model: some 20 ms for the features and as much for the network, which no thread that
 * carries sound can spare. Told anything it judges the sound in the shared memory and answers with the probability that
 * the turn is over, or with the text of what went wrong.
 */
const { path, samples } = workerData as TurnDetectorMemory;
const port = parentPort!;

const session = await InferenceSession.create(path, { intraOpNumThreads: 1, interOpNumThreads: 1 });
const [inputName] = session.inputNames;
const [outputName] = session.outputNames;
if (session.inputNames.length !== 1 || !inputName || !outputName) throw new Error('wants one input and one output');

const resampler = createResampler(LINE_RATE, MEL_RATE_HZ);
const wide = new Int16Array(resampler.maxOutput(samples.length));
const sound = new Float32Array(MEL_SAMPLES);
const features = new Float32Array(MEL_BINS * MEL_FRAMES);
const feeds = { [inputName]: new Tensor('float32', features, [1, MEL_BINS, MEL_FRAMES]) };
const logMel = createLogMel();

async function predict(): Promise<number> {
  resampler.reset();
  resampler.process(samples, wide);
  for (let at = 0; at < MEL_SAMPLES; at++) sound[at] = wide[at]! / 32_768;
  logMel.compute(sound, features);
  const output = (await session.run(feeds))[outputName!]!;
  const probability = Number(output.data[0]);
  if (output.data.length !== 1 || !(probability >= 0 && probability <= 1)) {
    throw new Error(`answers ${output.data.length} numbers of which the first is ${probability}, not one probability`);
  }
  return probability;
}

// Says at once whether this is such a model, and plans its memory; nobody shall wait for that.
await predict();

let last: Promise<void> = Promise.resolve();
port.on('message', (message: 'judge' | 'close') => {
  if (message === 'close') {
    // Not while it computes.
    void last.then(() => session.release()).finally(() => port.close());
    return;
  }
  last = predict().then(
    (probability) => port.postMessage(probability),
    (error: unknown) => port.postMessage(String(error)),
  );
});
port.postMessage('ready');
