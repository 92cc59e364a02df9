import { type Clock, systemClock } from '../../shared/clock.ts';

/** A clock some of whose timers run only when the test says so. */
export interface HeldTimers {
  clock: Clock;
  /** Runs those that wait. */
  run(): void;
}

/** Holds the timers of this delay, which is a deadline that a slow machine must not run into; `clock` has all others. */
export function holdTimers(delayMs: number, clock: Clock = systemClock): HeldTimers {
  const held = new Set<() => void>();
  return {
    clock: {
      ...clock,
      after(afterMs, run) {
        if (afterMs !== delayMs) return clock.after(afterMs, run);
        held.add(run);
        return { cancel: () => void held.delete(run) };
      },
    },
    run() {
      const runs = [...held];
      held.clear();
      for (const run of runs) run();
    },
  };
}
