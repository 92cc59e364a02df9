import type { OrderRow } from './order-store.ts';

/** When an order whose answer did not come is looked up at the carrier, and when it counts as not bought. */

/** Longer than a request to a carrier can run, so that nobody looks while the request is on its way. */
export const FIRST_LOOK_MS = 30_000;
/** How long a look may take until another process takes over. */
export const LOOK_LEASE_MS = 60_000;
/** Carriers may list a number some time after they sold it. */
const PAUSES_MS = [60_000, 180_000];

export type NextStep = { step: 'bought' } | { step: 'failed' } | { step: 'look again'; at_ms: number };

/** What follows from one look: `held` says whether the carrier's account has the number. */
export function afterLook({ absent_looks }: Pick<OrderRow, 'absent_looks'>, held: boolean, nowMs: number): NextStep {
  if (held) return { step: 'bought' };
  const pauseMs = PAUSES_MS[absent_looks];
  return pauseMs === undefined ? { step: 'failed' } : { step: 'look again', at_ms: nowMs + pauseMs };
}
