import { workerData } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { serveRequests } from '../../shared/worker-thread.ts';
import { LINE_RATE } from '../audio/format.ts';
import { createLogMel, MEL_BINS, MEL_FRAMES, MEL_RATE_HZ, MEL_SAMPLES } from '../audio/log-mel.ts';
import { createResampler } from '../audio/resample.ts';
import type { TurnDetectorMemory } from './turn-detector.ts';

/**
 * The thread of the turn-detector model: about 20 ms for the features and as much for the network, too much for the thread
 * that carries audio. A request has the audio in the shared memory; its reply is the probability that the turn is over.
 */
const { path, samples } = workerData as TurnDetectorMemory;

const session = await InferenceSession.create(path, { intraOpNumThreads: 1, interOpNumThreads: 1 });
const [inputName] = session.inputNames;
const [outputName] = session.outputNames;
if (session.inputNames.length !== 1 || !inputName || !outputName) throw new Error('needs one input and one output');

const resampler = createResampler(LINE_RATE, MEL_RATE_HZ);
const resampled = new Int16Array(resampler.maxOutput(samples.length));
const audio = new Float32Array(MEL_SAMPLES);
const features = new Float32Array(MEL_BINS * MEL_FRAMES);
const feeds = { [inputName]: new Tensor('float32', features, [1, MEL_BINS, MEL_FRAMES]) };
const logMel = createLogMel();

async function predict(): Promise<number> {
  resampler.reset();
  resampler.process(samples, resampled);
  for (let at = 0; at < MEL_SAMPLES; at++) audio[at] = resampled[at]! / 32_768;
  logMel.compute(audio, features);
  const output = (await session.run(feeds))[outputName!]!;
  const probability = Number(output.data[0]);
  if (output.data.length !== 1 || !(probability >= 0 && probability <= 1)) {
    throw new Error(`returned ${output.data.length} numbers, the first ${probability}, not one probability`);
  }
  return probability;
}

// Fails here when the file is no such model, and plans the session's memory, which is slow.
await predict();

serveRequests(predict, () => session.release());
