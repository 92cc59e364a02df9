import type { Clock } from '../../shared/clock.ts';
import { createDeadline } from '../provider/deadline.ts';

export interface FinalizeRequest {
  /** Milliseconds of audio sent to the provider before the request. */
  sentMs: number;
  atMs: number;
  /** True: the adapter's own request; nobody waits for its answer. */
  unasked: boolean;
}

/** The unanswered requests for final words, oldest first. Each is resolved once: by the provider or at its deadline. */
export interface FinalizeRequests {
  add(sentMs: number, unasked?: boolean): void;
  readonly oldest: FinalizeRequest | null;
  resolveOldest(): void;
  clear(): void;
}

/** `onTimeout` runs when the oldest request has been open for `withinMs`; it has to resolve it, or clear them all. */
export function createFinalizeRequests(
  clock: Clock,
  withinMs: number,
  onTimeout: (request: FinalizeRequest) => void,
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
    add(sentMs, unasked = false) {
      pending.push({ sentMs, atMs: clock.now(), unasked });
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
