import { ID_PATTERN } from '../../shared/ids.ts';
import type { Transaction } from '../db/connect.ts';
import { creditPayment, creditSecondPayment } from './credit-payment.ts';
import type { GatewayName, GatewayOrder, GatewayPayment } from './gateway.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { isCredited, lockByOrder, lookSoon, type PaymentRow, setFailure, setOrder } from './store.ts';

/** What became of the payment; `unknown`: the order is not one of ours, or not known to be. */
export type Applied = { payment: Pick<PaymentRow, 'workspace_id' | 'id'> } | 'unknown';

/**
 * Brings a payment to the state that its gateway reports, in one transaction. It is called by the completion, by callbacks and by
 * looks, in any order and any number of times: money is credited once, and what is paid stays paid.
 */
export async function applyOrder(deps: PaymentDeps, gateway: GatewayName, reported: GatewayOrder): Promise<Applied> {
  const { sql, clock } = deps;
  const order = { ...reported, reference: ID_PATTERN.test(reported.reference) ? reported.reference : '' };
  return sql.begin(async (tx): Promise<Applied> => {
    const row = await lockByOrder(tx, gateway, order);
    if (!row) return 'unknown';
    if (row.order_id === null) await setOrder(tx, row, order.id);
    let { status } = row;
    let wrongAmount = false;
    for (const payment of order.payments.filter((each) => each.status === 'captured')) {
      const taken = await takeCaptured(tx, deps, { ...row, status }, payment);
      if (taken === 'credited') status = 'paid';
      if (taken === 'wrong amount') wrongAmount = true;
    }
    if (status === 'paid') return { payment: row };
    if (order.payments.some((each) => each.status === 'authorized')) await lookSoon(tx, row, new Date(clock.wall()));
    const failed = order.payments.findLast((each) => each.status === 'failed');
    const reason = wrongAmount ? WRONG_AMOUNT : (failed?.failure_reason ?? row.failure_reason);
    const closed = order.state === 'closed' && status === 'created';
    const next = closed ? (reason === '' ? 'expired' : 'failed') : status;
    if (next !== status || reason !== row.failure_reason) await setFailure(tx, row, { status: next, reason });
    return { payment: row };
  });
}

const WRONG_AMOUNT = 'the amount that was paid is not the amount of the order';

/** Credits money that arrived, unless it was credited before or is not what was ordered. */
async function takeCaptured(
  tx: Transaction,
  { log, writeLog, clock }: PaymentDeps,
  row: PaymentRow,
  payment: GatewayPayment,
): Promise<'credited' | 'known' | 'wrong amount'> {
  const { workspace_id, id: payment_id, gateway, total_paise, currency } = row;
  if (await isCredited(tx, gateway, payment.id)) return 'known';
  const facts = { payment_id, gateway, gateway_payment_id: payment.id };
  if (payment.amount_paise !== total_paise || payment.currency !== currency || payment.id === '') {
    const data = { ...facts, paid: payment.amount_paise, paid_currency: payment.currency, total_paise, currency };
    log.error(data, 'payment not credited: its amount differs from the order');
    const message = `payment not credited: ${WRONG_AMOUNT}`;
    writeLog({ workspace_id, level: 'error', message, data: { payment_id } });
    return 'wrong amount';
  }
  if (row.status !== 'paid') {
    await creditPayment(tx, row, payment, clock.wall());
    return 'credited';
  }
  await creditSecondPayment(tx, row, payment, clock.wall());
  const message = 'an order was paid twice; the second payment is credited too';
  log.warn(facts, message);
  writeLog({ workspace_id, level: 'warning', message, data: { payment_id } });
  return 'credited';
}
