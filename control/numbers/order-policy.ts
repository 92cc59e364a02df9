import type { HeldNumber } from '../carriers/number-inventory.ts';
import type { OrderRow } from './order-store.ts';

/** When an order whose answer did not come is looked up at the carrier, and when it counts as not bought. */

/** Longer than a request to a carrier can run, so that nobody looks while the request is on its way. */
export const FIRST_LOOK_MS = 30_000;
/** How long a look may take until another process takes over. */
export const LOOK_LEASE_MS = 60_000;
/** Carriers may list a number some time after they sold it. */
const PAUSES_MS = [60_000, 180_000];
/** Between looks at an order that the carrier has and did not decide. */
const PENDING_PAUSE_MS = 60_000;
/** An order that is pending longer is given up: its fee is not kept any longer, and the carrier is told. */
const PENDING_LIMIT_MS = 24 * 3_600_000;

export type NextStep =
  | { step: 'bought' | 'failed' | 'give up' }
  | { step: 'look again'; at_ms: number; absent_looks: number };

/** What follows from one look at how the carrier's account has the number; null: it has not. */
export function afterLook(
  { absent_looks, created_at }: Pick<OrderRow, 'absent_looks' | 'created_at'>,
  state: HeldNumber['state'] | null,
  nowMs: number,
): NextStep {
  if (state === 'held') return { step: 'bought' };
  if (state === 'pending') {
    if (nowMs - created_at.getTime() >= PENDING_LIMIT_MS) return { step: 'give up' };
    return { step: 'look again', at_ms: nowMs + PENDING_PAUSE_MS, absent_looks: 0 };
  }
  const pauseMs = PAUSES_MS[absent_looks];
  return pauseMs === undefined
    ? { step: 'failed' }
    : { step: 'look again', at_ms: nowMs + pauseMs, absent_looks: absent_looks + 1 };
}
