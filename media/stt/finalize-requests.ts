import type { Clock } from '../../shared/clock.ts';
import { createDeadline } from '../provider/deadline.ts';

/** Final words were asked for here. */
export interface FinalizeRequest {
  /** Bytes of sound given to the provider before. */
  position: number;
  atMs: number;
}

/** The open questions for final words, oldest first. Each is answered once: by the provider, or when its time is over. */
export interface FinalizeRequests {
  add(position: number): void;
  readonly oldest: FinalizeRequest | null;
  /** The oldest has its answer. */
  resolveOldest(): void;
  /** Forgets them all. */
  clear(): void;
}

/** `onLate` runs when the oldest was open for `withinMs`; it has to answer it, or clear them. */
export function createFinalizeRequests(
  clock: Clock,
  withinMs: number,
  onTimeout: (ask: FinalizeRequest) => void,
): FinalizeRequests {
  let pending: FinalizeRequest[] = [];
  const deadline = createDeadline(clock, withinMs, () => {
    if (pending[0]) onTimeout(pending[0]);
  });

  function armDeadline(): void {
    if (pending[0]) deadline.start(Math.max(0, pending[0].atMs + withinMs - clock.now()));
    else deadline.stop();
  }

  return {
    add(position) {
      pending.push({ position, atMs: clock.now() });
      if (pending.length === 1) armDeadline();
    },
    get oldest() {
      return pending[0] ?? null;
    },
    resolveOldest() {
      pending.shift();
      armDeadline();
    },
    clear() {
      pending = [];
      deadline.stop();
    },
  };
}
