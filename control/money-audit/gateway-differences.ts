import type { Sql } from '../db/connect.ts';
import type { PaymentGateway } from '../payments/gateway.ts';
import type { MoneyFinding } from './money-differences.ts';

/** Compares our payments with a gateway's own list of the last days. */

const DAY_MS = 86_400_000;
/** Longer than a callback and a look at an open order take together. */
const SETTLED_MS = 3_600_000;
const WINDOW_MS = 3 * DAY_MS;

interface KnownPayment {
  workspace_id: string;
  id: string;
  gateway_payment_id: string;
  total_paise: number;
  currency: string;
  created_at: Date;
  paid_at: Date;
}

/** @throws GatewayError when the gateway does not list its payments. */
export async function gatewayDifferences(sql: Sql, gateway: PaymentGateway, nowMs: number): Promise<MoneyFinding[]> {
  const { name } = gateway;
  const [fromMs, toMs] = [nowMs - WINDOW_MS, nowMs - SETTLED_MS];
  const listed = (await gateway.listPayments(fromMs, toMs)).filter(({ status }) => status === 'captured');
  const known = await sql<KnownPayment[]>`
    select workspace_id, id, gateway_payment_id, total_paise, currency, created_at, paid_at from payments
    where gateway = ${name} and status = 'paid'
      and (gateway_payment_id = any(${listed.map(({ id }) => id)}) or paid_at >= ${new Date(fromMs)})`;
  const finding = (workspace_id: string | null, difference: string): MoneyFinding => ({
    ...{ subject: 'gateway', workspace_id, difference },
  });
  const byId = new Map(known.map((payment) => [payment.gateway_payment_id, payment]));
  const theirs = listed.flatMap(({ id, amount_paise, currency }) => {
    const ours = byId.get(id);
    if (!ours)
      return [finding(null, `${name} has taken ${amount_paise} ${currency} in ${id}, which nobody was credited`)];
    if (ours.total_paise === amount_paise && ours.currency === currency) return [];
    const amounts = `${amount_paise} ${currency} at ${name}, ${ours.total_paise} ${ours.currency} here`;
    return [finding(ours.workspace_id, `payment ${ours.id}: ${amounts}`)];
  });
  const ids = new Set(listed.map(({ id }) => id));
  // Made and paid within the time of the list.
  const unlisted = known.filter(
    ({ gateway_payment_id, created_at, paid_at }) =>
      !ids.has(gateway_payment_id) && created_at.getTime() >= fromMs && paid_at.getTime() <= toMs,
  );
  return [
    ...theirs,
    ...unlisted.map((ours) => finding(ours.workspace_id, `payment ${ours.id} is not in the list of ${name}`)),
  ];
}
