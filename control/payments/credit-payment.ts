import { newId } from '../../shared/ids.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { issueInvoice } from '../billing/invoices/issue-invoice.ts';
import { converterToWallet, writeLedger } from '../billing/ledger.ts';
import { takePendingBonus } from '../billing/redemptions.ts';
import { retryPastDue } from '../billing/renewals/renewals.ts';
import { lockWallet } from '../billing/wallet.ts';
import type { Transaction } from '../db/connect.ts';
import type { GatewayPayment } from './gateway.ts';
import { insertPayment, type PaymentRow, setPaid } from './store.ts';

const GATEWAY_NAME = { razorpay: 'Razorpay', stripe: 'Stripe' } as const;

/**
 * Credits a payment whose row is locked: the credits, the bonus of the pack and of a waiting coupon, the invoice. A payment that
 * counted as failed or expired is credited all the same.
 */
export async function creditPayment(
  tx: Transaction,
  row: PaymentRow,
  payment: GatewayPayment,
  atMs: number,
  { takesCoupon = true }: { takesCoupon?: boolean } = {},
): Promise<void> {
  const { workspace_id, id: payment_id, amount_paise, bonus_paise, created_by: by_name, gateway, terms } = row;
  const entry = { workspace_id, payment_id, by_name, at_ms: atMs };
  // Before the wallet is locked, as whoever renews a fee does.
  await retryPastDue(tx, workspace_id, atMs);
  const inWallet = await converter(tx, row);
  await writeLedger(tx, {
    ...{ ...entry, kind: 'topup', amount_paise: inWallet(amount_paise) },
    ...{ note: `top-up by ${GATEWAY_NAME[gateway]}`, key: topupKeyOf(payment_id) },
  });
  if (bonus_paise > 0) {
    const key = `${topupKeyOf(payment_id)}:pack`;
    await writeLedger(tx, { ...entry, kind: 'grant', amount_paise: inWallet(bonus_paise), note: 'pack bonus', key });
  }
  const topup = { amount_paise, currency: row.currency, at_ms: atMs };
  const coupon = takesCoupon ? await takePendingBonus(tx, workspace_id, topup) : null;
  if (coupon) {
    const key = `${topupKeyOf(payment_id)}:coupon`;
    const note = `coupon ${coupon.code}`;
    await writeLedger(tx, { ...entry, kind: 'grant', amount_paise: inWallet(coupon.bonus_paise), note, key });
  }
  const invoice = await issueInvoice(tx, {
    ...{ workspace_id, kind: 'topup', description: 'Prepaid credits', amount_paise, paid_from: 'gateway', payment_id },
    ...{ terms, key: topupKeyOf(payment_id), at_ms: atMs },
  });
  await setPaid(tx, row, {
    ...{ gateway_payment_id: payment.id, method: payment.method, invoice_id: invoice.id, paid_at: new Date(atMs) },
    coupon_bonus_paise: coupon?.bonus_paise ?? 0,
  });
  await writeAudit(tx, {
    ...{ workspace_id, actor: { kind: 'service', id: gateway, name: GATEWAY_NAME[gateway] }, at_ms: atMs },
    ...{ action: 'payment.paid', target: { kind: 'payment', id: payment_id, name: '' } },
    data: { gateway_payment_id: payment.id, total_paise: row.total_paise, currency: row.currency, was: row.status },
  });
}

/** The key of a payment's rows in the ledger, and of its invoice. */
export const topupKeyOf = (paymentId: string) => `topup:${paymentId}`;

/**
 * Money that came on top of an order that was paid already, as when a bank reports a failed payment as captured days later: a
 * payment of its own, without bonus, so that nothing that was paid is without credits, invoice and a way to refund it.
 */
export async function creditSecondPayment(
  tx: Transaction,
  row: PaymentRow,
  payment: GatewayPayment,
  atMs: number,
): Promise<void> {
  const { workspace_id, gateway, amount_paise, tax_paise, total_paise, currency, terms, created_by } = row;
  const now = new Date(atMs);
  const second = {
    ...{ workspace_id, id: newId(atMs), gateway, amount_paise, tax_paise, total_paise, currency, terms, created_by },
    ...{ bonus_paise: 0, pack_id: null, created_at: now, expires_at: now, next_look_at: null },
  };
  await insertPayment(tx, second);
  const created = { status: 'created', order_id: null, gateway_payment_id: null, coupon_bonus_paise: 0 } as const;
  const unpaid = { ...created, method: '', invoice_id: null, paid_at: null, failure_reason: '' };
  await creditPayment(tx, { ...second, ...unpaid }, payment, atMs, { takesCoupon: false });
}

/** Locks the wallet, and returns what a payment's amounts are in it, whose currency may have been changed since the order. */
export async function converter(
  tx: Transaction,
  { workspace_id, currency, terms }: Pick<PaymentRow, 'workspace_id' | 'currency' | 'terms'>,
): Promise<(paise: number) => number> {
  await lockWallet(tx, workspace_id);
  return converterToWallet(tx, workspace_id, currency, terms.paise_per_dollar);
}
