import { CARRIERS } from '../../shared/carriers/registry.ts';
import type {
  LanguageModelManifest,
  PerModel,
  PriceList,
  RealtimeTokenPrice,
} from '../../shared/providers/manifest.ts';
import { REALTIME_MODELS, type RealtimeProvider } from '../../shared/providers/realtime.ts';
import {
  byName,
  LANGUAGE_MODELS,
  type LlmProvider,
  SYNTHESIZERS,
  type SynthesizerProvider,
  TRANSCRIBERS,
  type TranscriberProvider,
} from '../../shared/providers/registry.ts';
import { STANDARD_EXCHANGE_RATES } from './exchange-rates.ts';

/**
 * The price of a unit of each component, in whole millionths of the smallest unit of a currency, so that sums are exact.
 *
 * A provider's `*` stands for every model of it that has no row of its own.
 */
export interface Rates {
  /** Of one minute of caller audio. */
  transcriber: Record<TranscriberProvider, PerModel<number>>;
  llm: Record<LlmProvider, PerModel<TokenRate>>;
  /** Of speech-to-speech models. */
  realtime: Record<RealtimeProvider, PerModel<RealtimeRate>>;
  /** Of 1,000 characters spoken. */
  voice: Record<SynthesizerProvider, PerModel<number>>;
  /** Of one minute, by carrier; `*` while the carrier is not known. */
  telephony: PerModel<number>;
  /** Of one minute. */
  platform: number;
  /** The exchange rate in force. */
  paise_per_dollar: number;
}

/** Of a million tokens. */
export interface TokenRate {
  input: number;
  output: number;
}

/** Of a million tokens of each kind; `cached`: those of the input that the provider had in its cache. */
export type RealtimeRate = RealtimeTokenPrice;

export type Currency = 'INR' | 'USD';

export const MICRO = 1_000_000;

const rupees = (amount: number) => Math.round(amount * 100 * MICRO);
const dollars = (amount: number) => Math.round(amount * STANDARD_EXCHANGE_RATES.USD * MICRO);

/** A provider's price list in paise; prices in dollars at the standard exchange rate, so that prices in rupees stay as they are. */
function inPaise<Rate, Converted>(
  { currency, models }: PriceList<Rate>,
  convert: (rate: Rate, micro: (amount: number) => number) => Converted,
): PerModel<Converted> {
  const micro = currency === 'INR' ? rupees : dollars;
  const entries = Object.entries(models).map(([model, rate]) => [model, convert(rate, micro)]);
  return Object.fromEntries(entries) as PerModel<Converted>;
}

/** Every price of a rate, changed in the same way. */
export function mapRate(rate: RealtimeRate, change: (price: number) => number): RealtimeRate {
  const changed = Object.entries(rate).map(([kind, price]) => [kind, change(price)]);
  return Object.fromEntries(changed) as unknown as RealtimeRate;
}

const single = ({ price }: { price: PriceList<number> }) => inPaise(price, (rate, micro) => micro(rate));

/** Also of the models that transcribe the caller for a speech-to-speech model. */
function transcriberRates(): Rates['transcriber'] {
  const rates: Record<string, PerModel<number>> = byName(TRANSCRIBERS, single);
  for (const { name, price, transcriptionModel, transcriptionPrice } of REALTIME_MODELS) {
    if (transcriptionModel === '') continue;
    const { '*': rate } = inPaise({ ...price, models: { '*': transcriptionPrice } }, (each, micro) => micro(each));
    rates[name] = { ...(rates[name] ?? { '*': rate }), [transcriptionModel]: rate };
  }
  return rates as Rates['transcriber'];
}

/**
 * In paise, from the manifests in `shared/providers/` and `shared/carriers/`. Prices that the operator sets replace them:
 * `effective-rates.ts`.
 */
export const STANDARD_RATES: Rates = {
  transcriber: transcriberRates(),
  llm: byName(LANGUAGE_MODELS, ({ price }: LanguageModelManifest) =>
    inPaise(price, ({ input, output }, micro) => ({ input: micro(input), output: micro(output) })),
  ),
  realtime: byName(REALTIME_MODELS, ({ price }: { price: PriceList<RealtimeRate> }) =>
    inPaise(price, (rate, micro) => mapRate(rate, micro)),
  ),
  voice: byName(SYNTHESIZERS, single),
  telephony: { '*': rupees(0.75), ...byName(CARRIERS, ({ pricePerMinute }) => rupees(pricePerMinute)) },
  platform: rupees(1),
  paise_per_dollar: STANDARD_EXCHANGE_RATES.USD,
};

/** The rate of the model, or of `*`. */
export function rateOf<Rate>(rates: PerModel<Rate>, model: string): Rate {
  return Object.hasOwn(rates, model) ? rates[model]! : rates['*'];
}

/** The price of `quantity` units at `rate` per `per` units, in millionths, rounded up. All are whole numbers. */
export function amountOf(rate: number, quantity: number, per = 1): number {
  const product = BigInt(rate) * BigInt(quantity);
  const divisor = BigInt(per);
  return Number((product + divisor - 1n) / divisor);
}

/** Converts millionths of a paisa to millionths of the currency's smallest unit at an exchange rate, rounded up. */
export function inCurrency(micro: number, currency: Currency, paisePerDollar: number): number {
  return currency === 'INR' ? micro : amountOf(micro, 100, paisePerDollar);
}

/**
 * The price of a model's tokens in whole smallest units of the currency of the rates, rounded up once; 0 for an unknown
 * provider.
 */
export function priceOfTokens(
  use: { provider: string; model: string; input_tokens: number; output_tokens: number },
  rates: Rates,
): number {
  const models: PerModel<TokenRate> | undefined = Object.hasOwn(rates.llm, use.provider)
    ? rates.llm[use.provider as LlmProvider]
    : undefined;
  if (!models) return 0;
  const { input, output } = rateOf(models, use.model);
  const product =
    BigInt(input) * BigInt(Math.ceil(use.input_tokens)) + BigInt(output) * BigInt(Math.ceil(use.output_tokens));
  const divisor = BigInt(MICRO) * 1_000_000n;
  return Number((product + divisor - 1n) / divisor);
}
