import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { runInThread } from '../../shared/worker-thread.ts';
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

  async function decodeInThread(bytes: Uint8Array): Promise<DecodedFile> {
    const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MB };
    // The decoder prints its errors: `stdout` and `stderr` keep them out of the logs.
    const options = { stdout: true, stderr: true, resourceLimits, timeoutMs: DECODE_TIMEOUT_MS, clock };
    try {
      return await runInThread(WORKER_FILE, bytes, options);
    } catch (error) {
      log.warn({ error: errorText(error), bytes: bytes.length }, 'decoding an uploaded sound failed');
      return { type: 'unknown' };
    }
  }
}
