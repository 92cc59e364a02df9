import { conflict, HttpError, notFound } from '../http/errors.ts';
import { applyOrder } from './apply-order.ts';
import { type Completion, GatewayError, type GatewayOrder, type PaymentGateway } from './gateway.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { gatewayAway } from './start-topup.ts';
import { findPayment, type ListedPaymentRow, type PaymentRow } from './store.ts';

export interface CompletionRequest extends Completion {
  workspace_id: string;
  payment_id: string;
}

const NOT_SIGNED = 'the signature of the payment is not right';

/**
 * Takes what the browser brought back from the checkout, and asks the gateway what it is worth. Repeated, it answers the same; a
 * payment whose money is on its way stays `created`.
 *
 * @throws HttpError 400 for a wrong signature, 404, 409 for a payment that failed or expired and has no money, 502.
 */
export async function completePayment(deps: PaymentDeps, request: CompletionRequest): Promise<ListedPaymentRow> {
  const { sql, gateways, afterStep } = deps;
  const { workspace_id, payment_id } = request;
  const row = await findPayment(sql, workspace_id, payment_id);
  if (!row) throw notFound('payment');
  const gateway = gateways.get(row.gateway);
  if (!gateway) throw gatewayAway();
  const orderId = row.order_id ?? (await findOrder(deps, gateway, row))?.id ?? null;
  if (orderId === null || !gateway.verifyCompletion(orderId, request)) throw new HttpError(400, NOT_SIGNED);
  if (row.status === 'paid') return row;
  const order = await answered(deps, gateway, () => askOrder(gateway, orderId, row));
  afterStep?.('asked');
  await applyOrder(deps, gateway.name, order);
  const now = (await findPayment(sql, workspace_id, payment_id))!;
  if (now.status === 'failed') throw conflict('the payment failed');
  if (now.status === 'expired') throw conflict('the payment has expired');
  return now;
}

/** The order as the gateway knows it, with the money that was ordered captured first where it waits. @throws GatewayError */
export async function askOrder(
  gateway: PaymentGateway,
  orderId: string,
  { total_paise, currency }: Pick<PaymentRow, 'total_paise' | 'currency'>,
): Promise<GatewayOrder> {
  const order = await gateway.order(orderId);
  const waiting = order.payments.find(
    (each) => each.status === 'authorized' && each.amount_paise === total_paise && each.currency === currency,
  );
  if (!waiting || !gateway.capture || order.payments.some(({ status }) => status === 'captured')) return order;
  await gateway.capture(waiting);
  return gateway.order(orderId);
}

const findOrder = (deps: PaymentDeps, gateway: PaymentGateway, row: PaymentRow) =>
  answered(deps, gateway, () => gateway.findOrder(row));

async function answered<Result>({ log }: PaymentDeps, { name }: PaymentGateway, ask: () => Promise<Result>) {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    log.warn({ gateway: name, error: error.message }, 'payment gateway did not answer');
    throw gatewayAway();
  }
}
