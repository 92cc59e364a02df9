import { HttpError } from '../http/errors.ts';
import { applyOrder } from './apply-order.ts';
import { applyReversal } from './apply-reversal.ts';
import type { GatewayCallback, GatewayOrder, PaymentGateway, Reversal } from './gateway.ts';
import type { PaymentDeps } from './payment-deps.ts';

/**
 * Applies a gateway's callback; when it returns, what the callback says is committed. Events of others, and of payments that are not
 * ours, change nothing.
 *
 * @throws HttpError 400 for a wrong or old signature.
 */
export async function handleCallback(
  deps: PaymentDeps,
  gateway: PaymentGateway,
  callback: GatewayCallback,
): Promise<void> {
  const event = gateway.readCallback(callback);
  if (event === 'wrong signature' || event === 'too old') {
    deps.log.warn({ gateway: gateway.name, reason: event }, 'a payment callback was refused');
    throw new HttpError(400, event === 'too old' ? 'the signature is too old' : 'the signature does not match');
  }
  if (event.about === 'order') await applyReported(deps, gateway, event.order);
  if (event.about === 'reversal') await applyReversalOf(deps, gateway, event.reversal);
}

/** An order that is not known by its id may be one of ours whose answer was lost: the gateway says which payment it names. */
async function applyReported(deps: PaymentDeps, gateway: PaymentGateway, order: GatewayOrder): Promise<void> {
  const applied = await applyOrder(deps, gateway.name, order);
  if (applied === 'unknown' && order.reference === '') {
    await applyOrder(deps, gateway.name, await gateway.order(order.id));
  }
}

/** A refund may arrive before the payment that it refunds. */
export async function applyReversalOf(deps: PaymentDeps, gateway: PaymentGateway, reversal: Reversal): Promise<void> {
  if ((await applyReversal(deps, gateway.name, reversal)) === 'applied') return;
  const order = await gateway.orderOfPayment(reversal.gateway_payment_id);
  if (!order || (await applyOrder(deps, gateway.name, order)) === 'unknown') return;
  await applyReversal(deps, gateway.name, reversal);
}
