import type { Clock } from '../../shared/clock.ts';

/** Attempts of this process under way at once, of one receiver, and of all the slow ones together. */
const MAX_CONCURRENT = 256;
const MAX_PER_RECEIVER = 4;
const MAX_SLOW = 128;
/** Who took longer the last time is slow, for as long as that is remembered. */
const SLOW_AFTER_MS = 2_000;
const SLOW_TTL_MS = 60_000;
const MAX_REMEMBERED = 10_000;

export type DeliveryConcurrency = ReturnType<typeof createDeliveryConcurrency>;

/**
 * How many attempts may run at once, so that receivers that let us wait hold back nobody but themselves: each has few
 * lanes of its own, and those known to be slow share half of all.
 */
export function createDeliveryConcurrency(clock: Clock) {
  const runningByReceiver = new Map<string, number>();
  /** Receiver → until when it counts as slow. The longest known stand first. */
  const slow = new Map<string, number>();
  let running = 0;

  const forget = (): void => {
    for (const [receiver, until] of slow) {
      if (until > clock.now() && slow.size <= MAX_REMEMBERED) return;
      slow.delete(receiver);
    }
  };

  return {
    limits: { perReceiver: MAX_PER_RECEIVER },
    free: () => MAX_CONCURRENT - running,

    /** For whom there is less room than for a receiver nobody knows yet. */
    room(): Map<string, number> {
      forget();
      const room = new Map<string, number>();
      for (const [receiver, count] of runningByReceiver) room.set(receiver, Math.max(0, MAX_PER_RECEIVER - count));
      let slowRunning = 0;
      for (const [receiver, count] of runningByReceiver) if (slow.has(receiver)) slowRunning += count;
      if (slowRunning >= MAX_SLOW) for (const receiver of slow.keys()) room.set(receiver, 0);
      return room;
    },

    /** @returns to be called when the attempt is over, with how long the receiver took; null when it was not asked. */
    enter(receiver: string): (latencyMs: number | null) => void {
      running++;
      runningByReceiver.set(receiver, (runningByReceiver.get(receiver) ?? 0) + 1);
      return (latencyMs) => {
        running--;
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
