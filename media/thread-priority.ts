import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';
import { errorText, type Logger } from '../shared/log.ts';

/** nice(2): each step is about a fifth less of a processor that is wanted by several. */
const BACKGROUND_NICE = 10;

/**
 * Puts every other thread of this process (collecting garbage, compiling, the models') behind the one that carries sound: on
 * a core they share they run when it waits, and do not hold a frame up for the milliseconds of a turn of theirs. Linux
 * has a rank for each thread, whatever POSIX says of processes: setpriority(2), "C library/kernel differences". To be
 * called when all threads are there. Elsewhere nothing happens, and what does not work is only told.
 */
export function lowerOtherThreadsPriority(log: Logger): void {
  if (process.platform !== 'linux') return;
  try {
    for (const name of readdirSync('/proc/self/task')) {
      const thread = Number(name);
      if (thread !== process.pid) setPriority(thread, BACKGROUND_NICE);
    }
  } catch (error) {
    log.warn({ reason: errorText(error) }, 'the threads of this process all have the same rank');
  }
}
