import type { Clock, Timer } from '../../shared/clock.ts';

/**
 * One bounded wait with one owner. Restarting it is cheap, so it can be restarted with every audio message (fifty a
 * second): the pending timer checks, when it fires, whether the end has moved.
 */
export interface Deadline {
  /** Expires `ms` from now (the default time when left out), whether it was running or not. */
  start(ms?: number): void;
  /** Ends the wait; harmless when it is not running. */
  stop(): void;
  readonly running: boolean;
}

/** `onExpired` runs at most once for each `start`, never within `start` or `stop`. */
export function createDeadline(clock: Clock, defaultMs: number, onExpired: () => void): Deadline {
  let dueAt: number | null = null;
  let timer: Timer | null = null;
  let timerAt = 0;

  function arm(delayMs: number): void {
    timerAt = clock.now() + delayMs;
    timer = clock.after(delayMs, check);
  }

  function check(): void {
    timer = null;
    if (dueAt === null) return;
    const remainingMs = dueAt - clock.now();
    if (remainingMs > 0) {
      arm(remainingMs);
      return;
    }
    dueAt = null;
    onExpired();
  }

  return {
    start(ms = defaultMs) {
      dueAt = clock.now() + ms;
      if (timer && timerAt <= dueAt) return;
      timer?.cancel();
      arm(ms);
    },
    stop() {
      dueAt = null;
      timer?.cancel();
      timer = null;
    },
    get running() {
      return dueAt !== null;
    },
  };
}
