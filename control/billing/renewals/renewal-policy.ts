import type { Renewal } from './renewals.ts';

/** When a fee is taken again, and when what it pays for ends. */

const DAY_MS = 86_400_000;
/** A cycle is 30 times 24 hours. */
export const CYCLE_MS = 30 * DAY_MS;
/** An unpaid fee is tried again every day, the last time when this is over. */
export const PAST_DUE_MS = 7 * DAY_MS;

/** The end of the cycle that begins then. */
export const cycleEndAfter = (begin: Date | number): Date => new Date(begin.valueOf() + CYCLE_MS);

type Timing = Pick<Renewal, 'cycle_end' | 'next_attempt_at' | 'past_due_since'>;

/** The next cycle ends 30 days after the last one, also when the fee was paid late. */
export function afterPayment({ cycle_end }: Pick<Renewal, 'cycle_end'>): Timing {
  const next = cycleEndAfter(cycle_end);
  return { cycle_end: next, next_attempt_at: next, past_due_since: null };
}

/** What follows an attempt that the credits did not cover; null: what the fee pays for ends. */
export function afterFailure({ cycle_end, past_due_since }: Timing, nowMs: number): Timing | null {
  const since = past_due_since?.getTime() ?? nowMs;
  const overdueMs = nowMs - since;
  if (overdueMs >= PAST_DUE_MS) return null;
  const days = Math.floor(overdueMs / DAY_MS) + 1;
  return { cycle_end, next_attempt_at: new Date(since + days * DAY_MS), past_due_since: new Date(since) };
}

/** When an unpaid fee is tried for the last time. */
export const lastAttempt = ({ past_due_since, at_ms }: { past_due_since: Date | null; at_ms: number }): Date =>
  new Date((past_due_since?.getTime() ?? at_ms) + PAST_DUE_MS);
