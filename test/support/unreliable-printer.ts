import { isMainThread, threadId } from 'node:worker_threads';
import { serveRequests } from '../../shared/worker-thread.ts';

/** A printer's thread that dies of the document `dies`, never prints `hangs`, fails at `fails`, and prints of others which thread it is. */
if (!isMainThread) {
  serveRequests<{ number: string }, Uint8Array>(
    async ({ number }) => {
      if (number === 'dies') process.exit(1);
      if (number === 'hangs') await new Promise(() => {});
      if (number === 'fails') throw new Error('no such font');
      return new TextEncoder().encode(`${number} by ${threadId}`);
    },
    async () => {},
  );
}
