import type { AnySql } from '../db/connect.ts';
import type { Pricing } from './price-estimate.ts';
import { listRates } from './rate-overrides.ts';
import { type Currency, inCurrency, MICRO } from './rates.ts';
import { ratesInForce } from './rates-in-force.ts';

/** As `plans.prices` holds it, by currency. */
interface PlanPrice {
  price_per_minute_paise: number;
  browser_price_per_minute_paise: number | null;
}

/**
 * What a workspace pays by: the price of its plan and the rates, in its currency. A plan without a price in dollars has the
 * one in rupees, converted.
 *
 * @throws when there is no such workspace.
 */
export async function pricingOf(sql: AnySql, workspaceId: string): Promise<Pricing> {
  const [row] = await sql<{ currency: Currency; prices: Partial<Record<Currency, PlanPrice>> }[]>`
    select w.currency, p.prices from workspaces w join plans p on p.id = w.plan_id where w.id = ${workspaceId}`;
  if (!row) throw new Error('the workspace is gone');
  const { currency, prices } = row;
  const own = prices[currency];
  const inRupees = prices.INR;
  const convert = (paise: number) => Math.ceil(inCurrency(paise * MICRO, currency) / MICRO);
  const price = own?.price_per_minute_paise ?? convert(inRupees?.price_per_minute_paise ?? 0);
  const browser = inRupees?.browser_price_per_minute_paise ?? null;
  return {
    currency,
    price_per_minute_paise: price,
    browser_price_per_minute_paise: own
      ? own.browser_price_per_minute_paise
      : browser === null
        ? null
        : convert(browser),
    rates: ratesInForce(currency, await listRates(sql)),
  };
}
