import { exchangeRatesOf } from './exchange-rates.ts';
import { feeRateOf } from './fee-rates.ts';
import type { RateRow } from './rate-overrides.ts';
import { type Currency, inCurrency, MICRO } from './rates.ts';

/** A number at its carrier. */
export interface PricedNumber {
  provider: string;
  type: string;
  /** In whole units of the carrier's currency, with fractions; null: not known. */
  price: { monthly: number; setup: number; currency: 'INR' | 'USD' | 'EUR' } | null;
}

export interface NumberFees {
  /** For 30 days. */
  monthly_fee_paise: number;
  /** Once. */
  setup_fee_paise: number;
}

/**
 * What a workspace pays for a number, in the smallest unit of its currency: the operator's rate `number` for the carrier and the
 * type, for the carrier, or for all; else what the carrier takes. Null when neither is known.
 */
export function numberFees(rates: readonly RateRow[], currency: Currency, number: PricedNumber): NumberFees | null {
  const { provider, type, price } = number;
  const rateFor = (forProvider: string, model: string) =>
    feeRateOf(rates, { component: 'number', provider: forProvider, model }, currency);
  const rate = rateFor(provider, type) ?? rateFor(provider, '') ?? rateFor('', type) ?? rateFor('', '');
  if (rate !== null) return { monthly_fee_paise: rate, setup_fee_paise: 0 };
  if (!price) return null;
  const exchange = exchangeRatesOf(rates);
  const paisePerUnit = { INR: 100, ...exchange }[price.currency];
  const convert = (amount: number) =>
    Math.ceil(inCurrency(Math.round(amount * paisePerUnit * MICRO), currency, exchange.USD) / MICRO);
  return { monthly_fee_paise: convert(price.monthly), setup_fee_paise: convert(price.setup) };
}
