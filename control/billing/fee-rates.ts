import { exchangeRatesOf } from './exchange-rates.ts';
import type { RateKey, RateRow } from './rate-overrides.ts';
import { type Currency, inCurrency, MICRO } from './rates.ts';

/**
 * The fee that the operator set for a key, in whole paise or cents, rounded up: the rate of the currency, or for dollars the one in
 * rupees at the exchange rate in force. Null: neither is set.
 */
export function feeRateOf(
  rates: readonly RateRow[],
  key: Omit<RateKey, 'currency'>,
  currency: Currency,
): number | null {
  const { component, provider, model } = key;
  const of = (wanted: Currency) =>
    rates.find(
      (rate) =>
        rate.component === component && rate.provider === provider && rate.model === model && rate.currency === wanted,
    )?.rate_paise;
  const own = of(currency);
  if (own !== undefined) return Math.ceil(own);
  const rupees = of('INR');
  if (rupees === undefined) return null;
  return Math.ceil(inCurrency(Math.round(rupees * MICRO), currency, exchangeRatesOf(rates).USD) / MICRO);
}
