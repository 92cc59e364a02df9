/**
 * Time comes in from outside, so that a ten-minute conversation can be tested in milliseconds.
 * `now` is monotonic and only good for differences; `wall` is the time of day and only good for records.
 */

/** A pending call of a function. */
export interface Timer {
  /** Forgets the call; harmless when it already happened. */
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

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(delayMs, run) {
    const handle = setTimeout(run, Math.max(0, delayMs));
    return { cancel: () => clearTimeout(handle) };
  },
};
