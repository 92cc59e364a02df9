import fc from 'fast-check';
import { expect, it } from 'vitest';
import { effectiveRates } from '../../../control/billing/effective-rates.ts';
import { type CallToPrice, priceCall, withTransferLegs } from '../../../control/billing/price-call.ts';
import type { Pricing } from '../../../control/billing/price-estimate.ts';
import type { ProviderUsage } from '../../../shared/usage.ts';

/** The rules of the specification once more, slowly and with fractions, without a line of the product. */

interface Fraction {
  over: bigint;
  under: bigint;
}

const fraction = (over: bigint | number, under: bigint | number = 1): Fraction => ({
  over: BigInt(over),
  under: BigInt(under),
});
/** `12.34` as 1234/100: what a number says when it is written down. */
function decimal(value: number): Fraction {
  const [whole, digits = ''] = value.toFixed(6).split('.');
  return fraction(BigInt(whole! + digits), 10n ** BigInt(digits.length));
}
const plus = (a: Fraction, b: Fraction) => fraction(a.over * b.under + b.over * a.under, a.under * b.under);
const times = (a: Fraction, b: Fraction) => fraction(a.over * b.over, a.under * b.under);
const by = (a: Fraction, b: Fraction) => fraction(a.over * b.under, a.under * b.over);
const isMore = (a: Fraction, b: Fraction) => a.over * b.under > b.over * a.under;
const floor = (a: Fraction) => a.over / a.under;
const ceil = (a: Fraction) => -(-a.over / a.under) + (a.over % a.under === 0n ? 0n : 1n);
const larger = (a: bigint, b: bigint) => (a > b ? a : b);

interface Prices {
  transcriber: number;
  llm_input: number;
  llm_output: number;
  voice: number;
  telephony: number;
  platform: number;
}

interface RandomCall {
  prices: Record<'first' | 'second', Prices>;
  price: number;
  browser: number | null;
  currency: 'INR' | 'USD';
  web: boolean;
  seconds: number;
  planSeconds: number;
  failed: boolean;
  served: { component: 'transcriber' | 'llm' | 'voice'; who: 'first' | 'second'; amount: number; more: number }[];
  transfers: { target: number; caller: number }[];
}

function slowly({ prices, served, seconds, planSeconds, web, transfers, ...call }: RandomCall) {
  const minutes = fraction(seconds, 60);
  let usage = times(decimal(prices.first.platform), minutes);
  if (!web) usage = plus(usage, times(decimal(prices.first.telephony), minutes));
  for (const { component, who, amount, more } of served) {
    const rate = prices[who];
    if (component === 'transcriber')
      usage = plus(usage, times(decimal(rate.transcriber), by(decimal(amount), fraction(60))));
    if (component === 'voice') usage = plus(usage, times(decimal(rate.voice), by(decimal(amount), fraction(1_000))));
    if (component === 'llm') {
      usage = plus(usage, times(decimal(rate.llm_input), by(decimal(amount), fraction(1_000_000))));
      usage = plus(usage, times(decimal(rate.llm_output), by(decimal(more), fraction(1_000_000))));
    }
  }
  let legs = fraction(0);
  for (const { target, caller } of transfers) {
    legs = plus(legs, times(decimal(prices.first.telephony), fraction(target + caller, 60)));
  }
  if (seconds === 0) return { cost: 0n, withLegs: 0n, covered: 0n, used: 0n, usage: ceil(usage) };
  // 250 paise, or the same in cents at 88 rupees to the dollar, to a millionth rounded up.
  const minute =
    call.currency === 'INR' ? fraction(250) : fraction(ceil(fraction(250_000_000n * 100n, 8_800n)), 1_000_000);
  const perMinute = by(usage, minutes);
  const exact = by(perMinute, minute);
  const multiplier = isMore(exact, fraction(1)) ? fraction(ceil(times(exact, fraction(10_000))), 10_000) : fraction(1);
  const most = floor(by(fraction(planSeconds), multiplier));
  const covered = most < BigInt(seconds) ? most : BigInt(seconds);
  const used = ceil(times(fraction(covered), multiplier));
  const rest = BigInt(seconds) - covered;
  const price = web ? (call.browser ?? call.price) : call.price;
  const least = ceil(fraction(rest * BigInt(price), 60));
  const uncovered = times(usage, fraction(rest, seconds));
  return {
    cost: larger(ceil(uncovered), least),
    withLegs: larger(ceil(plus(uncovered, legs)), least),
    covered,
    used,
    usage: ceil(usage),
  };
}

const PROVIDERS = {
  transcriber: { first: 'deepgram', second: 'sarvam' },
  llm: { first: 'openai', second: 'groq' },
  voice: { first: 'elevenlabs', second: 'cartesia' },
} as const;

function asTheProductHasIt(call: RandomCall): CallToPrice {
  const { currency, prices } = call;
  const rows = (['first', 'second'] as const).flatMap((who) => [
    { component: 'transcriber' as const, provider: PROVIDERS.transcriber[who], rate_paise: prices[who].transcriber },
    { component: 'llm_input' as const, provider: PROVIDERS.llm[who], rate_paise: prices[who].llm_input },
    { component: 'llm_output' as const, provider: PROVIDERS.llm[who], rate_paise: prices[who].llm_output },
    { component: 'voice' as const, provider: PROVIDERS.voice[who], rate_paise: prices[who].voice },
  ]);
  const all = [
    ...rows.map((row) => ({ ...row, model: 'm' })),
    { component: 'telephony' as const, provider: 'plivo', model: '', rate_paise: prices.first.telephony },
    { component: 'platform' as const, provider: '', model: '', rate_paise: prices.first.platform },
  ];
  const pricing: Pricing = {
    currency,
    price_per_minute_paise: call.price,
    browser_price_per_minute_paise: call.browser,
    rates: effectiveRates(
      currency,
      all.map((row) => ({ ...row, currency })),
    ),
  };
  const served = call.served.map(({ component, who, amount, more }): ProviderUsage => {
    const part = { component, provider: PROVIDERS[component][who], model: 'm' };
    if (component === 'transcriber') return { ...part, stt_seconds: amount };
    if (component === 'voice') return { ...part, tts_characters: amount };
    return { ...part, llm_input_tokens: amount, llm_output_tokens: more };
  });
  return {
    channel: call.web ? 'web' : 'phone',
    carrier: call.web ? '' : 'plivo',
    duration_seconds: call.seconds,
    provider_usage: served,
    plan_seconds: call.planSeconds,
    failed: call.failed,
    pricing,
  };
}

/** A price with up to six decimals. */
const rate = (most: number) => fc.integer({ min: 0, max: most * 1_000_000 }).map((micro) => micro / 1_000_000);
const prices = fc.record({
  transcriber: fc.oneof(rate(100), fc.constantFrom(0, 50, 67.76)),
  llm_input: rate(50_000),
  llm_output: rate(200_000),
  voice: fc.oneof(rate(900), fc.constantFrom(300, 440, 880)),
  telephony: fc.oneof(rate(400), fc.constantFrom(74, 75, 350)),
  platform: fc.constantFrom(0, 100, 33.333333),
});
const amount = fc.oneof(
  fc.integer({ min: 0, max: 50_000 }),
  fc.integer({ min: 0, max: 400_000 }).map((n) => n / 100),
);
const randomCall: fc.Arbitrary<RandomCall> = fc.record({
  prices: fc.record({ first: prices, second: prices }),
  price: fc.integer({ min: 0, max: 1_000 }),
  browser: fc.option(fc.integer({ min: 0, max: 1_000 })),
  currency: fc.constantFrom('INR' as const, 'USD' as const),
  web: fc.boolean(),
  seconds: fc.oneof(fc.integer({ min: 0, max: 3_600 }), fc.constantFrom(0, 1, 20, 60)),
  planSeconds: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9_000 }), fc.constant(150_000)),
  failed: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  served: fc.array(
    fc.record({
      component: fc.constantFrom('transcriber' as const, 'llm' as const, 'voice' as const),
      who: fc.constantFrom('first' as const, 'second' as const),
      amount,
      more: amount,
    }),
    { maxLength: 8 },
  ),
  transfers: fc.array(
    fc.record({ target: fc.integer({ min: 0, max: 9_000 }), caller: fc.integer({ min: 0, max: 9_000 }) }),
    { maxLength: 2 },
  ),
});

it('1,000 random calls cost what a slow exact calculation says', () => {
  let dearer = 0;
  let covered = 0;
  const check = (call: RandomCall) => {
    const slow = slowly(call);
    const asked = asTheProductHasIt(call);
    const price = priceCall(asked);
    const { cost_breakdown } = price;
    expect({
      cost: BigInt(call.failed ? cost_breakdown.waived_paise : price.cost_paise),
      covered: BigInt(price.plan_seconds_covered),
      used: BigInt(cost_breakdown.plan_minutes.allowance_seconds_used),
      usage: BigInt(cost_breakdown.usage_paise),
    }).toEqual({
      cost: slow.cost,
      covered: call.failed ? 0n : slow.covered,
      used: call.failed ? 0n : slow.used,
      usage: slow.usage,
    });
    expect(cost_breakdown.total_paise).toBe(price.cost_paise);
    if (call.failed) {
      expect(price.cost_paise).toBe(0);
      return;
    }
    let after: Parameters<typeof withTransferLegs>[0] & { cost_paise: number } = price;
    for (const { target, caller } of call.transfers) {
      const legs = { carrier: 'plivo', target_seconds: target, caller_seconds: caller };
      after = { ...after, ...withTransferLegs(after, legs, asked.pricing) };
    }
    expect(BigInt(after.cost_paise)).toBe(slow.withLegs);
    if (!cost_breakdown.floor_applied) dearer++;
    if (price.plan_seconds_covered > 0) covered++;
  };
  fc.assert(fc.property(randomCall, check), { numRuns: 1_000, seed: 20_261_122 });
  // What was drawn went both ways.
  expect(dearer).toBeGreaterThan(100);
  expect(covered).toBeGreaterThan(100);
});
