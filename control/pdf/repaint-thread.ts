import { parentPort } from 'node:worker_threads';
import { readPng } from './png-file.ts';
import { repaint } from './repaint-png.ts';

/** The thread of one picture: takes the file, gives the picture. `repaint-in-thread.ts` starts and ends it. */
parentPort!.once('message', (file: Uint8Array) => {
  const png = readPng(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
  parentPort!.postMessage(png && repaint(png));
});
