import { Worker } from 'node:worker_threads';
import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { DecodedFile } from './ambient-file.ts';

/** Decodes uploaded sounds in worker threads, so that a broken file crashes its thread at worst. */

export type AmbientDecoder = (bytes: Uint8Array) => Promise<DecodedFile>;

const MAX_CONCURRENT_DECODES = 2;
const DECODE_TIMEOUT_MS = 30_000;
const MAX_HEAP_MB = 256;
const WORKER_FILE = new URL('./ambient-decoder-worker.ts', import.meta.url);

/** A file that cannot be decoded, in time or at all, gives `unknown`. Never rejects. */
export function createAmbientDecoder({ clock, log }: { clock: Clock; log: Logger }): AmbientDecoder {
  let decoding = 0;
  const waiting: (() => void)[] = [];

  return async (bytes) => {
    if (decoding >= MAX_CONCURRENT_DECODES) await new Promise<void>((resolve) => waiting.push(resolve));
    else decoding++;
    try {
      return await decodeInThread(bytes);
    } finally {
      const next = waiting.shift();
      // The next one takes this slot.
      if (next) next();
      else decoding--;
    }
  };

  function decodeInThread(bytes: Uint8Array): Promise<DecodedFile> {
    return new Promise((resolve) => {
      const limits = { maxOldGenerationSizeMb: MAX_HEAP_MB };
      // The decoder prints its errors.
      const worker = new Worker(WORKER_FILE, { stdout: true, stderr: true, resourceLimits: limits });
      const deadline = clock.after(DECODE_TIMEOUT_MS, () => end({ type: 'unknown' }, 'timed out'));
      let ended = false;
      function end(result: DecodedFile, error: string | null): void {
        if (ended) return;
        ended = true;
        deadline.cancel();
        if (error !== null) log.warn({ error, bytes: bytes.length }, 'an uploaded sound could not be decoded');
        void worker.terminate();
        resolve(result);
      }
      worker.once('message', (result: DecodedFile) => end(result, null));
      worker.once('error', (error) => end({ type: 'unknown' }, errorText(error)));
      worker.once('exit', () => end({ type: 'unknown' }, 'the thread ended'));
      worker.postMessage(bytes);
    });
  }
}
