import { parentPort, workerData } from 'node:worker_threads';
import { createDenoiser, type Denoiser, loadDenoiser } from './denoise.ts';
import type { DenoiseCommand, DenoiseMemory, DenoiseReply } from './denoise-thread.ts';
import { FRAME_SAMPLES } from './format.ts';

/** The thread of `denoise-thread.ts`: a denoiser for each stream, and frames cleaned where they lie in shared memory. */
const { streams, samples } = workerData as DenoiseMemory;
const port = parentPort!;
const denoisers = new Map<number, Denoiser>();
const rnnoise = await loadDenoiser();

function handle(order: DenoiseCommand): void {
  if ('open' in order) {
    try {
      denoisers.set(order.open, createDenoiser(rnnoise, order.strength));
    } catch {
      // No memory left: this caller is heard as they are, the others are cleaned.
    }
    return;
  }
  if ('close' in order) {
    denoisers.get(order.close)?.close();
    denoisers.delete(order.close);
    return;
  }
  for (let row = 0; row < order.count; row++) {
    const frame = samples.subarray(row * FRAME_SAMPLES, (row + 1) * FRAME_SAMPLES);
    // A stream that was closed meanwhile has none any more, and nobody listens.
    denoisers.get(streams[row]!)?.process(frame, frame);
  }
  reply({ count: order.count });
}

function reply(message: DenoiseReply): void {
  port.postMessage(message);
}

port.on('message', handle);
const probe = createDenoiser(rnnoise, 100);
reply({ ready: probe.delayMs });
probe.close();
