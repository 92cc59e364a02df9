import type { AnySql } from '../db/connect.ts';
import { effectiveRates } from './effective-rates.ts';
import type { PlanPrice, PlanRow } from './plans.ts';
import type { Pricing } from './price-estimate.ts';
import { listRates } from './rate-overrides.ts';
import { type Currency, inCurrency, MICRO } from './rates.ts';

/**
 * A workspace's present prices: its plan's price of a minute and the rates, in its currency.
 *
 * @throws Error when there is no such workspace.
 */
export async function pricingOf(sql: AnySql, workspaceId: string): Promise<Pricing> {
  const [row] = await sql<{ currency: Currency; prices: PlanRow['prices'] }[]>`
    select w.currency, p.prices from workspaces w join plans p on p.id = w.plan_id where w.id = ${workspaceId}`;
  if (!row) throw new Error('the workspace is gone');
  const { currency, prices } = row;
  const { price_per_minute_paise, browser_price_per_minute_paise } = priceIn(prices, currency);
  const rates = effectiveRates(currency, await listRates(sql));
  return { currency, price_per_minute_paise, browser_price_per_minute_paise, rates };
}

/** A plan's price in a currency; without a price in dollars the one in rupees is converted. */
export function priceIn(prices: PlanRow['prices'], currency: Currency): PlanPrice {
  const own = prices[currency];
  if (own) return own;
  const convert = (paise: number) => Math.ceil(inCurrency(paise * MICRO, currency) / MICRO);
  const rupees = prices.INR;
  const browser = rupees?.browser_price_per_minute_paise ?? null;
  return {
    price_per_minute_paise: convert(rupees?.price_per_minute_paise ?? 0),
    browser_price_per_minute_paise: browser === null ? null : convert(browser),
    monthly_fee_paise: convert(rupees?.monthly_fee_paise ?? 0),
  };
}
