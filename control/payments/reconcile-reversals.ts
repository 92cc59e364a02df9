import { type PollingJob, startPollingJob } from '../db/polling-job.ts';
import { GatewayError, type PaymentGateway, type Reversal } from './gateway.ts';
import { applyReversalOf } from './handle-callback.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { oldestOpenReversal } from './store.ts';

const INTERVAL_MS = 6 * 3_600_000;
const DAY_MS = 86_400_000;
/** A refund may fail, and its money come back, a week after it was made. */
const WINDOW_MS = 14 * DAY_MS;
/** Banks decide on a dispute within months. */
const MAX_OPEN_MS = 180 * DAY_MS;

/** Reads refunds and disputes from the gateways' own lists, back to the oldest that is not decided, for those whose callbacks got lost. */
export function startReversalReconciler(deps: PaymentDeps): PollingJob {
  const { clock, log } = deps;
  const run = () => reconcileReversals(deps);
  return startPollingJob({ name: 'payment reversals', intervalMs: INTERVAL_MS, clock, log, run });
}

export async function reconcileReversals(deps: PaymentDeps): Promise<void> {
  const { sql, clock, log, gateways } = deps;
  // One that the gateway cannot explain must not hold up the others.
  const apply = (gateway: PaymentGateway, reversal: Reversal) =>
    applyReversalOf(deps, gateway, reversal).catch((error: unknown) => {
      if (!(error instanceof GatewayError)) throw error;
      const facts = { gateway: gateway.name, reversal_id: reversal.id, error: error.message };
      log.warn(facts, 'payment gateway did not answer about a refund; asked again');
    });
  const nowMs = clock.wall();
  for (const gateway of gateways.values()) {
    try {
      const openSinceMs =
        (await oldestOpenReversal(sql, gateway.name, new Date(nowMs - MAX_OPEN_MS)))?.getTime() ?? nowMs;
      for (const reversal of await gateway.listReversals(openSinceMs - WINDOW_MS, nowMs))
        await apply(gateway, reversal);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      log.warn(
        { gateway: gateway.name, error: error.message },
        'payment gateway did not list its refunds; asked again',
      );
    }
  }
}
