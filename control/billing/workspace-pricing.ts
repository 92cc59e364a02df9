import { type Changes, changesBetween } from '../audit/changes.ts';
import type { AnySql, Fragment, Transaction } from '../db/connect.ts';
import { effectiveRates } from './effective-rates.ts';
import type { PlanPrice, PlanRow } from './plans.ts';
import type { Pricing } from './price-estimate.ts';
import { listRates, type RateRow, ratesAsJson } from './rate-overrides.ts';
import { type Currency, inCurrency, MICRO } from './rates.ts';
import { lockWallet } from './wallet.ts';

/** A workspace's currency, and its own price of a minute, which replaces that of every plan; null: it has none. */
export interface PricedWorkspace {
  currency: Currency;
  own_price_per_minute_paise: number | null;
  /** Null: as on the phone. */
  own_browser_price_per_minute_paise: number | null;
}

/**
 * A workspace's present prices: its own price of a minute or its plan's, and the rates, in its currency.
 *
 * @throws Error when there is no such workspace.
 */
export async function pricingOf(sql: AnySql, workspaceId: string): Promise<Pricing> {
  const pricing = (await pricingOfEach(sql, [workspaceId])).get(workspaceId);
  if (!pricing) throw new Error('the workspace is gone');
  return pricing;
}

type PricedRow = PricedWorkspace & Pick<PlanRow, 'prices'> & { id: string };

const pricedRows = (sql: AnySql) => sql`
  select w.id, w.currency, w.own_price_per_minute_paise, w.own_browser_price_per_minute_paise, p.prices
  from workspaces w join plans p on p.id = w.plan_id`;

/** What prices are made of, as a column of JSON, for a statement that reads other tables too, and `pricingFrom`. */
export const pricingAsJson = (sql: AnySql, workspaceId: Fragment) => sql`json_build_object(
    'priced', (select to_json(priced) from (${pricedRows(sql)} where w.id = ${workspaceId}) as priced), 'rates', ${ratesAsJson(sql)}
  )`;

export interface PricingColumn {
  priced: PricedRow;
  rates: Omit<RateRow, 'updated_at'>[];
}

export const pricingFrom = ({ priced, rates }: PricingColumn): Pricing =>
  pricingWith(priced, effectiveRates(priced.currency, rates));

/** The same of several workspaces, by their ids. */
export async function pricingOfEach(sql: AnySql, workspaceIds: readonly string[]): Promise<Map<string, Pricing>> {
  const [rows, overrides] = await Promise.all([
    sql<PricedRow[]>`${pricedRows(sql)} where w.id = any(${[...workspaceIds]})`,
    listRates(sql),
  ]);
  const ratesOf = new Map(
    [...new Set(rows.map(({ currency }) => currency))].map((currency) => [
      currency,
      effectiveRates(currency, overrides),
    ]),
  );
  return new Map(rows.map((row) => [row.id, pricingWith(row, ratesOf.get(row.currency)!)]));
}

function pricingWith(workspace: PricedRow, rates: Pricing['rates']): Pricing {
  const { currency, prices } = workspace;
  const { price_per_minute_paise, browser_price_per_minute_paise } = priceFor(
    prices,
    workspace,
    rates.paise_per_dollar,
  );
  return { currency, price_per_minute_paise, browser_price_per_minute_paise, rates };
}

/**
 * The prices to charge at: with the wallet locked, so that the currency stays until the charge is written. A change of currency waits
 * for the charge, or the charge is in the new one.
 */
export async function pricingForCharge(tx: Transaction, workspaceId: string): Promise<Pricing> {
  await lockWallet(tx, workspaceId);
  return pricingOf(tx, workspaceId);
}

/** Sets a workspace's own price; the workspace must be locked. @returns what changed. */
export async function setOwnPrice(
  tx: Transaction,
  workspaceId: string,
  now: Omit<PricedWorkspace, 'currency'>,
): Promise<Changes> {
  const [before] = await tx<Omit<PricedWorkspace, 'currency'>[]>`
    select own_price_per_minute_paise, own_browser_price_per_minute_paise from workspaces where id = ${workspaceId}`;
  await tx`
    update workspaces set own_price_per_minute_paise = ${now.own_price_per_minute_paise},
      own_browser_price_per_minute_paise = ${now.own_browser_price_per_minute_paise}
    where id = ${workspaceId}`;
  return changesBetween(before!, now);
}

/** What a plan costs a workspace: its fee, and the workspace's own price of a minute if it has one. */
export function priceFor(prices: PlanRow['prices'], workspace: PricedWorkspace, paisePerDollar: number): PlanPrice {
  const { currency, own_price_per_minute_paise, own_browser_price_per_minute_paise } = workspace;
  const price = priceIn(prices, currency, paisePerDollar);
  if (own_price_per_minute_paise === null) return price;
  return {
    ...price,
    price_per_minute_paise: own_price_per_minute_paise,
    browser_price_per_minute_paise: own_browser_price_per_minute_paise,
  };
}

/** A plan's price in a currency; without a price in dollars the one in rupees is converted. */
export function priceIn(prices: PlanRow['prices'], currency: Currency, paisePerDollar: number): PlanPrice {
  const own = prices[currency];
  if (own) return own;
  const convert = (paise: number) => Math.ceil(inCurrency(paise * MICRO, currency, paisePerDollar) / MICRO);
  const rupees = prices.INR;
  const browser = rupees?.browser_price_per_minute_paise ?? null;
  return {
    price_per_minute_paise: convert(rupees?.price_per_minute_paise ?? 0),
    browser_price_per_minute_paise: browser === null ? null : convert(browser),
    monthly_fee_paise: convert(rupees?.monthly_fee_paise ?? 0),
  };
}
