import type { Clock, Timer } from './clock.ts';
import { errorText, type Logger } from './log.ts';

/**
 * Runs one worker (a thread with its model) for as long as the process lives. One that rejects a request or does not answer in time
 * is closed, and another is started in its place: at once after the first failure, later and later while they keep failing. Until
 * it runs there is none, and whoever uses it does without.
 */
export interface RestartingWorker<Worker> extends WorkerStatus {
  /** The worker that runs; null while there is none. */
  readonly current: Worker | null;
  /**
   * Settles like `work`. Rejects when it rejects or takes longer than `deadlineMs`, which replaces the worker; then nothing that
   * `worker` shares with the caller may be used any more. The caller's own thread standing still does not count as the worker's time.
   */
  request<Result>(worker: Worker, work: Promise<Result>, deadlineMs: number): Promise<Result>;
  /** Closes the worker; no other is started. Idempotent. */
  close(): Promise<void>;
}

/** How a worker is, for metrics. */
export interface WorkerStatus {
  /** In log lines and metrics, such as "voice activity". */
  readonly name: string;
  readonly running: boolean;
  /** Workers that were started in place of failed ones. */
  readonly restarts: number;
}

export interface RestartingWorkerOptions<Worker> {
  name: string;
  /** The worker that runs already. */
  worker: Worker;
  /** Starts another one, with memory of its own. Rejects when it cannot be started. */
  start(): Promise<Worker>;
  clock: Clock;
  log: Logger;
}

/** Waits before workers are started in place of failed ones; the last one repeats. */
const BACKOFF_MS = [0, 500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;
/** A worker that ran for this long resets the backoff. */
const STABLE_AFTER_MS = 60_000;

/** How long to wait before the next worker is started, after `failures` that came before. */
export function restartWaitMs(failures: number): number {
  return BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)]!;
}

/** How many failures count after one more of a worker that ran for `ranMs`. */
export function failuresBefore(failures: number, ranMs: number): number {
  return ranMs >= STABLE_AFTER_MS ? 0 : failures;
}

export function keepRunning<Worker extends { close(): Promise<void> }>(
  options: RestartingWorkerOptions<Worker>,
): RestartingWorker<Worker> {
  const { name, start, clock, log } = options;
  let current: Worker | null = options.worker;
  let startedMs = clock.now();
  let failures = 0;
  let restarts = 0;
  let timer: Timer | null = null;
  let closed = false;

  function replace(worker: Worker, reason: string): void {
    // Requests of the same worker may fail one after the other.
    if (closed || current !== worker) return;
    current = null;
    log.error({ worker: name, reason }, 'worker failed; calls go on without it');
    closeQuietly(worker);
    failures = failuresBefore(failures, clock.now() - startedMs);
    scheduleStart();
  }

  function scheduleStart(): void {
    timer = clock.after(restartWaitMs(failures++), () => {
      timer = null;
      start().then(onStarted, onStartFailed);
    });
  }

  function onStarted(worker: Worker): void {
    if (closed) {
      closeQuietly(worker);
      return;
    }
    current = worker;
    startedMs = clock.now();
    restarts++;
    log.info({ worker: name, restarts }, 'worker restarted');
  }

  function onStartFailed(error: unknown): void {
    if (closed) return;
    log.error({ worker: name, reason: errorText(error) }, 'worker could not be restarted');
    scheduleStart();
  }

  function closeQuietly(worker: Worker): void {
    worker.close().catch((error: unknown) => log.warn({ worker: name, reason: errorText(error) }, 'worker not closed'));
  }

  return {
    name,
    get current() {
      return current;
    },
    get running() {
      return current !== null;
    },
    get restarts() {
      return restarts;
    },
    async request(worker, work, deadlineMs) {
      try {
        return await inTime(work, deadlineMs, clock);
      } catch (error) {
        replace(worker, errorText(error));
        throw error;
      }
    },
    async close() {
      closed = true;
      timer?.cancel();
      const last = current;
      current = null;
      await last?.close();
    },
  };
}

/** Rejects after the deadline, of which each half is waited for: an answer that is there already is read before the second. */
function inTime<Result>(work: Promise<Result>, deadlineMs: number, clock: Clock): Promise<Result> {
  return new Promise((resolve, reject) => {
    let timer = clock.after(deadlineMs / 2, () => {
      timer = clock.after(deadlineMs / 2, () => reject(new Error(`no answer within ${deadlineMs} ms`)));
    });
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}
