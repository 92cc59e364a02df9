import { EventEmitter } from 'node:events';
import { readdirSync } from 'node:fs';

/**
 * Loaded into a media process before its own program (`--import`): answers the message `probe` with what the process
 * holds, after a garbage collection where `--expose-gc` is set, and ends with its parent.
 */

export interface Holdings {
  /** Resident memory and JavaScript heap, bytes. */
  rssBytes: number;
  heapBytes: number;
  /** Memory of buffers and native objects that JavaScript knows of. */
  externalBytes: number;
  fds: number;
  threads: number;
  /** What keeps the event loop alive: sockets, timers, processes. */
  resources: number;
  resourceNames: Record<string, number>;
  /** Listeners of the process and of every open handle. */
  listeners: number;
  /** Warnings that an emitter has too many listeners, since the start. */
  leakWarnings: number;
}

const proc = process as NodeJS.Process & { _getActiveHandles?(): unknown[] };
const collect = (globalThis as { gc?: () => void }).gc;
let leakWarnings = 0;
process.on('warning', (warning) => {
  if (warning.name === 'MaxListenersExceededWarning') leakWarnings++;
});

async function holdings(): Promise<Holdings> {
  // What the first collection frees may hold on to more: finalizers run between the two.
  for (let time = 0; time < 3; time++) {
    collect?.();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  const memory = process.memoryUsage();
  const resourceNames: Record<string, number> = {};
  const resources = process.getActiveResourcesInfo();
  for (const name of resources) resourceNames[name] = (resourceNames[name] ?? 0) + 1;
  const emitters = [process, ...(proc._getActiveHandles?.() ?? [])].filter((one) => one instanceof EventEmitter);
  const listeners = emitters.reduce(
    (sum, one) => sum + one.eventNames().reduce((count, name) => count + one.listenerCount(name), 0),
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
