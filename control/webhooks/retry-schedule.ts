/** After the first, second … failed attempt the next one follows so much later; exactly, without jitter. */
const RETRY_DELAYS_MS = [10_000, 60_000, 300_000, 1_800_000, 7_200_000];

export interface NextAttempt {
  status: 'delivered' | 'retrying' | 'failed';
  next_attempt_at: Date | null;
}

/**
 * What becomes of a delivery after an attempt of its schedule.
 *
 * @param failedBefore attempts of the schedule before this one; all of them failed.
 * @param endedAtMs when the attempt ended, in milliseconds since 1970.
 */
export function planNextAttempt(
  { delivered, hopeless }: { delivered: boolean; hopeless: boolean },
  failedBefore: number,
  endedAtMs: number,
): NextAttempt {
  if (delivered) return { status: 'delivered', next_attempt_at: null };
  const waitMs = hopeless ? undefined : RETRY_DELAYS_MS[failedBefore];
  if (waitMs === undefined) return { status: 'failed', next_attempt_at: null };
  return { status: 'retrying', next_attempt_at: new Date(endedAtMs + waitMs) };
}
