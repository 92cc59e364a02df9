import { BroadcastChannel } from 'node:worker_threads';

/** Imported by a worker thread of a test: the thread ends, throws or hangs when the test says so. */

export type ThreadFailure = 'exit' | 'throw' | 'hang';

export function failOnDemand(thread: string): void {
  const channel = new BroadcastChannel(thread);
  channel.onmessage = (message) => setImmediate(fail, (message as { data: ThreadFailure }).data);
  channel.unref();
}

function fail(failure: ThreadFailure): void {
  if (failure === 'exit') process.exit(3);
  if (failure === 'throw') throw new Error('a bug in the thread');
  for (;;);
}
