import type { Clock, Timer } from '../../shared/clock.ts';

/** A clock that only `advance` moves, so that minutes of conversation take milliseconds. */
export interface VirtualClock extends Clock {
  /** Advances by `ms`, runs due timers in order and lets promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Number of pending timers. */
  pending(): number;
}

interface Waiting {
  at: number;
  order: number;
  run: () => void;
}

export function createVirtualClock(startWallMs = Date.UTC(2026, 0, 5, 6, 30)): VirtualClock {
  let time = 0;
  let order = 0;
  let waiting: Waiting[] = [];

  return {
    now: () => time,
    wall: () => startWallMs + time,
    after(delayMs, run): Timer {
      const entry: Waiting = { at: time + Math.max(0, delayMs), order: order++, run };
      waiting.push(entry);
      return {
        cancel() {
          waiting = waiting.filter((other) => other !== entry);
        },
      };
    },
    async advance(ms) {
      const end = time + ms;
      await settle();
      for (;;) {
        const due = earliest();
        if (!due || due.at > end) break;
        waiting = waiting.filter((entry) => entry !== due);
        time = Math.max(time, due.at);
        due.run();
        await settle();
      }
      time = end;
      await settle();
    },
    pending: () => waiting.length,
  };

  function earliest(): Waiting | undefined {
    let first = waiting[0];
    for (const entry of waiting) {
      if (entry.at < first!.at || (entry.at === first!.at && entry.order < first!.order)) first = entry;
    }
    return first;
  }

  /** Ordinary promise chains complete within one iteration of the event loop. */
  async function settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
