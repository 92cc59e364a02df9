import { readControlConfig } from '../../control/config.ts';
import type { Sql } from '../../control/db/connect.ts';
import { gatewayDifferences } from '../../control/money-audit/gateway-differences.ts';
import { moneyDifferences } from '../../control/money-audit/money-differences.ts';
import { configuredGateways } from '../../control/payments/configured-gateways.ts';
import { eventually, pause } from '../support/until.ts';
import { ask } from './crash-calls.ts';
import type { MoneyPartners } from './crash-money-partners.ts';
import { type MoneyTenant, makeMoneyTenant } from './crash-money-tenants.ts';

/** Customers who buy credits before, at and after the moment that the database is restored to. */

const SETTLED_WITHIN_MS = 60_000;
const HOUR_MS = 3_600_000;

export interface RestorePayments {
  /** Begins a payment in each workspace. */
  begin(): Promise<Begun[]>;
  /** Pays it at the gateway. Returns the gateway's id of the payment. */
  pay(begun: Begun): string;
}

export interface Begun {
  tenant: MoneyTenant;
  orderId: string;
}

export async function preparePayments(
  sql: Sql,
  partners: MoneyPartners,
  apiUrls: string[],
  name: string,
): Promise<RestorePayments> {
  const tenants = await Promise.all(
    (['INR', 'INR', 'USD'] as const).map((currency, n) =>
      makeMoneyTenant(sql, partners.carriers, { name: `${name}.${n}`, currency, poor: false }),
    ),
  );
  await partners.sendCallbacksTo(apiUrls, () => () => {});
  const { razorpay, stripe } = partners;
  return {
    begin: () =>
      Promise.all(
        tenants.map(async (tenant) => {
          const reply = await ask({ apiUrls }, tenant.token, 'POST', '/billing/topup', { amount_paise: 25_000 });
          return { tenant, orderId: (reply as { gateway: { order_id: string } }).gateway.order_id };
        }),
      ),
    pay({ tenant, orderId }) {
      if (tenant.currency === 'INR') return razorpay.pay(orderId).razorpay_payment_id;
      stripe.pay(orderId);
      return stripe.sessions.get(orderId)!.payment_intent!;
    },
  };
}

/** Waits until the payments are credited; those that were paid are looked at without the minutes between looks. */
export async function untilCredited(sql: Sql, paid: readonly string[]): Promise<void> {
  await eventually('a credit for each payment', SETTLED_WITHIN_MS, async () => {
    await sql`update payments set next_look_at = now() where next_look_at > now() and status <> 'paid'`;
    const [row] = await sql<{ count: number }[]>`
      select count(*)::integer as count from payments where status = 'paid' and gateway_payment_id = any(${[...paid]})`;
    if (row!.count === paid.length) return true;
    await pause(500);
    return null;
  });
}

/** The audit of tonight: what does not add up here, and what a gateway has taken that nobody was credited. */
export async function auditMoney(sql: Sql, settings: Record<string, string>): Promise<string[]> {
  const gateways = configuredGateways(readControlConfig({ ...settings, SECRETS_KEY: 'k'.repeat(32) }));
  const found = await moneyDifferences(sql, Date.now());
  // Payments of the last hour are not compared.
  for (const gateway of gateways.values())
    found.push(...(await gatewayDifferences(sql, gateway, Date.now() + 1.1 * HOUR_MS)));
  return found.map(({ difference }) => difference);
}
