import { Worker } from 'node:worker_threads';
import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { DecodedFile } from './ambient-file.ts';

/** Reading uploaded sounds in threads, a few at a time: a broken file ends its thread at worst. */

export type AmbientDecoder = (bytes: Uint8Array) => Promise<DecodedFile>;

const MAX_CONCURRENT_DECODES = 2;
const DECODE_TIMEOUT_MS = 30_000;
const MAX_HEAP_MB = 256;
const WORKER_FILE = new URL('./ambient-decoder-worker.ts', import.meta.url);

/** A file that cannot be read, in time or at all, is `unknown`. Never rejects. */
export function createAmbientDecoder({ clock, log }: { clock: Clock; log: Logger }): AmbientDecoder {
  let reading = 0;
  const waiting: (() => void)[] = [];

  return async (bytes) => {
    if (reading >= MAX_CONCURRENT_DECODES) await new Promise<void>((resolve) => waiting.push(resolve));
    else reading++;
    try {
      return await readInThread(bytes);
    } finally {
      const next = waiting.shift();
      // The place is handed on.
      if (next) next();
      else reading--;
    }
  };

  function readInThread(bytes: Uint8Array): Promise<DecodedFile> {
    return new Promise((resolve) => {
      const limits = { maxOldGenerationSizeMb: MAX_HEAP_MB };
      // The decoder writes its complaints to the console.
      const worker = new Worker(WORKER_FILE, { stdout: true, stderr: true, resourceLimits: limits });
      const deadline = clock.after(DECODE_TIMEOUT_MS, () => end({ type: 'unknown' }, 'not read in time'));
      let over = false;
      function end(read: DecodedFile, why: string | null): void {
        if (over) return;
        over = true;
        deadline.cancel();
        if (why !== null) log.warn({ why, bytes: bytes.length }, 'an uploaded sound could not be read');
        void worker.terminate();
        resolve(read);
      }
      worker.once('message', (read: DecodedFile) => end(read, null));
      worker.once('error', (error) => end({ type: 'unknown' }, errorText(error)));
      worker.once('exit', () => end({ type: 'unknown' }, 'the thread ended'));
      worker.postMessage(bytes);
    });
  }
}
