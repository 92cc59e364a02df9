import { parentPort } from 'node:worker_threads';
import { decodeAmbientFile } from './ambient-file.ts';

/** The worker thread of one upload: takes the file and posts the decoded sound. `ambient-decoder.ts` starts and ends it. */
parentPort!.once('message', async (bytes: Uint8Array) => {
  const result = await decodeAmbientFile(bytes);
  parentPort!.postMessage(result, result.type === 'decoded' ? [result.wav.buffer] : []);
});
