import type { LlmProvider, TranscriberProvider, VoiceProvider } from '../../shared/providers.ts';

/**
 * What a unit of each component costs, as whole millionths of the smallest unit of a currency so that sums are exact.
 *
 * A provider's `*` stands for every model of it that has no row of its own.
 */
export interface Rates {
  /** Of one minute of caller audio. */
  transcriber: Record<TranscriberProvider, PerModel<number>>;
  llm: Record<LlmProvider, PerModel<TokenRate>>;
  /** Of 1,000 characters spoken. */
  voice: Record<VoiceProvider, PerModel<number>>;
  /** Of one minute; `*` where the carrier is not known yet. */
  telephony: PerModel<number>;
  /** Of one minute. */
  platform: number;
}

export type PerModel<Rate> = { '*': Rate } & Record<string, Rate>;

/** Of a million tokens. */
export interface TokenRate {
  input: number;
  output: number;
}

export type Currency = 'INR' | 'USD';

export const MICRO = 1_000_000;

/** Until there is a rate of the day. */
export const PAISE_PER_DOLLAR = 8_800;

const rupees = (amount: number) => Math.round(amount * 100 * MICRO);
const dollars = (amount: number) => Math.round(amount * PAISE_PER_DOLLAR * MICRO);
const tokens = (input: number, output: number): TokenRate => ({ input: dollars(input), output: dollars(output) });

const OPENAI: PerModel<TokenRate> = {
  '*': tokens(0.4, 1.6),
  'gpt-4.1': tokens(2, 8),
  'gpt-4.1-mini': tokens(0.4, 1.6),
  'gpt-4.1-nano': tokens(0.1, 0.4),
  'gpt-4o': tokens(2.5, 10),
  'gpt-4o-mini': tokens(0.15, 0.6),
  'gpt-5': tokens(1.25, 10),
  'gpt-5-mini': tokens(0.25, 2),
  'gpt-5-nano': tokens(0.05, 0.4),
};

/**
 * In paise. The figures follow the providers' public price lists of 2025 at 88 rupees a dollar; what the service's team sets
 * stands above them: `rates-in-force.ts`.
 */
export const STANDARD_RATES: Rates = {
  transcriber: {
    deepgram_flux: { '*': dollars(0.0077) },
    deepgram: { '*': dollars(0.0077), 'nova-3': dollars(0.0077), 'nova-2': dollars(0.0058) },
    sarvam: { '*': rupees(0.5) },
    local: { '*': 0 },
  },
  llm: {
    openai: OPENAI,
    // Models are named by their deployment, which may be called anything.
    azure: OPENAI,
    anthropic: {
      '*': tokens(3, 15),
      'claude-haiku-4-5': tokens(1, 5),
      'claude-sonnet-4-5': tokens(3, 15),
      'claude-opus-4-5': tokens(5, 25),
    },
    google: {
      '*': tokens(0.3, 2.5),
      'gemini-2.5-flash': tokens(0.3, 2.5),
      'gemini-2.5-flash-lite': tokens(0.1, 0.4),
      'gemini-2.5-pro': tokens(1.25, 10),
    },
    groq: {
      '*': tokens(0.59, 0.79),
      'llama-3.3-70b-versatile': tokens(0.59, 0.79),
      'llama-3.1-8b-instant': tokens(0.05, 0.08),
    },
    mistral: {
      '*': tokens(0.4, 2),
      'mistral-small-latest': tokens(0.1, 0.3),
      'mistral-medium-latest': tokens(0.4, 2),
      'mistral-large-latest': tokens(2, 6),
    },
    // The operator's own address: nobody sends a bill for it.
    custom: { '*': { input: 0, output: 0 } },
  },
  voice: {
    elevenlabs: {
      '*': dollars(0.1),
      eleven_flash_v2_5: dollars(0.05),
      eleven_turbo_v2_5: dollars(0.05),
      eleven_multilingual_v2: dollars(0.1),
    },
    cartesia: { '*': dollars(0.04) },
    sarvam: { '*': rupees(3), 'bulbul:v3': rupees(3), 'bulbul:v2': rupees(1.5) },
    local: { '*': 0 },
  },
  telephony: {
    '*': rupees(0.75),
    plivo: rupees(0.74),
    exotel: rupees(0.75),
    twilio: rupees(3.5),
    telnyx: rupees(2.5),
    vonage: rupees(3),
    asterisk: 0,
  },
  platform: rupees(1),
};

/** The row of the model, or the one that stands for all others. */
export function rateOf<Rate>(rates: PerModel<Rate>, model: string): Rate {
  return Object.hasOwn(rates, model) ? rates[model]! : rates['*'];
}

/** `rate` of so many `per` units, for `quantity` of them; in millionths, rounded up. All are whole numbers. */
export function amountOf(rate: number, quantity: number, per = 1): number {
  const product = BigInt(rate) * BigInt(quantity);
  const divisor = BigInt(per);
  return Number((product + divisor - 1n) / divisor);
}

/** Millionths of a paisa as millionths of the smallest unit of the currency, rounded up. */
export function inCurrency(micro: number, currency: Currency): number {
  return currency === 'INR' ? micro : amountOf(micro, 100, PAISE_PER_DOLLAR);
}

/**
 * What a language model's answer costs, in whole smallest units of the currency of the rates, rounded up once. A provider that this
 * version does not know has no price.
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
