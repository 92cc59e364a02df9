import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { type Sql, wakeUpsOf } from './connect.ts';
import type { ItemCounts, ItemRunner } from './item-runner.ts';
import type { WakeTopic } from './wake-ups.ts';

export interface PollingJob {
  /** Runs now, or once more when it is running. */
  wake(): void;
  /** Starts no further run; resolves when the running one has ended. */
  stop(): Promise<void>;
}

export interface PollingJobOptions {
  /** For the log. */
  name: string;
  /** Pause between the end of one run and the next; runs never overlap. */
  intervalMs: number;
  clock: Clock;
  log: Logger;
  /** What wakes the job. Some wake-ups may be missed, so it polls as well. */
  wakeOn?: { sql: Sql; topic: WakeTopic };
  /** What runs the job's items: counted in the metrics, and waited for by `stop`. */
  items?: Pick<ItemRunner, 'counts'> & Partial<Pick<ItemRunner, 'settled'>>;
  run(): Promise<void>;
}

export interface PollingJobState {
  name: string;
  interval_ms: number;
  /** Since the last successful run, or since the start. */
  success_age_ms: number;
  /** Null where the job does not count items. */
  items: ItemCounts | null;
}

/** All polling jobs of this process that were not stopped. */
const runningJobs = new Set<() => PollingJobState>();

/** Returns the state of each polling job of this process by name; of two with one name, the one that succeeded longer ago. */
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
 * Starts background work of this process. A failing run is logged once and tried again after the usual pause, so an unavailable
 * database costs one line when it goes and one when it is back. Every process may run every job: what they do is settled under
 * row locks or leases.
 */
export function startPollingJob({ name, intervalMs, clock, log, wakeOn, items, run }: PollingJobOptions): PollingJob {
  let timer: Timer | null = null;
  let running: Promise<void> | null = null;
  let again = false;
  let stopped = false;
  let failing = false;
  let succeededMs = clock.now();
  const state = () => ({
    ...{ name, interval_ms: intervalMs, success_age_ms: clock.now() - succeededMs },
    items: items?.counts() ?? null,
  });
  runningJobs.add(state);

  async function once(): Promise<void> {
    try {
      await run();
      succeededMs = clock.now();
      if (failing) log.info({ job: name }, 'background job recovered');
      failing = false;
    } catch (error) {
      if (!failing) log.error({ job: name, error: errorText(error) }, 'background job failed; retrying');
      failing = true;
      // A failing job is not woken before its interval is over.
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
  const listener = wakeOn ? wakeUpsOf(wakeOn.sql).on(wakeOn.topic, wake) : null;
  return {
    wake,
    async stop() {
      stopped = true;
      timer?.cancel();
      listener?.stop();
      await running;
      await items?.settled?.();
      runningJobs.delete(state);
    },
  };
}
