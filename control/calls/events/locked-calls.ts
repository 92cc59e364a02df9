import type { Clock } from '../../../shared/clock.ts';
import { backoffMs } from '../../db/item-runner.ts';

/** Calls whose row somebody else holds locked: their events are put back, so that those of other calls do not wait. */
export interface LockedCalls {
  /** How long the call's events are still to wait before the lock is tried again; 0: not at all. */
  waitMs(callId: string): number;
  /** The lock was not free in time; returns how long the call's events are to wait. */
  add(callId: string): number;
  delete(callId: string): void;
}

/** After the lock is free, the call's events are written within this time. */
const MAX_WAIT_MS = 8_000;

export function createLockedCalls(clock: Pick<Clock, 'now'>): LockedCalls {
  const locked = new Map<string, { tries: number; untilMs: number }>();

  /** Their events were written by another process since, or the call was never tried again. */
  function forgetOld(nowMs: number): void {
    for (const [id, { untilMs }] of locked) if (nowMs - untilMs > MAX_WAIT_MS) locked.delete(id);
  }

  return {
    waitMs: (callId) => Math.max(0, Math.ceil((locked.get(callId)?.untilMs ?? 0) - clock.now())),
    add(callId) {
      const nowMs = clock.now();
      forgetOld(nowMs);
      const tries = (locked.get(callId)?.tries ?? 0) + 1;
      const waitMs = Math.round(backoffMs(tries, MAX_WAIT_MS));
      locked.set(callId, { tries, untilMs: nowMs + waitMs });
      return waitMs;
    },
    delete: (callId) => void locked.delete(callId),
  };
}
