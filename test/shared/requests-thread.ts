import { workerData } from 'node:worker_threads';
import { serveRequests } from '../../shared/worker-thread.ts';

/** The thread of worker-thread.test.ts: doubles numbers, or does what the text says. */

serveRequests<number | 'throw' | 'exit' | 'hang', number>(
  async (request) => {
    if (request === 'throw') throw new RangeError('no such number');
    if (request === 'exit') process.exit(3);
    if (request === 'hang') await new Promise(() => {});
    return 2 * Number(request);
  },
  async () => {
    if (workerData) Atomics.store(workerData as Int32Array, 0, 1);
  },
);
