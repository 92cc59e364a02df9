import type { AnySql } from '../db/connect.ts';
import { listRates, type RateRow } from './rate-overrides.ts';

/** What a unit of another currency costs, in paise. */
export interface ExchangeRates {
  USD: number;
  EUR: number;
}

/** Until the operator or a feed has set others. */
export const STANDARD_EXCHANGE_RATES: ExchangeRates = { USD: 8_800, EUR: 10_200 };

/** The rates in force: rows of the component `exchange_rate`, whose provider is the currency. */
export function exchangeRatesOf(
  rows: readonly Pick<RateRow, 'component' | 'provider' | 'rate_paise'>[],
): ExchangeRates {
  const rates = { ...STANDARD_EXCHANGE_RATES };
  for (const { component, provider, rate_paise } of rows) {
    // Whole paise, so that sums stay exact.
    if (component === 'exchange_rate' && Object.hasOwn(rates, provider)) {
      rates[provider as keyof ExchangeRates] = Math.max(1, Math.round(rate_paise));
    }
  }
  return rates;
}

export const exchangeRates = async (sql: AnySql): Promise<ExchangeRates> => exchangeRatesOf(await listRates(sql));

/** An amount in the other currency: to the nearest of the smallest unit, half away from zero. */
export function convertPaise(paise: number, to: 'INR' | 'USD', paisePerDollar: number): number {
  const [numerator, denominator] = to === 'USD' ? [100, paisePerDollar] : [paisePerDollar, 100];
  const doubled = 2n * BigInt(Math.abs(paise)) * BigInt(numerator) + BigInt(denominator);
  const rounded = Number(doubled / (2n * BigInt(denominator)));
  return paise < 0 ? -rounded || 0 : rounded;
}
