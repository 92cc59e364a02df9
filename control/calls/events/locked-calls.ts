import type { Clock } from '../../../shared/clock.ts';
import { backoffMs } from '../../db/item-runner.ts';
import type { ReceivedEvent } from './received-event.ts';

/** Calls whose row somebody else holds locked: their events are put back, so that those of other calls do not wait. */
export interface LockedCalls {
  /** How long the call's events are still to wait before the lock is tried again; 0: not at all. */
  waitMs(callId: string): number;
  /** The lock was not free in time; returns how long the call's events are to wait. */
  add(callId: string): number;
  delete(callId: string): void;
}

/**
 * Puts back the events of a locked call: the first and the last of them, which are enough to find the others in the stream again. The first
 * one holds the stream's read position, so that those behind it are not deleted; the last one says how far to read. The others are
 * acknowledged, because the bus delivers no call's events any more while so many of a locked one wait (`max_ack_pending`).
 */
export function putBackFirstAndLast(group: readonly ReceivedEvent[], waitMs: number): void {
  const inStream = group.filter(({ delivered }) => delivered !== null).sort((a, b) => a.position - b.position);
  inStream.forEach(({ delivered }, at) => {
    if (at === 0 || at === inStream.length - 1) delivered?.nak(waitMs);
    else delivered?.ack();
  });
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
