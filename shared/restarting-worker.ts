import type { Clock, Timer } from './clock.ts';
import { errorText, type Logger } from './log.ts';

/**
 * Runs one worker (a thread with its model) for as long as the process lives. One that rejects a request or does not answer in time
 * is closed, and another is started in its place: at once after the first failure, later and later while they keep failing. Until
 * it runs there is none, and calls go on without it.
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
  /** In log lines and metrics, such as "noise cancellation". */
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

/** When a worker is started in place of a failed one. */
export interface WorkerRestarts {
  /** Workers that ran in place of failed ones. */
  readonly count: number;
  /** The worker failed after it ran for `ranMs`, null when it never ran: another one will be started. */
  failed(reason: string, ranMs: number | null): void;
  /** A worker runs. */
  running(): void;
  /** None is started any more. */
  cancel(): void;
}

export function createWorkerRestarts(options: {
  name: string;
  start(): void;
  clock: Clock;
  log: Logger;
}): WorkerRestarts {
  const { name, start, clock, log } = options;
  let failures = 0;
  let count = 0;
  let timer: Timer | null = null;
  return {
    get count() {
      return count;
    },
    failed(reason, ranMs) {
      const message = ranMs === null ? 'worker could not be started' : 'worker failed; calls go on without it';
      log.error({ worker: name, reason }, message);
      if (ranMs !== null && ranMs >= STABLE_AFTER_MS) failures = 0;
      timer = clock.after(BACKOFF_MS[Math.min(failures++, BACKOFF_MS.length - 1)]!, start);
    },
    running() {
      if (failures === 0) return;
      count++;
      log.info({ worker: name, restarts: count }, 'worker restarted');
    },
    cancel: () => timer?.cancel(),
  };
}

export function keepRunning<Worker extends { close(): Promise<void> }>(
  options: RestartingWorkerOptions<Worker>,
): RestartingWorker<Worker> {
  const { name, start, clock, log } = options;
  let current: Worker | null = options.worker;
  let startedMs = clock.now();
  let closed = false;
  const restarts = createWorkerRestarts({
    ...{ name, clock, log },
    start: () => void start().then(onStarted, onStartFailed),
  });

  function replace(worker: Worker, reason: string): void {
    // Requests of the same worker may fail one after the other.
    if (closed || current !== worker) return;
    current = null;
    closeQuietly(worker);
    restarts.failed(reason, clock.now() - startedMs);
  }

  function onStarted(worker: Worker): void {
    if (closed) {
      closeQuietly(worker);
      return;
    }
    current = worker;
    startedMs = clock.now();
    restarts.running();
  }

  function onStartFailed(error: unknown): void {
    if (!closed) restarts.failed(errorText(error), null);
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
      return restarts.count;
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
      restarts.cancel();
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
