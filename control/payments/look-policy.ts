import type { PaymentRow } from './store.ts';

/** When the gateway is asked about a payment whose callback did not come. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Until a payment that was not made is `expired`. */
export const EXPIRY_MS = 30 * MINUTE_MS;
/** After the request that creates the order can no longer be running. */
export const FIRST_LOOK_MS = MINUTE_MS;
/** Longer than a look can take; then another process takes over. */
export const LOOK_LEASE_MS = MINUTE_MS;

/** Since the payment was made here. A bank may report a payment as failed and take the money up to three days later. */
const LOOKS_AFTER_MS = [
  ...[FIRST_LOOK_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS, 20 * MINUTE_MS, EXPIRY_MS],
  ...[HOUR_MS, 6 * HOUR_MS, DAY_MS, 2 * DAY_MS, 3 * DAY_MS, 4 * DAY_MS, 7 * DAY_MS, 14 * DAY_MS],
];
/** Money of a delayed method arrives within days. */
const MAX_PENDING_MS = 14 * DAY_MS;

export interface NextLook {
  /** Null: never again. */
  at: Date | null;
  /** It is over unless money arrives all the same. */
  ended: boolean;
}

/** What follows from a look that found no money; `pending`: some is on its way. */
export function nextLook(
  { created_at, expires_at }: Pick<PaymentRow, 'created_at' | 'expires_at'>,
  pending: boolean,
  nowMs: number,
): NextLook {
  const startMs = created_at.getTime();
  const afterMs = LOOKS_AFTER_MS.find((each) => startMs + each > nowMs);
  const endMs = pending ? startMs + MAX_PENDING_MS : expires_at.getTime();
  return { at: afterMs === undefined ? null : new Date(startMs + afterMs), ended: nowMs >= endMs };
}
