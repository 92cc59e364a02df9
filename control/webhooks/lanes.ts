import type { Clock } from '../../shared/clock.ts';

/** Attempts of this process under way at once, of one receiver, and of all the slow ones together. */
const ALL = 256;
const PER_RECEIVER = 4;
const ALL_SLOW = 128;
/** Who took longer the last time is slow, for as long as that is remembered. */
const SLOW_MS = 2_000;
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 10_000;

export type Lanes = ReturnType<typeof createLanes>;

/**
 * How many attempts may run at once, so that receivers that let us wait hold back nobody but themselves: each has few
 * lanes of its own, and those known to be slow share half of all.
 */
export function createLanes(clock: Clock) {
  const busy = new Map<string, number>();
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
    limits: { perReceiver: PER_RECEIVER },
    free: () => ALL - running,

    /** For whom there is less room than for a receiver nobody knows yet. */
    room(): Map<string, number> {
      forget();
      const room = new Map<string, number>();
      for (const [receiver, count] of busy) room.set(receiver, Math.max(0, PER_RECEIVER - count));
      let slowRunning = 0;
      for (const [receiver, count] of busy) if (slow.has(receiver)) slowRunning += count;
      if (slowRunning >= ALL_SLOW) for (const receiver of slow.keys()) room.set(receiver, 0);
      return room;
    },

    /** @returns to be called when the attempt is over, with how long the receiver took; null when it was not asked. */
    enter(receiver: string): (latencyMs: number | null) => void {
      running++;
      busy.set(receiver, (busy.get(receiver) ?? 0) + 1);
      return (latencyMs) => {
        running--;
        const left = busy.get(receiver)! - 1;
        if (left === 0) busy.delete(receiver);
        else busy.set(receiver, left);
        if (latencyMs === null) return;
        slow.delete(receiver);
        if (latencyMs >= SLOW_MS) slow.set(receiver, clock.now() + REMEMBERED_MS);
      };
    },
  };
}
