import { parentPort, workerData } from 'node:worker_threads';
import { createDenoiser, type Denoiser, loadDenoiser } from './denoise.ts';
import {
  type DenoiseCommand,
  type DenoiseMemory,
  type DenoiseReply,
  frameSamples,
  ROW_SAMPLES,
} from './denoise-protocol.ts';
import { LINE_RATE } from './format.ts';

/** The thread of `denoise-thread.ts`: one denoiser per stream; frames are denoised in place in the shared memory. */
const { streams, samples } = workerData as DenoiseMemory;
const port = parentPort!;
const denoisers = new Map<number, { denoiser: Denoiser; frameSamples: number }>();
const rnnoise = await loadDenoiser();

function onCommand(command: DenoiseCommand): void {
  if ('open' in command) {
    try {
      const denoiser = createDenoiser(rnnoise, command.strength, command.rateHz);
      denoisers.set(command.open, { denoiser, frameSamples: frameSamples(command.rateHz) });
    } catch {
      // Out of memory: this caller's audio stays noisy, the other streams are not affected.
    }
    return;
  }
  if ('close' in command) {
    denoisers.get(command.close)?.denoiser.close();
    denoisers.delete(command.close);
    return;
  }
  for (let row = 0; row < command.count; row++) {
    // A stream closed in the meantime has no denoiser, and its frames are dropped.
    const stream = denoisers.get(streams[row]!);
    if (!stream) continue;
    const frame = samples.subarray(row * ROW_SAMPLES, row * ROW_SAMPLES + stream.frameSamples);
    stream.denoiser.process(frame, frame);
  }
  post({ count: command.count });
}

function post(message: DenoiseReply): void {
  port.postMessage(message);
}

port.on('message', onCommand);
createDenoiser(rnnoise, 100, LINE_RATE).close();
post('ready');
