import { parentPort, workerData } from 'node:worker_threads';
import { createDenoiser, type Denoiser, loadDenoiser } from './denoise.ts';
import type { DenoiseCommand, DenoiseMemory, DenoiseReply } from './denoise-thread.ts';
import { FRAME_SAMPLES } from './format.ts';

/** The thread of `denoise-thread.ts`: one denoiser per stream; frames are denoised in place in the shared memory. */
const { streams, samples } = workerData as DenoiseMemory;
const port = parentPort!;
const denoisers = new Map<number, Denoiser>();
const rnnoise = await loadDenoiser();

function onCommand(command: DenoiseCommand): void {
  if ('open' in command) {
    try {
      denoisers.set(command.open, createDenoiser(rnnoise, command.strength));
    } catch {
      // Out of memory: this caller's audio stays noisy, the other streams are not affected.
    }
    return;
  }
  if ('close' in command) {
    denoisers.get(command.close)?.close();
    denoisers.delete(command.close);
    return;
  }
  for (let row = 0; row < command.count; row++) {
    const frame = samples.subarray(row * FRAME_SAMPLES, (row + 1) * FRAME_SAMPLES);
    // A stream closed in the meantime has no denoiser, and its frames are dropped.
    denoisers.get(streams[row]!)?.process(frame, frame);
  }
  post({ count: command.count });
}

function post(message: DenoiseReply): void {
  port.postMessage(message);
}

port.on('message', onCommand);
const probe = createDenoiser(rnnoise, 100);
post({ ready: probe.delayMs });
probe.close();
