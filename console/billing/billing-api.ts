import { download, send } from '../api.ts';
import type { Balance, Invoice, OwnPlan, Pack, Payment, StartedPayment } from './billing-records.ts';

/** The requests of the billing page. */

export const readBalance = () => send<Balance>('GET', '/billing');

export const readPlan = () => send<OwnPlan>('GET', '/billing/plan');

export const listPacks = () => send<Pack[]>('GET', '/billing/packs');

export const listPayments = () => send<Payment[]>('GET', '/billing/payments');

export const listInvoices = () => send<Invoice[]>('GET', '/billing/invoices');

/** Begins to buy a pack or an amount. The same `key` again gives the same payment. */
export const startTopUp = (what: { pack_id: string } | { amount_paise: number }, key: string) =>
  send<StartedPayment>('POST', '/billing/topup', what, { 'Idempotency-Key': key });

/** Reports what the checkout gave back. */
export const completePayment = (paymentId: string, gateway_payment_id: string, gateway_signature = '') =>
  send<Payment>('POST', `/billing/payments/${paymentId}/complete`, { gateway_payment_id, gateway_signature });

export const downloadInvoice = ({ id, number }: { id: string; number: string }) =>
  download(`/billing/invoices/${id}/pdf`, `${number.replaceAll('/', '-')}.pdf`);
