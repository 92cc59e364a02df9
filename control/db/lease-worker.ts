import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText } from '../../shared/log.ts';
import { backoffMs, isLockTimeout } from './item-runner.ts';
import { type PollingJob, type PollingJobOptions, startPollingJob } from './polling-job.ts';

/** `name` to `wakeOn` are those of the polling job that leases. */
export interface LeaseWorkerOptions<Job> extends Omit<PollingJobOptions, 'run' | 'items'> {
  /** Jobs of this process at once. */
  maxConcurrent: number;
  /** Leases at most `limit` free jobs; `more` when it should be called again at once. */
  lease(limit: number): Promise<{ jobs: readonly Job[]; more: boolean }>;
  /**
   * Does a leased job, and writes its result while the lease holds. False when `signal` aborted it, because the worker stops or
   * the lease is lost: then it is released. `later`: it is to be tried again after a pause.
   */
  work(job: Job, signal: AbortSignal): Promise<boolean | 'later'>;
  /** Ends the lease of an unfinished job; does nothing when the lease is lost. */
  release(job: Job): Promise<void>;
  /** Extends the lease every `everyMs` while the work goes on; false when it is lost. */
  renewal?: { everyMs: number; renew(job: Job): Promise<boolean> };
  /** Lets a job that failed or is to be done later wait; without it, it is free again after its lease. */
  retry?: { triesOf(job: Job): number; postpone(job: Job, delayMs: number): Promise<void> };
  /** How long running jobs may continue after `stop`. */
  graceMs: number;
  /** Log fields that name a job. */
  fieldsOf(job: Job): Record<string, unknown>;
}

const MAX_BACKOFF_MS = 600_000;

/**
 * Works on rows that are leased to one process at a time. Every process may run one. A job whose process dies is free again when
 * its lease expires, one that fails after a pause that grows with its tries; results are written only by the holder of the lease.
 */
export function startLeaseWorker<Job>(options: LeaseWorkerOptions<Job>): PollingJob {
  const { name, clock, log, maxConcurrent, lease, work, release, renewal, retry, graceMs, fieldsOf } = options;
  const running = new Set<Promise<void>>();
  const shutdown = new AbortController();
  const failures = { lock: 0, other: 0 };
  let stopped = false;
  const counts = () => ({ running: running.size, retrying: 0, failures: { ...failures } });
  const polling = startPollingJob({ ...options, items: { counts }, run });

  return {
    wake: polling.wake,
    async stop() {
      stopped = true;
      await polling.stop();
      const grace = clock.after(graceMs, () => shutdown.abort());
      await Promise.all(running);
      grace.cancel();
    },
  };

  async function run(): Promise<void> {
    for (let more = true; more && !stopped && running.size < maxConcurrent; ) {
      const leased = await lease(maxConcurrent - running.size);
      for (const job of leased.jobs) start(job);
      ({ more } = leased);
    }
  }

  function start(job: Job): void {
    const lost = new AbortController();
    const renewing = renewal ? keepRenewing(clock, renewal.everyMs, () => renewal.renew(job), lost) : null;
    const done = work(job, AbortSignal.any([shutdown.signal, lost.signal]))
      .then((finished) => (finished === 'later' ? postpone(job) : finished ? undefined : release(job)))
      .catch((error: unknown) => {
        failures[isLockTimeout(error) ? 'lock' : 'other'] += 1;
        log.error({ job: name, ...fieldsOf(job), error: errorText(error) }, 'leased job failed; retrying');
        return postpone(job);
      })
      // The database is away: the job is free again after its lease.
      .catch(() => {})
      .then(() => {
        renewing?.stop();
        running.delete(done);
        polling.wake();
      });
    running.add(done);
  }

  async function postpone(job: Job): Promise<void> {
    await retry?.postpone(job, backoffMs(retry.triesOf(job), MAX_BACKOFF_MS));
  }
}

function keepRenewing(clock: Clock, everyMs: number, renew: () => Promise<boolean>, lost: AbortController) {
  let timer: Timer | null = null;
  let stopped = false;
  const schedule = () => {
    if (stopped) return;
    timer = clock.after(everyMs, () => {
      // A failing database is no lost lease: the next renewal tries again.
      void renew()
        .catch(() => true)
        .then((held) => (held ? schedule() : lost.abort()));
    });
  };
  schedule();
  return {
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}
