/** When a webhook delivery is attempted again; `delivery-sender.ts` attempts it. Pure. */

/** Delay after the first, second … failed attempt, without jitter. */
const RETRY_DELAYS_MS = [10_000, 60_000, 300_000, 1_800_000, 7_200_000];

export interface NextAttempt {
  status: 'delivered' | 'retrying' | 'failed';
  next_attempt_at: Date | null;
}

/**
 * Plans what follows an attempt of the schedule.
 *
 * @param failedBefore number of failed attempts of the schedule before this one.
 * @param endedAtMs when the attempt ended, in milliseconds since 1970.
 */
export function planNextAttempt(
  { delivered, non_retryable }: { delivered: boolean; non_retryable: boolean },
  failedBefore: number,
  endedAtMs: number,
): NextAttempt {
  if (delivered) return { status: 'delivered', next_attempt_at: null };
  const waitMs = non_retryable ? undefined : RETRY_DELAYS_MS[failedBefore];
  if (waitMs === undefined) return { status: 'failed', next_attempt_at: null };
  return { status: 'retrying', next_attempt_at: new Date(endedAtMs + waitMs) };
}
