import type { Clock } from '../../shared/clock.ts';
import { createDeadline } from '../provider/deadline.ts';

/** Final words were asked for here. */
export interface FinalAsk {
  /** Bytes of sound given to the provider before. */
  position: number;
  atMs: number;
}

/** The open questions for final words, oldest first. Each is answered once: by the provider, or when its time is over. */
export interface FinalAsks {
  add(position: number): void;
  readonly oldest: FinalAsk | null;
  /** The oldest has its answer. */
  answered(): void;
  /** Forgets them all. */
  clear(): void;
}

/** `onLate` runs when the oldest was open for `withinMs`; it has to answer it, or clear them. */
export function createFinalAsks(clock: Clock, withinMs: number, onLate: (ask: FinalAsk) => void): FinalAsks {
  let waiting: FinalAsk[] = [];
  const deadline = createDeadline(clock, withinMs, () => {
    if (waiting[0]) onLate(waiting[0]);
  });

  function watch(): void {
    if (waiting[0]) deadline.start(Math.max(0, waiting[0].atMs + withinMs - clock.now()));
    else deadline.stop();
  }

  return {
    add(position) {
      waiting.push({ position, atMs: clock.now() });
      if (waiting.length === 1) watch();
    },
    get oldest() {
      return waiting[0] ?? null;
    },
    answered() {
      waiting.shift();
      watch();
    },
    clear() {
      waiting = [];
      deadline.stop();
    },
  };
}
