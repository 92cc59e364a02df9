import { Worker } from 'node:worker_threads';
import type { PdfImage } from './image-type.ts';

/** Painting a picture anew in a thread, one at a time: each needs up to 200 MB and, of the largest, seconds. */

const THREAD = new URL('./repaint-thread.ts', import.meta.url);

/** With the one that is being painted. Whoever comes last waits for seconds each, and every file lies in memory meanwhile. */
const MOST_WAITING = 6;

/**
 * The picture of a PNG file that holds together, of no more than `MAX_REPAINTED_PIXELS`; null when its pixels cannot be read,
 * `busy` when too many wait already.
 */
export const repaintInThread = oneAtATime(runThread, MOST_WAITING);

/** The work of one after the other; `busy` at once, for those beyond `most`. The work must not reject. */
export function oneAtATime<Task, Result>(
  run: (task: Task) => Promise<Result>,
  most: number,
): (task: Task) => Promise<Result | 'busy'> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (task) => {
    if (waiting >= most) return 'busy';
    waiting++;
    const mine = last.then(() => run(task));
    last = mine;
    try {
      return await mine;
    } finally {
      waiting--;
    }
  };
}

/** Ends by itself: the work is bounded by the number of pixels. Never rejects. */
function runThread(file: Buffer): Promise<PdfImage | null> {
  return new Promise((resolve) => {
    const worker = new Worker(THREAD);
    worker.once('message', (painted: PdfImage | null) => {
      // A Buffer arrives as the plain bytes it is made of.
      resolve(painted && { ...painted, data: Buffer.from(painted.data) });
      void worker.terminate();
    });
    worker.once('error', () => resolve(null));
    worker.once('exit', () => resolve(null));
    worker.postMessage(file);
  });
}
