import { describe, expect, it } from 'vitest';
import { effectiveRates } from '../../../control/billing/effective-rates.ts';
import {
  type CallToPrice,
  priceCall,
  usageAsConfigured,
  withTransferLegs,
} from '../../../control/billing/price-call.ts';
import type { Pricing } from '../../../control/billing/price-estimate.ts';
import type { ProviderUsage } from '../../../shared/usage.ts';

/** 5.50 on the phone, 4.00 in a browser. */
const STARTER: Pricing = {
  currency: 'INR',
  price_per_minute_paise: 550,
  browser_price_per_minute_paise: 400,
  rates: effectiveRates('INR', []),
};
const GROWTH: Pricing = { ...STARTER, price_per_minute_paise: 475, browser_price_per_minute_paise: 475 };

/** Providers on the operator's own machine: nothing but the line (plivo 74 paise a minute) and the platform (100). */
const OWN: ProviderUsage[] = [
  { component: 'transcriber', provider: 'local', model: 'en', stt_seconds: 60 },
  { component: 'llm', provider: 'custom', model: 'any', llm_input_tokens: 5_000, llm_output_tokens: 100 },
  { component: 'voice', provider: 'local', model: 'en', tts_characters: 450 },
];

/** 67.76 + 35.2 + 2.2528 + 198 = 303.2128 paise; with a twilio line (350) and the platform (100) 753.2128 for a minute. */
const REMOTE: ProviderUsage[] = [
  { component: 'transcriber', provider: 'deepgram', model: 'nova-3', stt_seconds: 60 },
  { component: 'llm', provider: 'openai', model: 'gpt-4.1-mini', llm_input_tokens: 10_000, llm_output_tokens: 160 },
  { component: 'voice', provider: 'elevenlabs', model: 'eleven_flash_v2_5', tts_characters: 450 },
];

const own: CallToPrice = {
  channel: 'phone',
  carrier: 'plivo',
  duration_seconds: 60,
  provider_usage: OWN,
  plan_seconds: 0,
  failed: false,
  pricing: STARTER,
};
const remote: CallToPrice = { ...own, carrier: 'twilio', provider_usage: REMOTE };

interface Row {
  call: Partial<CallToPrice> & Pick<CallToPrice, 'provider_usage'>;
  cost: number;
  usage: number;
  floor: number;
  floorApplied: boolean;
  covered?: number;
  used?: number;
  multiplier?: number;
}

const TABLE: Record<string, Row> = {
  'a cheap minute costs the price of the plan': { call: own, cost: 550, usage: 174, floor: 550, floorApplied: true },
  'a dear minute costs what it used, rounded up once': {
    call: remote,
    ...{ cost: 754, usage: 754, floor: 550, floorApplied: false, multiplier: 3.0129 },
  },
  'a third and two thirds of a paisa are one: 24.67 + 33.33 is 58': {
    call: { ...own, duration_seconds: 20 },
    ...{ cost: 184, usage: 58, floor: 184, floorApplied: true },
  },
  'and 58 it costs, where the floor is below': {
    call: { ...own, duration_seconds: 20, pricing: { ...STARTER, price_per_minute_paise: 0 } },
    ...{ cost: 58, usage: 58, floor: 0, floorApplied: false },
  },
  'a browser has no line, and its own price': {
    call: { ...remote, channel: 'web', carrier: '' },
    ...{ cost: 404, usage: 404, floor: 400, floorApplied: false, multiplier: 1.6129 },
  },
  'a cheap minute in a browser': {
    call: { ...own, channel: 'web', carrier: '' },
    ...{ cost: 400, usage: 100, floor: 400, floorApplied: true },
  },
  'a browser without a price of its own has the phone’s': {
    call: { ...own, channel: 'web', carrier: '', pricing: { ...STARTER, browser_price_per_minute_paise: null } },
    ...{ cost: 550, usage: 100, floor: 550, floorApplied: true },
  },
  'one second': { call: { ...own, duration_seconds: 1 }, cost: 10, usage: 3, floor: 10, floorApplied: true },
  'no second costs nothing, whatever was used': {
    call: { ...remote, duration_seconds: 0 },
    ...{ cost: 0, usage: 304, floor: 0, floorApplied: false },
  },
  'included minutes pay for a cheap minute one to one': {
    call: { ...own, pricing: GROWTH, plan_seconds: 36_000 },
    ...{ cost: 0, usage: 174, floor: 0, floorApplied: false, covered: 60, used: 60 },
  },
  'they pay for as much as is left of them': {
    call: { ...own, pricing: GROWTH, plan_seconds: 45 },
    // 15 seconds: ceil(118.75) above ceil(43.5).
    ...{ cost: 119, usage: 174, floor: 119, floorApplied: true, covered: 45, used: 45 },
  },
  'a dear minute uses up more of them': {
    call: { ...remote, pricing: GROWTH, plan_seconds: 100 },
    // 753.2128 / 250 = 3.0128…; floor(100 / 3.0129) = 33; 27 seconds are left: 338.95 above 213.75.
    ...{ cost: 339, usage: 754, floor: 214, floorApplied: false, covered: 33, used: 100, multiplier: 3.0129 },
  },
  'dollars: rates, floor and the price of an included minute': {
    // 174 paise are 1.97… cents, each rate rounded up to millionths: ceil 2; 250 paise are 2.84 cents.
    call: {
      ...own,
      plan_seconds: 30,
      pricing: {
        currency: 'USD',
        price_per_minute_paise: 7,
        browser_price_per_minute_paise: 5,
        rates: effectiveRates('USD', []),
      },
    },
    ...{ cost: 4, usage: 2, floor: 4, floorApplied: true, covered: 30, used: 30 },
  },
};

describe('the price of a call', () => {
  it.each(Object.entries(TABLE))('%s', (_name, row) => {
    const price = priceCall({ ...own, ...row.call });
    const { covered = 0, used = 0, multiplier = 1 } = row;
    expect(price).toMatchObject({
      cost_paise: row.cost,
      plan_seconds_covered: covered,
      cost_breakdown: {
        usage_paise: row.usage,
        floor_paise: row.floor,
        floor_applied: row.floorApplied,
        total_paise: row.cost,
        plan_minutes: { multiplier, allowance_seconds_used: used },
        waived: null,
        waived_paise: 0,
      },
    });
  });

  it('lists each line, with fractions', () => {
    const { cost_breakdown } = priceCall(remote);
    expect(cost_breakdown).toEqual({
      components: { transcriber: 67.76, llm: 37.4528, voice: 198, telephony: 350, platform: 100 },
      lines: [
        {
          ...{ component: 'transcriber', provider: 'deepgram', model: 'nova-3', unit: 'minute' },
          ...{ quantity: 1, rate_paise: 67.76, amount_paise: 67.76 },
        },
        {
          ...{ component: 'llm', provider: 'openai', model: 'gpt-4.1-mini', unit: '1m_input_tokens' },
          ...{ quantity: 0.01, rate_paise: 3_520, amount_paise: 35.2 },
        },
        {
          ...{ component: 'llm', provider: 'openai', model: 'gpt-4.1-mini', unit: '1m_output_tokens' },
          ...{ quantity: 0.00016, rate_paise: 14_080, amount_paise: 2.2528 },
        },
        {
          ...{ component: 'voice', provider: 'elevenlabs', model: 'eleven_flash_v2_5', unit: '1k_characters' },
          ...{ quantity: 0.45, rate_paise: 440, amount_paise: 198 },
        },
        {
          ...{ component: 'telephony', provider: 'twilio', model: '', unit: 'minute' },
          ...{ quantity: 1, rate_paise: 350, amount_paise: 350 },
        },
        {
          ...{ component: 'platform', provider: '', model: '', unit: 'minute' },
          ...{ quantity: 1, rate_paise: 100, amount_paise: 100 },
        },
      ],
      usage_paise: 754,
      floor_per_minute_paise: 550,
      floor_paise: 550,
      floor_applied: false,
      total_paise: 754,
      duration_seconds: 60,
      channel: 'phone',
      plan_minutes: { multiplier: 3.0129, allowance_seconds_used: 0 },
      waived: null,
      waived_paise: 0,
      paise_per_dollar: null,
    });
  });

  it('has one line per provider and model', () => {
    const served: ProviderUsage[] = [
      { component: 'voice', provider: 'elevenlabs', model: 'eleven_flash_v2_5', tts_characters: 100 },
      { component: 'voice', provider: 'sarvam', model: 'bulbul:v2', tts_characters: 200 },
      { component: 'voice', provider: 'elevenlabs', model: 'eleven_flash_v2_5', tts_characters: 150 },
      { component: 'voice', provider: 'not known', model: 'x', tts_characters: 1_000 },
    ];
    const { components, lines } = priceCall({ ...own, provider_usage: served }).cost_breakdown;
    expect(
      lines.filter(({ component }) => component === 'voice').map((line) => [line.provider, line.quantity]),
    ).toEqual([
      ['elevenlabs', 0.25],
      ['sarvam', 0.2],
      ['not known', 1],
    ]);
    // 0.25 × 440 + 0.2 × 150
    expect(components.voice).toBe(140);
  });

  it("uses the agent's own providers where the engine reported none", () => {
    const usage = {
      ...{ stt_seconds: 60, tts_characters: 450, llm_input_tokens: 10_000, llm_output_tokens: 160, llm_calls: 4 },
    };
    const agent = { transcriber: REMOTE[0]!, llm: REMOTE[1]!, voice: REMOTE[2]! };
    const served = usageAsConfigured(usage, agent);
    expect(priceCall({ ...remote, provider_usage: served })).toEqual(priceCall(remote));
  });

  it('is 0 for a call that failed, with the waived amount', () => {
    const { cost_paise, cost_breakdown, plan_seconds_covered } = priceCall({
      ...remote,
      failed: true,
      plan_seconds: 3,
    });
    expect({ cost_paise, plan_seconds_covered }).toEqual({ cost_paise: 0, plan_seconds_covered: 0 });
    // Three included seconds would have paid for none of its own: floor(3 / 3.0129) = 0.
    expect(cost_breakdown).toMatchObject({
      usage_paise: 754,
      total_paise: 0,
      waived: 'failed',
      waived_paise: 754,
      plan_minutes: { allowance_seconds_used: 0 },
    });
  });

  it.each([Number.NaN, -5, Number.POSITIVE_INFINITY, 1e300])('counts a quantity of %s as 0', (count) => {
    const served: ProviderUsage[] = [
      { component: 'transcriber', provider: 'deepgram', model: 'nova-3', stt_seconds: count },
    ];
    expect(priceCall({ ...own, provider_usage: served }).cost_breakdown.components.transcriber).toBe(0);
  });
});

describe('the legs of a transfer', () => {
  it('are two lines, charged beyond what the floor covers', () => {
    const before = priceCall({ ...own, carrier: 'twilio' });
    expect(before).toMatchObject({ cost_paise: 550, cost_breakdown: { usage_paise: 450 } });
    // 450 + 1.5 × 350 + 2 × 350 = 1675
    const legs = { carrier: 'twilio', target_seconds: 90, caller_seconds: 120 };
    const after = withTransferLegs(before, legs, STARTER);
    expect(after.cost_paise).toBe(1_675);
    expect(after.cost_breakdown).toMatchObject({
      components: { telephony: 1_575 },
      usage_paise: 1_675,
      floor_applied: false,
      total_paise: 1_675,
    });
    expect(after.cost_breakdown.lines.slice(-2)).toMatchObject([
      { component: 'telephony', model: 'transfer', quantity: 1.5, amount_paise: 525 },
      { component: 'telephony', model: 'transfer-caller', quantity: 2, amount_paise: 700 },
    ]);
    const twice = withTransferLegs({ ...before, ...after }, legs, STARTER);
    expect(twice.cost_paise).toBe(1_675 + 1_225);
  });

  it('cost nothing more where the floor was above all of it', () => {
    // 174 + 111 + 148 = 433
    const legs = { carrier: 'plivo', target_seconds: 90, caller_seconds: 120 };
    const after = withTransferLegs(priceCall(own), legs, STARTER);
    expect(after).toMatchObject({ cost_paise: 550, cost_breakdown: { usage_paise: 433, floor_applied: true } });
  });

  it('are not paid by included minutes', () => {
    const covered = priceCall({ ...own, plan_seconds: 600 });
    expect(covered.cost_paise).toBe(0);
    // 74 / 60 × 7 = 8.63…
    const legs = { carrier: 'plivo', target_seconds: 0, caller_seconds: 7 };
    expect(withTransferLegs(covered, legs, STARTER)).toMatchObject({
      cost_paise: 9,
      cost_breakdown: { total_paise: 9 },
    });
  });

  it('are free with a call that failed', () => {
    const { cost_breakdown } = priceCall({ ...own, failed: true });
    const legs = { carrier: 'plivo', target_seconds: 60, caller_seconds: 60 };
    const after = withTransferLegs({ cost_breakdown, plan_seconds_covered: 0, basis: null }, legs, STARTER);
    expect(after).toMatchObject({ cost_paise: 0, basis: null, cost_breakdown: { total_paise: 0, waived_paise: 698 } });
  });
});
