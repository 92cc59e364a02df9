import { Worker } from 'node:worker_threads';
import type { Picture } from './picture.ts';

/** Painting a picture anew in a thread, one at a time: each needs up to 200 MB and, of the largest, seconds. */

const THREAD = new URL('./repaint-thread.ts', import.meta.url);

let last: Promise<unknown> = Promise.resolve();

/** The picture of a PNG file that holds together, of no more than `MAX_REPAINTED_PIXELS`; null when its pixels cannot be read. */
export function repaintInThread(file: Buffer): Promise<Picture | null> {
  const mine = last.then(() => runThread(file));
  last = mine;
  return mine;
}

/** Ends by itself: the work is bounded by the number of pixels. Never rejects. */
function runThread(file: Buffer): Promise<Picture | null> {
  return new Promise((resolve) => {
    const worker = new Worker(THREAD);
    worker.once('message', (painted: Picture | null) => {
      // A Buffer arrives as the plain bytes it is made of.
      resolve(painted && { ...painted, data: Buffer.from(painted.data) });
      void worker.terminate();
    });
    worker.once('error', () => resolve(null));
    worker.once('exit', () => resolve(null));
    worker.postMessage(file);
  });
}
