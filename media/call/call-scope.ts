import type { Clock, Timer } from '../../shared/clock.ts';
import { describeError } from '../../shared/describe-error.ts';
import type { Logger } from '../../shared/log.ts';

/**
 * What one call has started: whatever calls into the call from outside (timers, ticks, sockets, workers, promises) does so
 * through its scope. An error that nobody expected ends this call, and no other one notices.
 */
export interface CallScope {
  /** Its timers end with the call. */
  readonly clock: Clock;
  /** Returns a function that runs `run`; an error in it fails the call. */
  guard<Args extends unknown[]>(run: (...args: Args) => void): (...args: Args) => void;
  /** Runs `run`; after an error, which fails the call, returns undefined. */
  attempt<Result>(run: () => Result): Result | undefined;
  /** A rejection fails the call. */
  watch(work: Promise<unknown>): void;
  /** Cancels the timers that are left. */
  close(): void;
}

export interface CallScopeOptions {
  callId: string;
  clock: Clock;
  log: Logger;
  /** Ends the call, or the part of it that the scope is for. Called once, with the first error. */
  onFailed(): void;
  /** Of the log. */
  message?: string;
}

/** Errors of a call in the log; a broken part may fail fifty times a second until it is closed. */
const MAX_LOGGED_ERRORS = 5;

export function createCallScope(options: CallScopeOptions): CallScope {
  const { callId, clock, log, onFailed, message = 'unexpected error in a call, which ends' } = options;
  const timers = new Set<Timer>();
  let errors = 0;

  function fail(error: unknown): void {
    errors++;
    if (errors <= MAX_LOGGED_ERRORS) {
      log.error({ call_id: callId, ...describeError(error) }, message);
    }
    if (errors === 1) onFailed();
  }

  function attempt<Result>(run: () => Result): Result | undefined {
    try {
      return run();
    } catch (error) {
      fail(error);
      return undefined;
    }
  }

  return {
    attempt,
    clock: {
      now: () => clock.now(),
      wall: () => clock.wall(),
      after(delayMs, run) {
        const timer = clock.after(delayMs, () => {
          timers.delete(timer);
          attempt(run);
        });
        timers.add(timer);
        return {
          cancel() {
            timers.delete(timer);
            timer.cancel();
          },
        };
      },
    },
    guard:
      (run) =>
      (...args) => {
        try {
          run(...args);
        } catch (error) {
          fail(error);
        }
      },
    watch: (work) => void work.catch(fail),
    close() {
      for (const timer of timers) timer.cancel();
      timers.clear();
    },
  };
}
