import { type Clock, systemClock, type Timer } from '../../shared/clock.ts';

/** No connection of a pool was free in time; nothing was sent. */
export class NoFreeConnectionError extends Error {
  readonly code = 'CONNECTION_WAIT';
}

/** Who may use a connection of a pool, in the order of their coming. */
export interface ConnectionGate {
  /** Calls `granted` when a connection is free, which may be now, or `refused` when none was in time. Who was granted one leaves. */
  enter(granted: () => void, refused: (error: NoFreeConnectionError) => void): void;
  leave(): void;
}

/** @param waitMs how long one waits at most; without it, for ever. */
export function createConnectionGate(max: number, waitMs?: number, clock: Clock = systemClock): ConnectionGate {
  let inUse = 0;
  const waiting = new Set<{ granted(): void; timer: Timer | null }>();
  return {
    enter(granted, refused) {
      if (inUse < max) {
        inUse++;
        granted();
        return;
      }
      const waiter = { granted, timer: null as Timer | null };
      waiting.add(waiter);
      if (waitMs === undefined) return;
      waiter.timer = clock.after(waitMs, () => {
        waiting.delete(waiter);
        refused(new NoFreeConnectionError(`none of ${max} database connections was free within ${waitMs} ms`));
      });
    },
    leave() {
      const [next] = waiting;
      if (!next) {
        inUse--;
        return;
      }
      waiting.delete(next);
      next.timer?.cancel();
      next.granted();
    },
  };
}
