import { type PollingJob, startPollingJob } from '../db/polling-job.ts';
import { GatewayError } from './gateway.ts';
import { applyReversalOf } from './handle-callback.ts';
import type { PaymentDeps } from './payment-deps.ts';

const INTERVAL_MS = 6 * 3_600_000;
/** A refund may fail, and its money come back, a week after it was made. */
const WINDOW_MS = 14 * 86_400_000;

/** Reads refunds and disputes from the gateways' own lists, for those whose callbacks got lost. */
export function startReversalReconciler(deps: PaymentDeps): PollingJob {
  const { clock, log } = deps;
  const run = () => reconcileReversals(deps);
  return startPollingJob({ name: 'payment reversals', intervalMs: INTERVAL_MS, clock, log, run });
}

export async function reconcileReversals(deps: PaymentDeps): Promise<void> {
  const { clock, log, gateways } = deps;
  const nowMs = clock.wall();
  for (const gateway of gateways.values()) {
    try {
      const reversals = await gateway.listReversals(nowMs - WINDOW_MS, nowMs);
      for (const reversal of reversals) await applyReversalOf(deps, gateway, reversal);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      log.warn(
        { gateway: gateway.name, error: error.message },
        'payment gateway did not list its refunds; asked again',
      );
    }
  }
}
