import { type Clock, systemClock, type Timer } from '../../shared/clock.ts';

/** No connection of a pool was free in time; nothing was sent. */
export class NoFreeConnectionError extends Error {
  readonly code = 'CONNECTION_WAIT';
}

/** Who may use a connection of a pool, in the order of their coming. */
export interface ConnectionGate {
  /** Calls `granted` when a connection is free, which may be now, or `refused` when none was in time. Who was granted one leaves. */
  enter(granted: () => void, refused: (error: NoFreeConnectionError) => void): void;
  /** @param error what the statement or transaction failed with. */
  leave(error?: unknown): void;
  state(): GateState;
}

export interface GateState {
  max: number;
  in_use: number;
  waiting: number;
  /** How often no connection was free in time. */
  refused: number;
  /** How often a statement was canceled, by its time-out as a rule, and nobody within its transaction caught it. */
  canceled: number;
}

/** PostgreSQL's "query_canceled". */
const CANCELED = '57014';

/** @param waitMs how long one waits at most; without it, for ever. */
export function createConnectionGate(max: number, waitMs?: number, clock: Clock = systemClock): ConnectionGate {
  let inUse = 0;
  let refused = 0;
  let canceled = 0;
  const waiting = new Set<{ granted(): void; timer: Timer | null }>();
  return {
    enter(granted, onRefused) {
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
        refused++;
        onRefused(new NoFreeConnectionError(`none of ${max} database connections was free within ${waitMs} ms`));
      });
    },
    leave(error) {
      if ((error as { code?: string } | undefined)?.code === CANCELED) canceled++;
      const [next] = waiting;
      if (!next) {
        inUse--;
        return;
      }
      waiting.delete(next);
      next.timer?.cancel();
      next.granted();
    },
    state: () => ({ max, in_use: inUse, waiting: waiting.size, refused, canceled }),
  };
}
