import type { Clock } from '../../shared/clock.ts';

/** Concurrent attempts of this process to one receiver, and to all slow receivers. */
const MAX_PER_RECEIVER = 4;
const MAX_SLOW = 128;
/** A receiver whose last response took longer counts as slow for `SLOW_TTL_MS`. */
const SLOW_AFTER_MS = 2_000;
const SLOW_TTL_MS = 60_000;
/**
 * One that accepted its last delivery sooner counts as fast for `FAST_TTL_MS`: it has more attempts at once, and more are leased than
 * are sent, so that a claim finds many.
 */
const FAST_MS = 100;
const FAST_TTL_MS = 5_000;
const MAX_PER_FAST = 8;
const MAX_LEASED = 128;
/** Of one call, which are sent one after the other until a response takes longer, or is a failure. */
const MAX_PER_CALL = 16;
const RUN_ENDS_MS = 500;
/** A fast receiver became slow when a run waits longer for its turn: it is released. */
const MAX_WAIT_MS = 1_000;
const MAX_REMEMBERED = 10_000;

export type DeliveryConcurrency = ReturnType<typeof createDeliveryConcurrency>;

/** Leased deliveries that are sent one after the other. */
export interface Entered {
  /** True when they may be sent, in the order of entering; false when that takes too long. */
  turn: Promise<boolean>;
  /** Says how an attempt ended. @returns whether the next one of the run may follow. */
  attempted(attempt: { latency_ms: number; delivered: boolean }): boolean;
  /** To call when none is sent any more: the next ones have their turn. */
  leave(): void;
  /** To call when so many are no longer leased. @returns whether more of a fast receiver may be leased since then. */
  ended(deliveries: number): boolean;
}

interface Leased {
  count: number;
  /** Runs that have their turn. */
  sending: number;
  /** Calls it when it is a run's turn. */
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

  const maxSending = (receiver: string) => (fast.has(receiver) ? MAX_PER_FAST : MAX_PER_RECEIVER);

  /** True at once while few enough are sent. */
  function turnOf(receiver: string, leased: Leased, begin: () => void): Promise<boolean> {
    if (leased.sending < maxSending(receiver)) {
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

  function remember(receiver: string, { latency_ms, delivered }: { latency_ms: number; delivered: boolean }): boolean {
    slow.delete(receiver);
    fast.delete(receiver);
    if (latency_ms >= SLOW_AFTER_MS) slow.set(receiver, clock.now() + SLOW_TTL_MS);
    if (delivered && latency_ms <= FAST_MS) fast.set(receiver, clock.now() + FAST_TTL_MS);
    return delivered && latency_ms <= RUN_ENDS_MS;
  }

  return {
    limits: { perReceiver: MAX_PER_RECEIVER, perCall: MAX_PER_CALL },

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

    enter(receiver: string, deliveries = 1): Entered {
      const leased = byReceiver.get(receiver) ?? { count: 0, sending: 0, waiting: new Set() };
      byReceiver.set(receiver, leased);
      leased.count += deliveries;
      let sending = false;
      const turn = turnOf(receiver, leased, () => {
        leased.sending++;
        sending = true;
      });
      return {
        turn,
        attempted: (attempt) => remember(receiver, attempt),
        leave() {
          if (!sending) return;
          sending = false;
          leased.sending--;
          for (const next of leased.waiting) if (leased.sending < maxSending(receiver)) next();
        },
        ended(deliveries) {
          const before = headroomOf(receiver, leased.count);
          leased.count -= deliveries;
          if (leased.count === 0) byReceiver.delete(receiver);
          return before === 0 && headroomOf(receiver, leased.count) > 0;
        },
      };
    },
  };
}
