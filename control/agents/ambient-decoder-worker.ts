import { parentPort } from 'node:worker_threads';
import { decodeAmbientFile } from './ambient-file.ts';

/** The thread of one upload: takes the file, gives what it holds. `ambient-reading.ts` starts and ends it. */
parentPort!.once('message', async (bytes: Uint8Array) => {
  const read = await decodeAmbientFile(bytes);
  parentPort!.postMessage(read, read.type === 'sound' ? [read.wav.buffer] : []);
});
