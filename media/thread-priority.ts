import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Clock } from '../shared/clock.ts';
import { errorText, type Logger } from '../shared/log.ts';
import type { WorkerStatus } from '../shared/restarting-worker.ts';

/** nice(2): each step is about a fifth less of a contended core. */
const BACKGROUND_NICE = 10;
const CHECK_EVERY_MS = 5_000;

/**
 * Lowers the priority of every other thread of this process (garbage collection, compilation, models) below the media thread's,
 * so that on a shared core they do not delay a frame by their time slice. Linux keeps a nice value per thread: setpriority(2),
 * "C library/kernel differences". Call it when all threads have started. Does nothing on other systems; a failure is logged.
 */
export function lowerOtherThreadsPriority(log: Logger): void {
  if (process.platform !== 'linux') return;
  try {
    for (const name of readdirSync('/proc/self/task')) {
      const thread = Number(name);
      if (thread !== process.pid) setPriority(thread, BACKGROUND_NICE);
    }
  } catch (error) {
    log.warn({ reason: errorText(error) }, 'thread priorities could not be set');
  }
}

/**
 * Does so now, and soon after a worker was started in place of a failed one: its thread begins with the priority of the media thread,
 * which starts it.
 */
export function keepOtherThreadsPriorityLow(
  workers: readonly Pick<WorkerStatus, 'restarts'>[],
  { clock, log }: { clock: Clock; log: Logger },
): void {
  const restarts = () => workers.reduce((sum, worker) => sum + worker.restarts, 0);
  let before = restarts();
  function check(): void {
    if (restarts() !== before) lowerOtherThreadsPriority(log);
    before = restarts();
    clock.after(CHECK_EVERY_MS, check);
  }
  lowerOtherThreadsPriority(log);
  clock.after(CHECK_EVERY_MS, check);
}
