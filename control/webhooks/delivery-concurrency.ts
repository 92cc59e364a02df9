import type { Clock } from '../../shared/clock.ts';

/** Concurrent attempts of this process to one receiver, and to all slow receivers. */
const MAX_PER_RECEIVER = 4;
const MAX_SLOW = 128;
/** A receiver whose last response took longer counts as slow for `SLOW_TTL_MS`. */
const SLOW_AFTER_MS = 2_000;
const SLOW_TTL_MS = 60_000;
const MAX_REMEMBERED = 10_000;

export type DeliveryConcurrency = ReturnType<typeof createDeliveryConcurrency>;

/**
 * Limits concurrent attempts, so that slow receivers do not delay the others: each receiver has a limit of its own, and the slow
 * ones share a part of all attempts.
 */
export function createDeliveryConcurrency(clock: Clock) {
  const runningByReceiver = new Map<string, number>();
  /** Receiver → until when it counts as slow, the earliest first. */
  const slow = new Map<string, number>();

  const removeExpired = (): void => {
    for (const [receiver, until] of slow) {
      if (until > clock.now() && slow.size <= MAX_REMEMBERED) return;
      slow.delete(receiver);
    }
  };

  return {
    limits: { perReceiver: MAX_PER_RECEIVER },

    /** Receivers with less than the full limit left. */
    headroom(): Map<string, number> {
      removeExpired();
      const headroom = new Map<string, number>();
      for (const [receiver, count] of runningByReceiver) headroom.set(receiver, Math.max(0, MAX_PER_RECEIVER - count));
      let slowRunning = 0;
      for (const [receiver, count] of runningByReceiver) if (slow.has(receiver)) slowRunning += count;
      if (slowRunning >= MAX_SLOW) for (const receiver of slow.keys()) headroom.set(receiver, 0);
      return headroom;
    },

    /** @returns a function to call after the attempt with the receiver's latency, or null when nothing was sent. */
    enter(receiver: string): (latencyMs: number | null) => void {
      runningByReceiver.set(receiver, (runningByReceiver.get(receiver) ?? 0) + 1);
      return (latencyMs) => {
        const left = runningByReceiver.get(receiver)! - 1;
        if (left === 0) runningByReceiver.delete(receiver);
        else runningByReceiver.set(receiver, left);
        if (latencyMs === null) return;
        slow.delete(receiver);
        if (latencyMs >= SLOW_AFTER_MS) slow.set(receiver, clock.now() + SLOW_TTL_MS);
      };
    },
  };
}
