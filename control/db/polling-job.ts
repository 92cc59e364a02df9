import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { Sql } from './connect.ts';
import { listenForNotifications } from './notifications.ts';

export interface PollingJob {
  /** Runs now, or once more when it is running. */
  wake(): void;
  /** No further run; resolves when the running one has ended. */
  stop(): Promise<void>;
}

export interface PollingJobOptions {
  /** For the log. */
  name: string;
  /** From the end of one run to the next; never two runs at once. */
  intervalMs: number;
  clock: Clock;
  log: Logger;
  /** PostgreSQL's notifications that wake the job. Some may be missed, so it polls as well. */
  wakeOn?: { sql: Sql; channel: string };
  run(): Promise<void>;
}

export interface PollingJobState {
  name: string;
  interval_ms: number;
  /** Since a run last came through; before the first: since the start. */
  success_age_ms: number;
}

/** Those of this process that were not stopped: one list, as the process is one. */
const runningJobs = new Set<() => PollingJobState>();

/** How the loops of this process are doing, by name; of two with one name the one that is worse off. */
export function pollingJobStates(): PollingJobState[] {
  const byName = new Map<string, PollingJobState>();
  for (const stateOf of runningJobs) {
    const state = stateOf();
    const other = byName.get(state.name);
    if (!other || other.success_age_ms < state.success_age_ms) byName.set(state.name, state);
  }
  return [...byName.values()];
}

/**
 * Background work of this process. A run that fails is told once and tried again after the usual pause, so a database
 * that is away costs one line when it goes and one when it is back. There is no lease: every process may run every
 * loop, because what they do is settled under row locks.
 */
export function startPollingJob({ name, intervalMs, clock, log, wakeOn, run }: PollingJobOptions): PollingJob {
  let timer: Timer | null = null;
  let running: Promise<void> | null = null;
  let again = false;
  let stopped = false;
  let failing = false;
  let succeededMs = clock.now();
  const state = () => ({ name, interval_ms: intervalMs, success_age_ms: clock.now() - succeededMs });
  runningJobs.add(state);

  async function once(): Promise<void> {
    try {
      await run();
      succeededMs = clock.now();
      if (failing) log.info({ loop: name }, 'background work goes on');
      failing = false;
    } catch (error) {
      if (!failing) log.error({ loop: name, error: errorText(error) }, 'background work failed; trying again');
      failing = true;
      // Woken work waits for the pause too: hammering does not heal.
      again = false;
    }
  }

  function start(): void {
    timer?.cancel();
    timer = null;
    running = once().then(() => {
      running = null;
      if (stopped) return;
      if (again) {
        again = false;
        start();
      } else timer = clock.after(intervalMs, start);
    });
  }

  function wake(): void {
    if (stopped) return;
    if (running) again = true;
    else if (!failing) start();
  }

  timer = clock.after(0, start);
  const listener = wakeOn
    ? listenForNotifications(wakeOn.sql, wakeOn.channel, wake, (error) =>
        log.warn({ job: name, error }, 'listening for notifications failed; the job only polls'),
      )
    : null;
  return {
    wake,
    async stop() {
      stopped = true;
      timer?.cancel();
      await running;
      await listener?.stop();
      runningJobs.delete(state);
    },
  };
}
