import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText } from '../../shared/log.ts';
import { type PollingJob, type PollingJobOptions, startPollingJob } from './polling-job.ts';

/** `name` to `wakeOn` are those of the polling job that leases. */
export interface LeaseWorkerOptions<Job> extends Omit<PollingJobOptions, 'run'> {
  /** Jobs of this process at once. */
  maxConcurrent: number;
  /** Leases at most `limit` free jobs; `more` when it should be called again at once. */
  lease(limit: number): Promise<{ jobs: readonly Job[]; more: boolean }>;
  /**
   * Does a leased job, and writes its result while the lease holds. False when `signal` aborted it, because the worker stops or
   * the lease is lost: then it is released.
   */
  work(job: Job, signal: AbortSignal): Promise<boolean>;
  /** Ends the lease of an unfinished job; does nothing when the lease is lost. */
  release(job: Job): Promise<void>;
  /** Extends the lease every `everyMs` while the work goes on; false when it is lost. */
  renewal?: { everyMs: number; renew(job: Job): Promise<boolean> };
  /** How long running jobs may continue after `stop`. */
  graceMs: number;
  /** Log fields that name a job. */
  fieldsOf(job: Job): Record<string, unknown>;
}

/**
 * Works on rows that are leased to one process at a time. Every process may run one. A job that fails, or whose process dies, is
 * free again when its lease expires; results are written only by the holder of the lease.
 */
export function startLeaseWorker<Job>(options: LeaseWorkerOptions<Job>): PollingJob {
  const { name, clock, log, maxConcurrent, lease, work, release, renewal, graceMs, fieldsOf } = options;
  const running = new Set<Promise<void>>();
  const shutdown = new AbortController();
  let stopped = false;
  const polling = startPollingJob({ ...options, run });

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
      .then((finished) => (finished ? undefined : release(job)))
      .catch((error: unknown) =>
        log.error(
          { job: name, ...fieldsOf(job), error: errorText(error) },
          'leased job failed; retried after its lease',
        ),
      )
      .then(() => {
        renewing?.stop();
        running.delete(done);
        polling.wake();
      });
    running.add(done);
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
