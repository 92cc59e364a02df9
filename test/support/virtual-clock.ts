import type { Clock, Timer } from '../../shared/clock.ts';

/** A clock that moves only when told, so that minutes of conversation pass in milliseconds. */
export interface VirtualClock extends Clock {
  /** Moves time forward by `ms`, running what falls due in order and letting promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Timers that have not run yet. */
  pending(): number;
}

interface Waiting {
  at: number;
  order: number;
  run: () => void;
}

/** Time stands still as long as somebody is `busy`, in another thread for example. */
export function createVirtualClock(
  startWallMs = Date.UTC(2026, 0, 5, 6, 30),
  busy: () => boolean = () => false,
): VirtualClock {
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
        const due = waiting.filter((entry) => entry.at <= end).sort((a, b) => a.at - b.at || a.order - b.order)[0];
        if (!due) break;
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

  /** Promise chains of any ordinary depth run to their end within one turn of the event loop. */
  async function settle(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (busy());
  }
}
