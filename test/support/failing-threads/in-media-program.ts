import { BroadcastChannel, isMainThread, workerData } from 'node:worker_threads';
import { failOnDemand } from './fail-on-demand.ts';

/**
 * Preloaded into a media program and its threads (`--import`): its thread of voice activity ends, throws or hangs when the test
 * sends that word to the program.
 */

const THREAD = 'silero';

if (isMainThread) {
  const channel = new BroadcastChannel(THREAD);
  channel.unref();
  process.on('message', (message) => {
    if (message === 'exit' || message === 'throw' || message === 'hang') channel.postMessage(message);
  });
} else if (workerData && 'probability' in workerData) {
  failOnDemand(THREAD);
}
