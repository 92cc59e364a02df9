import type { RateRow } from './rate-overrides.ts';
import { type Currency, inCurrency, MICRO, PAISE_PER_DOLLAR } from './rates.ts';

/** A fixed exchange rate, as for dollars. */
const PAISE_PER_EURO = 10_200;
const PAISE_PER_UNIT = { INR: 100, USD: PAISE_PER_DOLLAR, EUR: PAISE_PER_EURO };

/** A number at its carrier. */
export interface PricedNumber {
  provider: string;
  type: string;
  /** In whole units of the carrier's currency, with fractions; null: not known. */
  price: { monthly: number; setup: number; currency: keyof typeof PAISE_PER_UNIT } | null;
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
  const own = rates.filter((rate) => rate.component === 'number' && rate.currency === currency);
  const rateFor = (forProvider: string, model: string) =>
    own.find((rate) => rate.provider === forProvider && rate.model === model);
  const rate = rateFor(provider, type) ?? rateFor(provider, '') ?? rateFor('', type) ?? rateFor('', '');
  if (rate) return { monthly_fee_paise: Math.ceil(rate.rate_paise), setup_fee_paise: 0 };
  if (!price) return null;
  const convert = (amount: number) =>
    Math.ceil(inCurrency(Math.round(amount * PAISE_PER_UNIT[price.currency] * MICRO), currency) / MICRO);
  return { monthly_fee_paise: convert(price.monthly), setup_fee_paise: convert(price.setup) };
}
