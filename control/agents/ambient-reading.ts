import { Worker } from 'node:worker_threads';
import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { ReadSound } from './ambient-file.ts';

/** Reading uploaded sounds in threads, a few at a time: a broken file ends its thread at worst. */

export type SoundReader = (bytes: Uint8Array) => Promise<ReadSound>;

const AT_ONCE = 2;
const DEADLINE_MS = 30_000;
const MEMORY_MB = 256;
const THREAD = new URL('./ambient-worker.ts', import.meta.url);

/** A file that cannot be read, in time or at all, is `unknown`. Never rejects. */
export function createSoundReader({ clock, log }: { clock: Clock; log: Logger }): SoundReader {
  let reading = 0;
  const waiting: (() => void)[] = [];

  return async (bytes) => {
    if (reading >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
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

  function readInThread(bytes: Uint8Array): Promise<ReadSound> {
    return new Promise((resolve) => {
      const limits = { maxOldGenerationSizeMb: MEMORY_MB };
      // The decoder writes its complaints to the console.
      const worker = new Worker(THREAD, { stdout: true, stderr: true, resourceLimits: limits });
      const deadline = clock.after(DEADLINE_MS, () => end({ type: 'unknown' }, 'not read in time'));
      let over = false;
      function end(read: ReadSound, why: string | null): void {
        if (over) return;
        over = true;
        deadline.cancel();
        if (why !== null) log.warn({ why, bytes: bytes.length }, 'an uploaded sound could not be read');
        void worker.terminate();
        resolve(read);
      }
      worker.once('message', (read: ReadSound) => end(read, null));
      worker.once('error', (error) => end({ type: 'unknown' }, errorText(error)));
      worker.once('exit', () => end({ type: 'unknown' }, 'the thread ended'));
      worker.postMessage(bytes);
    });
  }
}
