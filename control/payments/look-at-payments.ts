import { startLeaseWorker } from '../db/lease-worker.ts';
import type { PollingJob } from '../db/polling-job.ts';
import { applyOrder } from './apply-order.ts';
import { askOrder } from './complete-payment.ts';
import { GatewayError, type GatewayOrder, type PaymentGateway } from './gateway.ts';
import { LOOK_LEASE_MS, nextLook } from './look-policy.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { leaseDuePayments, type PaymentRow, setNextLook } from './store.ts';

const POLL_MS = 10_000;
const MAX_CONCURRENT = 4;

/** Asks the gateways about payments whose callbacks did not come, and lets those expire that nobody made. */
export function startPaymentLooks(deps: PaymentDeps): PollingJob {
  const { sql, clock, log } = deps;
  return startLeaseWorker<PaymentRow>({
    ...{ name: 'payments', intervalMs: POLL_MS, clock, log, maxConcurrent: MAX_CONCURRENT },
    wakeOn: { sql, topic: 'payments' },
    openWork: { sql, query: 'select from payments where next_look_at is not null' },
    async lease(limit) {
      const nowMs = clock.wall();
      const jobs = await leaseDuePayments(sql, limit, new Date(nowMs), new Date(nowMs + LOOK_LEASE_MS));
      return { jobs, more: jobs.length === limit };
    },
    work: async (payment) => {
      await lookAtPayment(deps, payment);
      return true;
    },
    release: async () => {},
    graceMs: 15_000,
    fieldsOf: ({ id, gateway }) => ({ payment_id: id, gateway }),
  });
}

/** One look. A gateway that does not answer is asked again at the next one; the payment expires all the same. */
export async function lookAtPayment(deps: PaymentDeps, payment: PaymentRow): Promise<void> {
  const { sql, clock, log, gateways } = deps;
  const { id: payment_id, gateway: name } = payment;
  const gateway = gateways.get(name);
  let pending = false;
  try {
    const order = gateway ? await orderOf(gateway, payment) : null;
    if (!gateway) log.warn({ payment_id, gateway: name }, 'a payment waits: its gateway is not configured');
    if (order) await applyOrder(deps, name, order);
    pending = order?.state === 'pending';
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    log.warn({ payment_id, gateway: name, error: error.message }, 'payment gateway did not answer; asked again');
  }
  await setNextLook(sql, payment, nextLook(payment, pending, clock.wall()));
}

async function orderOf(gateway: PaymentGateway, payment: PaymentRow): Promise<GatewayOrder | null> {
  const orderId = payment.order_id ?? (await gateway.findOrder(payment))?.id;
  return orderId ? askOrder(gateway, orderId, payment) : null;
}
