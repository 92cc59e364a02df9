/**
 * Time is passed in, so that a ten-minute conversation can be tested in milliseconds. `now` is monotonic and only for
 * differences; `wall` is the time of day and only for records.
 */

/** A function call scheduled by `Clock.after`. */
export interface Timer {
  /** Does nothing when the function has already run. */
  cancel(): void;
}

export interface Clock {
  /** Monotonic milliseconds, with fractions. */
  now(): number;
  /** Milliseconds since 1970, UTC. */
  wall(): number;
  /** Runs `run` once, `delayMs` from now; never earlier. */
  after(delayMs: number, run: () => void): Timer;
}

/** Resolves after `ms`. */
export function pause(clock: Pick<Clock, 'after'>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(delayMs, run) {
    const handle = setTimeout(run, Math.max(0, delayMs));
    return { cancel: () => clearTimeout(handle) };
  },
};
