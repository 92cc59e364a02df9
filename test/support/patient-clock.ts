import { type Clock, systemClock } from '../../shared/clock.ts';

/** Shorter waits are part of how something works, and no deadline. */
const SHORTEST_DEADLINE_MS = 400;
const TIMES_LONGER = 20;

/**
 * The system's clock with deadlines that are twenty times as long, for the product in a test that runs into none of them. When the
 * machine stands still, timers that are due run before the answer that waits in the socket is read. Simulators keep the system's
 * clock; so does what waits for a deadline. @param regular waits that stay as they are, such as that of a renewal
 */
export function createPatientClock(regular: readonly number[] = []): Clock {
  return {
    ...systemClock,
    after(delayMs, run) {
      const isDeadline = delayMs >= SHORTEST_DEADLINE_MS && !regular.includes(delayMs);
      return systemClock.after(isDeadline ? TIMES_LONGER * delayMs : delayMs, run);
    },
  };
}

export const patientClock = createPatientClock();
