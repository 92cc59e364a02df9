import type { PerModel } from '../../shared/providers/manifest.ts';
import type { RealtimeProvider } from '../../shared/providers/realtime.ts';
import type { LlmProvider, SynthesizerProvider, TranscriberProvider } from '../../shared/providers/registry.ts';
import { exchangeRatesOf } from './exchange-rates.ts';
import type { RateRow } from './rate-overrides.ts';
import {
  type Currency,
  inCurrency,
  MICRO,
  mapRate,
  type Rates,
  type RealtimeRate,
  rateOf,
  STANDARD_RATES,
} from './rates.ts';

/**
 * The rates for workspaces of a currency: the standard ones, replaced by those that the operator set in rupees and, for
 * workspaces that pay in dollars, in dollars.
 */
export function effectiveRates(currency: Currency, rows: readonly Omit<RateRow, 'updated_at'>[]): Rates {
  const paise_per_dollar = exchangeRatesOf(rows).USD;
  const rates = convertRates({ ...STANDARD_RATES, paise_per_dollar }, currency);
  const rupeesFirst = rows.filter((row) => row.currency === 'INR');
  const ownLast = currency === 'USD' ? rows.filter((row) => row.currency === 'USD') : [];
  for (const row of rupeesFirst) {
    applyOverride(rates, row, inCurrency(micro(row.rate_paise), currency, paise_per_dollar));
  }
  for (const row of ownLast) applyOverride(rates, row, micro(row.rate_paise));
  return rates;
}

const micro = (amount: number) => Math.round(amount * MICRO);

/** A copy in the currency, which can be changed. */
function convertRates(rates: Rates, currency: Currency): Rates {
  const { paise_per_dollar } = rates;
  const convert = (rate: number) => inCurrency(rate, currency, paise_per_dollar);
  const each = <Rate>(table: PerModel<Rate>, change: (rate: Rate) => Rate) =>
    Object.fromEntries(Object.entries(table).map(([model, rate]) => [model, change(rate)])) as PerModel<Rate>;
  const all = <Name extends string, Rate>(tables: Record<Name, PerModel<Rate>>, change: (rate: Rate) => Rate) =>
    Object.fromEntries(
      Object.entries<PerModel<Rate>>(tables).map(([name, table]) => [name, each(table, change)]),
    ) as Record<Name, PerModel<Rate>>;
  return {
    transcriber: all(rates.transcriber, convert),
    llm: all(rates.llm, ({ input, output }) => ({ input: convert(input), output: convert(output) })),
    realtime: all(rates.realtime, (rate) => mapRate(rate, convert)),
    voice: all(rates.voice, convert),
    telephony: each(rates.telephony, convert),
    platform: convert(rates.platform),
    paise_per_dollar,
  };
}

/** Applies one row. Rows of unknown providers, fees and exchange rates change nothing. */
function applyOverride(rates: Rates, { component, provider, model }: Omit<RateRow, 'updated_at'>, rate: number): void {
  const row = model || '*';
  if (component === 'platform') rates.platform = rate;
  else if (component === 'telephony') rates.telephony[provider || '*'] = rate;
  else if (component === 'transcriber' && Object.hasOwn(rates.transcriber, provider)) {
    rates.transcriber[provider as TranscriberProvider][row] = rate;
  } else if (component === 'voice' && Object.hasOwn(rates.voice, provider)) {
    rates.voice[provider as SynthesizerProvider][row] = rate;
  } else if ((component === 'llm_input' || component === 'llm_output') && Object.hasOwn(rates.llm, provider)) {
    const models = rates.llm[provider as LlmProvider];
    models[row] = { ...rateOf(models, row), [component === 'llm_input' ? 'input' : 'output']: rate };
  } else if (component.startsWith('realtime_') && Object.hasOwn(rates.realtime, provider)) {
    const models: PerModel<RealtimeRate> = rates.realtime[provider as RealtimeProvider];
    models[row] = { ...rateOf(models, row), [component.slice('realtime_'.length)]: rate };
  }
}
