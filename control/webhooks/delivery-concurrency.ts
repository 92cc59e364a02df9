import type { Clock } from '../../shared/clock.ts';

/** Concurrent attempts of this process to one receiver, and to all slow receivers. */
const MAX_PER_RECEIVER = 4;
const MAX_SLOW = 128;
/** A receiver whose last response took longer counts as slow for `SLOW_TTL_MS`. */
const SLOW_AFTER_MS = 2_000;
const SLOW_TTL_MS = 60_000;
/** One that responded sooner counts as fast for `FAST_TTL_MS`: more are leased at once than are sent, so that a claim finds many. */
const FAST_MS = 100;
const FAST_TTL_MS = 5_000;
const MAX_LEASED = 16;
/** A fast receiver became slow when a delivery waits longer for its turn: it is released. */
const MAX_WAIT_MS = 1_000;
const MAX_REMEMBERED = 10_000;

export type DeliveryConcurrency = ReturnType<typeof createDeliveryConcurrency>;

/** A leased delivery. */
export interface Entered {
  /** True when it may be sent, in the order of entering; false when that takes too long. */
  turn: Promise<boolean>;
  /** To call afterwards, with the receiver's latency, or null when nothing was sent. */
  leave(latencyMs: number | null): void;
}

interface Leased {
  count: number;
  sending: number;
  /** Calls it when it is a delivery's turn. */
  waiting: Set<() => void>;
}

/**
 * Limits concurrent attempts, so that slow receivers do not delay the others: each receiver has a limit of its own, and the slow
 * ones share a part of all attempts.
 */
export function createDeliveryConcurrency(clock: Clock) {
  const byReceiver = new Map<string, Leased>();
  /** Receiver → until when it counts as that, the earliest first. */
  const slow = new Map<string, number>();
  const fast = new Map<string, number>();

  const removeExpired = (remembered: Map<string, number>): void => {
    for (const [receiver, until] of remembered) {
      if (until > clock.now() && remembered.size <= MAX_REMEMBERED) return;
      remembered.delete(receiver);
    }
  };

  /** Of a fast one again when half of its deliveries are sent. */
  const headroomOf = (receiver: string, leased: number): number => {
    if (!fast.has(receiver)) return Math.max(0, MAX_PER_RECEIVER - leased);
    return leased <= MAX_LEASED / 2 ? MAX_LEASED - leased : 0;
  };

  /** True at once while few enough are sent. */
  function turnOf(leased: Leased, begin: () => void): Promise<boolean> {
    if (leased.sending < MAX_PER_RECEIVER) {
      begin();
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const next = () => {
        timer.cancel();
        leased.waiting.delete(next);
        begin();
        resolve(true);
      };
      const timer = clock.after(MAX_WAIT_MS, () => {
        leased.waiting.delete(next);
        resolve(false);
      });
      leased.waiting.add(next);
    });
  }

  function remember(receiver: string, latencyMs: number): void {
    slow.delete(receiver);
    fast.delete(receiver);
    if (latencyMs >= SLOW_AFTER_MS) slow.set(receiver, clock.now() + SLOW_TTL_MS);
    if (latencyMs <= FAST_MS) fast.set(receiver, clock.now() + FAST_TTL_MS);
  }

  return {
    limits: { perReceiver: MAX_PER_RECEIVER },

    /** How many more deliveries to lease of receivers for which it is not the limit. */
    headroom(): Map<string, number> {
      removeExpired(slow);
      removeExpired(fast);
      const headroom = new Map<string, number>();
      for (const receiver of fast.keys()) headroom.set(receiver, headroomOf(receiver, 0));
      let slowRunning = 0;
      for (const [receiver, { count }] of byReceiver) {
        headroom.set(receiver, headroomOf(receiver, count));
        if (slow.has(receiver)) slowRunning += count;
      }
      if (slowRunning >= MAX_SLOW) for (const receiver of slow.keys()) headroom.set(receiver, 0);
      return headroom;
    },

    enter(receiver: string): Entered {
      const leased = byReceiver.get(receiver) ?? { count: 0, sending: 0, waiting: new Set() };
      byReceiver.set(receiver, leased);
      leased.count++;
      let sending = false;
      const turn = turnOf(leased, () => {
        leased.sending++;
        sending = true;
      });
      return {
        turn,
        leave(latencyMs) {
          leased.count--;
          if (leased.count === 0) byReceiver.delete(receiver);
          if (latencyMs !== null) remember(receiver, latencyMs);
          if (!sending) return;
          leased.sending--;
          const [next] = leased.waiting;
          next?.();
        },
      };
    },
  };
}
