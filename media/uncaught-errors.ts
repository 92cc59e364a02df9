import type { Clock } from '../shared/clock.ts';
import { describeError } from '../shared/describe-error.ts';
import type { Logger } from '../shared/log.ts';

export interface UncaughtErrorOptions {
  clock: Clock;
  log: Logger;
  /** Called once, for the first error: it may have left state inconsistent, so no call should start here any more. */
  shutDown(): void;
  /** Errors come without end: the process cannot drain. */
  exit(): void;
}

/** This many errors within MAX_ERRORS_WITHIN_MS repeat themselves as fast as the machine allows. */
const MAX_ERRORS = 100;
const MAX_ERRORS_WITHIN_MS = 1_000;

/**
 * Creates a handler of uncaught errors: the first one is logged and shuts the engine down while calls in progress go on, since
 * most likely it was thrown in the timer of a single call. Never throws.
 */
export function createUncaughtErrorHandler({
  clock,
  log,
  shutDown,
  exit,
}: UncaughtErrorOptions): (thrown: unknown) => void {
  /** Of the last MAX_ERRORS errors. */
  const timesMs: number[] = [];
  let shuttingDown = false;

  return (thrown) => {
    const nowMs = clock.now();
    timesMs.push(nowMs);
    if (timesMs.length > MAX_ERRORS) timesMs.shift();
    if (timesMs.length === MAX_ERRORS && nowMs - timesMs[0]! <= MAX_ERRORS_WITHIN_MS) {
      log.fatal({ errors: MAX_ERRORS, within_ms: MAX_ERRORS_WITHIN_MS }, 'too many uncaught errors; exiting');
      exit();
      return;
    }
    if (shuttingDown) return;
    shuttingDown = true;
    log.fatal(describeError(thrown), 'uncaught error; engine shuts down when its calls are over');
    shutDown();
  };
}
