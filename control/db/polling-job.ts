import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { type Sql, wakeUpsOf } from './connect.ts';
import type { ItemCounts, ItemRunner } from './item-runner.ts';
import { joinOpenWork, type OpenWorkCheck, type OpenWorkQuery } from './open-work.ts';
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
  /**
   * Skips runs that would find nothing, but for the first one and those that are woken. The query finds a row whenever a run has
   * something to do; it may find one when there is nothing. `intervalMs`: how often it is asked meanwhile, if not as often.
   */
  openWork?: { sql: Sql; query: OpenWorkQuery; intervalMs?: number };
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
export function startPollingJob(options: PollingJobOptions): PollingJob {
  const { name, intervalMs, clock, log, wakeOn, openWork, items, run } = options;
  const check = openWork ? joinOpenWork(openWork.sql, openWork.query, clock) : null;
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

  /** Runs unless there is nothing to do. @returns the pause that follows. */
  async function onceIfOpen(asks: OpenWorkCheck): Promise<number> {
    // Without an answer the run itself shows what is wrong.
    const open = await asks.mayBe().catch(() => true);
    if (open || again) {
      again = false;
      await once();
      return intervalMs;
    }
    succeededMs = clock.now();
    const everyMs = openWork?.intervalMs ?? intervalMs;
    // Jobs without work look at the same moments, so that they ask together.
    return everyMs - (Math.round(clock.now()) % everyMs);
  }

  function start(asks: OpenWorkCheck | null): void {
    timer?.cancel();
    timer = null;
    running = (asks ? onceIfOpen(asks) : once().then(() => intervalMs)).then((pauseMs) => {
      running = null;
      if (stopped) return;
      if (again) {
        again = false;
        start(null);
      } else timer = clock.after(pauseMs, () => start(failing ? null : check));
    });
  }

  function wake(): void {
    if (stopped) return;
    if (running) again = true;
    else if (!failing) start(null);
  }

  timer = clock.after(0, () => start(null));
  const listener = wakeOn ? wakeUpsOf(wakeOn.sql).on(wakeOn.topic, wake) : null;
  return {
    wake,
    async stop() {
      stopped = true;
      timer?.cancel();
      listener?.stop();
      check?.leave();
      await running;
      await items?.settled?.();
      runningJobs.delete(state);
    },
  };
}
