import type { PerModel } from '../../shared/providers/manifest.ts';
import { type ProviderUsage, REALTIME_TOKENS, type RealtimeTokens, type Usage } from '../../shared/usage.ts';
import type { ComponentName, CostBreakdown, PriceLine } from './cost-breakdown.ts';
import {
  ceilDivided,
  ceilPaise,
  ceilShare,
  type Exact,
  exactAmount,
  type Per,
  tenThousandthsOf,
  thousandths,
  toDecimalPaise,
} from './exact-amount.ts';
import type { ChargeBasis } from './ledger.ts';
import { type Channel, INCLUDED_MINUTE_PAISE, type Pricing } from './price-estimate.ts';
import { inCurrency, MICRO, type Rates, rateOf } from './rates.ts';

/**
 * The price of a call, by the specification's "Call charge" and "Included minutes": only sums in whole paise are rounded.
 *
 *     U = usage without transfer legs    T = transfer legs    D = seconds the agent was live
 *     multiplier = max(1, U / D × 60 / 250 paise)     four decimals, rounded up
 *     covered    = min(D, floor(plan seconds / multiplier))
 *     rest       = D − covered
 *     cost       = max(ceil(U × rest / D + T), ceil(rest × price / 60))     0 when D is 0
 */

export interface CallToPrice {
  channel: Channel;
  /** Empty in a browser. */
  carrier: string;
  /** Whole seconds, rounded up. */
  duration_seconds: number;
  /** `usageAsConfigured` where the engine reported none. */
  provider_usage: readonly ProviderUsage[];
  /** Included seconds that are left. */
  plan_seconds: number;
  /** Ended by a failure of the service, and therefore free. */
  failed: boolean;
  pricing: Pricing;
}

export interface CallPrice {
  cost_paise: number;
  cost_breakdown: CostBreakdown;
  plan_seconds_covered: number;
  /** Where the price of later transfer legs starts from. */
  basis: ChargeBasis;
}

export function priceCall(call: CallToPrice): CallPrice {
  const { channel, duration_seconds, pricing } = call;
  const priced = pricedParts(call);
  const usage = sum(priced.map(({ amount }) => amount));
  const multiplier = multiplierOf(usage, duration_seconds, pricing);
  const covered = Math.min(duration_seconds, Number((BigInt(call.plan_seconds) * 10_000n) / multiplier));
  const used = Number(ceilDivided(BigInt(covered) * multiplier, 10_000n));
  const floor = floorOf(channel, pricing);
  const { cost, floor_paise } = costOf(usage, 0n, duration_seconds, covered, floor);
  const components: Record<ComponentName, number> = { transcriber: 0, llm: 0, voice: 0, telephony: 0, platform: 0 };
  for (const name of Object.keys(components) as ComponentName[]) {
    components[name] = toDecimalPaise(
      sum(priced.flatMap(({ line, amount }) => (line.component === name ? [amount] : []))),
    );
  }
  const { failed } = call;
  return {
    cost_paise: failed ? 0 : cost,
    cost_breakdown: {
      components,
      lines: priced.map(({ line }) => line),
      usage_paise: ceilPaise(usage),
      floor_per_minute_paise: floor,
      floor_paise,
      floor_applied: floorApplies(usage, 0n, duration_seconds, covered, floor_paise),
      total_paise: failed ? 0 : cost,
      duration_seconds,
      channel,
      plan_minutes: { multiplier: Number(multiplier) / 10_000, allowance_seconds_used: failed ? 0 : used },
      waived: failed ? 'failed' : null,
      waived_paise: failed ? cost : 0,
      paise_per_dollar: pricing.currency === 'USD' ? pricing.rates.paise_per_dollar : null,
    },
    plan_seconds_covered: failed ? 0 : covered,
    basis: { usage: String(usage), legs: '0' },
  };
}

/** Seconds of the target's leg while both talk, and of the caller's leg from the agent's leaving to its end. */
export interface TransferLegs {
  carrier: string;
  target_seconds: number;
  caller_seconds: number;
}

/**
 * The price of a call with the legs of another transfer added; included minutes do not pay for them. A call that was not
 * charged has no basis and stays free: the legs only add to its `waived_paise`.
 */
export function withTransferLegs(
  before: Pick<CallPrice, 'cost_breakdown' | 'plan_seconds_covered'> & { basis: ChargeBasis | null },
  legs: TransferLegs,
  pricing: Pricing,
): Pick<CallPrice, 'cost_paise' | 'cost_breakdown'> & { basis: ChargeBasis | null } {
  const { cost_breakdown: previous, plan_seconds_covered: covered, basis } = before;
  const rate = rateOf(pricing.rates.telephony, legs.carrier);
  const leg = (model: string, seconds: number) =>
    seconds > 0 ? [pricedLine('telephony', legs.carrier, model, 'minute', rate, thousandths(seconds))] : [];
  const priced = [...leg('transfer', legs.target_seconds), ...leg('transfer-caller', legs.caller_seconds)];
  const added = sum(priced.map(({ amount }) => amount));
  const breakdown = {
    ...previous,
    components: {
      ...previous.components,
      telephony: fourDecimals(previous.components.telephony + toDecimalPaise(added)),
    },
    lines: [...previous.lines, ...priced.map(({ line }) => line)],
  };
  if (!basis) {
    const more = ceilPaise(added);
    const waived_paise = previous.waived === 'failed' ? previous.waived_paise + more : 0;
    const cost_breakdown = { ...breakdown, usage_paise: previous.usage_paise + more, waived_paise };
    return { cost_paise: 0, cost_breakdown, basis };
  }
  const usage = BigInt(basis.usage);
  const all = BigInt(basis.legs) + added;
  const { duration_seconds, floor_per_minute_paise } = previous;
  const { cost, floor_paise } = costOf(usage, all, duration_seconds, covered, floor_per_minute_paise);
  return {
    cost_paise: cost,
    cost_breakdown: {
      ...breakdown,
      usage_paise: ceilPaise(usage + all),
      floor_applied: floorApplies(usage, all, duration_seconds, covered, floor_paise),
      total_paise: cost,
    },
    basis: { usage: basis.usage, legs: String(all) },
  };
}

/** Attributes a call's usage to the agent's own transcriber, model and voice, where the engine reported no providers. */
export function usageAsConfigured(
  usage: Usage,
  agent: Record<Exclude<ProviderUsage['component'], 'realtime'>, { provider: string; model: string }>,
): ProviderUsage[] {
  const { stt_seconds, tts_characters, llm_input_tokens, llm_output_tokens } = usage;
  const of = (component: keyof typeof agent) => {
    const { provider, model } = agent[component];
    return { component, provider, model };
  };
  return [
    { ...of('transcriber'), stt_seconds },
    { ...of('llm'), llm_input_tokens, llm_output_tokens },
    { ...of('voice'), tts_characters },
  ];
}

/** The minimum price of a minute. */
export function floorOf(channel: Channel, pricing: Pricing): number {
  const { price_per_minute_paise, browser_price_per_minute_paise } = pricing;
  return channel === 'web' ? (browser_price_per_minute_paise ?? price_per_minute_paise) : price_per_minute_paise;
}

interface Priced {
  line: PriceLine;
  amount: Exact;
}

const UNITS = {
  minute: 60,
  '1k_characters': 1_000,
  '1m_input_tokens': 1_000_000,
  '1m_output_tokens': 1_000_000,
  '1m_text_input_tokens': 1_000_000,
  '1m_text_output_tokens': 1_000_000,
  '1m_audio_input_tokens': 1_000_000,
  '1m_audio_output_tokens': 1_000_000,
  '1m_cached_text_input_tokens': 1_000_000,
  '1m_cached_audio_input_tokens': 1_000_000,
} satisfies Record<PriceLine['unit'], Per>;

function pricedLine(
  component: ComponentName,
  provider: string,
  model: string,
  unit: PriceLine['unit'],
  rateMicro: number,
  quantityThousandths: number,
): Priced {
  const amount = exactAmount(rateMicro, quantityThousandths, UNITS[unit]);
  return {
    line: {
      component,
      provider,
      model,
      quantity: Math.round((quantityThousandths * 1_000) / UNITS[unit]) / 1_000_000,
      unit,
      rate_paise: rateMicro / MICRO,
      amount_paise: toDecimalPaise(amount),
    },
    amount,
  };
}

function pricedParts({ channel, carrier, duration_seconds, provider_usage, pricing }: CallToPrice): Priced[] {
  const { rates } = pricing;
  const live = thousandths(duration_seconds);
  const line = channel === 'phone' ? rateOf(rates.telephony, carrier) : null;
  return [
    ...pricedUsage(provider_usage, rates),
    ...(line === null ? [] : [pricedLine('telephony', carrier, '', 'minute', line, live)]),
    pricedLine('platform', '', '', 'minute', rates.platform, live),
  ];
}

/** What providers were used for, without a carrier and the service itself, in whole paise. */
export function priceOfUsage(provider_usage: readonly ProviderUsage[], rates: Rates): number {
  return ceilPaise(sum(pricedUsage(provider_usage, rates).map(({ amount }) => amount)));
}

function pricedUsage(provider_usage: readonly ProviderUsage[], rates: Rates): Priced[] {
  return mergeByModel(provider_usage).flatMap(({ component, provider, model, ...counts }): Priced[] => {
    if (component === 'transcriber') {
      const rate = rateOrNone(rates.transcriber, provider, model, 0);
      return [pricedLine(component, provider, model, 'minute', rate, counts.seconds)];
    }
    if (component === 'voice') {
      const rate = rateOrNone(rates.voice, provider, model, 0);
      return [pricedLine(component, provider, model, '1k_characters', rate, counts.characters)];
    }
    if (component === 'realtime') return realtimeLines(provider, model, counts, rates);
    const { input, output } = rateOrNone(rates.llm, provider, model, { input: 0, output: 0 });
    return [
      pricedLine(component, provider, model, '1m_input_tokens', input, counts.input_tokens),
      pricedLine(component, provider, model, '1m_output_tokens', output, counts.output_tokens),
    ];
  });
}

/** One line for each kind of tokens that was used. */
function realtimeLines(provider: string, model: string, counts: RealtimeTokens, rates: Rates): Priced[] {
  const none = { text_input: 0, text_output: 0, audio_input: 0, audio_output: 0 };
  const rate = rateOrNone(rates.realtime, provider, model, { ...none, cached_text_input: 0, cached_audio_input: 0 });
  const { cached_text_input_tokens: cachedText, cached_audio_input_tokens: cachedAudio } = counts;
  const quantities: [keyof typeof rate, number][] = [
    ['text_input', Math.max(0, counts.text_input_tokens - cachedText)],
    ['cached_text_input', cachedText],
    ['audio_input', Math.max(0, counts.audio_input_tokens - cachedAudio)],
    ['cached_audio_input', cachedAudio],
    ['text_output', counts.text_output_tokens],
    ['audio_output', counts.audio_output_tokens],
  ];
  return quantities
    .filter(([, quantity]) => quantity > 0)
    .map(([kind, quantity]) => pricedLine('llm', provider, model, `1m_${kind}_tokens`, rate[kind], quantity));
}

interface Counts extends RealtimeTokens {
  seconds: number;
  characters: number;
  input_tokens: number;
  output_tokens: number;
}

/** Sums usage by provider and model, in thousandths. */
function mergeByModel(usage: readonly ProviderUsage[]) {
  const parts = new Map<string, Pick<ProviderUsage, 'component' | 'provider' | 'model'> & Counts>();
  for (const { component, provider, model, ...counts } of usage) {
    const key = JSON.stringify([component, provider, model]);
    const noTokens = Object.fromEntries(REALTIME_TOKENS.map((kind) => [kind, 0])) as unknown as RealtimeTokens;
    const none = { seconds: 0, characters: 0, input_tokens: 0, output_tokens: 0, ...noTokens };
    const part = parts.get(key) ?? { component, provider, model, ...none };
    part.seconds += thousandths(counts.stt_seconds);
    part.characters += thousandths(counts.tts_characters);
    part.input_tokens += thousandths(counts.llm_input_tokens);
    part.output_tokens += thousandths(counts.llm_output_tokens);
    for (const kind of REALTIME_TOKENS) part[kind] += thousandths(counts[kind]);
    parts.set(key, part);
  }
  return [...parts.values()];
}

/** The rate of a model; `none` for an unknown provider. */
function rateOrNone<Rate>(tables: Record<string, PerModel<Rate>>, provider: string, model: string, none: Rate): Rate {
  return Object.hasOwn(tables, provider) ? rateOf(tables[provider]!, model) : none;
}

/** In ten-thousandths, at least 10,000. */
function multiplierOf(usage: Exact, seconds: number, { currency, rates }: Pricing): bigint {
  if (seconds === 0) return 10_000n;
  const minuteMicro = inCurrency(INCLUDED_MINUTE_PAISE * MICRO, currency, rates.paise_per_dollar);
  // U × 60 / D over the price of an included minute, with D on the other side.
  const multiplier = tenThousandthsOf(usage * 60n, minuteMicro * seconds);
  return multiplier > 10_000n ? multiplier : 10_000n;
}

function costOf(usage: Exact, legs: Exact, seconds: number, covered: number, floor: number) {
  if (seconds === 0) return { cost: 0, floor_paise: 0 };
  const rest = seconds - covered;
  const floor_paise = Math.ceil((rest * floor) / 60);
  return { cost: Math.max(ceilShare(usage, rest, seconds, legs), floor_paise), floor_paise };
}

function floorApplies(usage: Exact, legs: Exact, seconds: number, covered: number, floorPaise: number): boolean {
  return seconds > 0 && floorPaise > ceilShare(usage, seconds - covered, seconds, legs);
}

const sum = (amounts: readonly Exact[]): Exact => amounts.reduce((total, amount) => total + amount, 0n);

const fourDecimals = (amount: number) => Math.round(amount * 10_000) / 10_000;
