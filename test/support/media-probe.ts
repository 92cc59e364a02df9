import { EventEmitter } from 'node:events';
import { readdirSync } from 'node:fs';

/**
 * Preloaded into a media process (`--import`): responds to the message `probe` with the process' resources, after a garbage
 * collection where `--expose-gc` is set, and exits with its parent.
 */

export interface Holdings {
  /** Resident memory and JavaScript heap in bytes. */
  rssBytes: number;
  heapBytes: number;
  /** Memory of buffers and native objects. */
  externalBytes: number;
  fds: number;
  threads: number;
  /** What keeps the event loop alive: sockets, timers, processes. */
  resources: number;
  resourceNames: Record<string, number>;
  /** Listeners of the process and of every open handle. */
  listeners: number;
  /** MaxListenersExceeded warnings since the start. */
  leakWarnings: number;
}

const proc = process as NodeJS.Process & { _getActiveHandles?(): unknown[] };
const collect = (globalThis as { gc?: () => void }).gc;
let leakWarnings = 0;
process.on('warning', (warning) => {
  if (warning.name === 'MaxListenersExceededWarning') leakWarnings++;
});

async function holdings(): Promise<Holdings> {
  // Finalizers run between two collections and release more.
  for (let time = 0; time < 3; time++) {
    collect?.();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  const memory = process.memoryUsage();
  const resourceNames: Record<string, number> = {};
  const resources = process.getActiveResourcesInfo();
  for (const name of resources) resourceNames[name] = (resourceNames[name] ?? 0) + 1;
  const emitters = [process, ...(proc._getActiveHandles?.() ?? [])].filter((handle) => handle instanceof EventEmitter);
  const listeners = emitters.reduce(
    (sum, emitter) => sum + emitter.eventNames().reduce((count, name) => count + emitter.listenerCount(name), 0),
    0,
  );
  return {
    rssBytes: memory.rss,
    heapBytes: memory.heapUsed,
    externalBytes: memory.external,
    fds: readdirSync('/proc/self/fd').length,
    threads: readdirSync('/proc/self/task').length,
    resources: resources.length,
    resourceNames,
    listeners,
    leakWarnings,
  };
}

process.on('message', (message) => {
  if (message === 'probe') void holdings().then((found) => process.send?.(found));
});
process.on('disconnect', () => process.exit(0));
