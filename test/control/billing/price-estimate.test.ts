import { describe, expect, it } from 'vitest';
import { effectiveRates } from '../../../control/billing/effective-rates.ts';
import { type EstimateInput, estimatePrice, type Pricing } from '../../../control/billing/price-estimate.ts';
import type { RateComponent } from '../../../control/billing/rate-overrides.ts';
import {
  amountOf,
  type Currency,
  MICRO,
  priceOfTokens,
  type Rates,
  rateOf,
  STANDARD_RATES,
} from '../../../control/billing/rates.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';
import {
  DEFAULT_LLM_MODEL,
  DEFAULT_SYNTHESIZER_MODEL,
  DEFAULT_TRANSCRIBER_MODEL,
  LLM_PROVIDERS,
  type LlmProvider,
  SYNTHESIZER_PROVIDERS,
  type SynthesizerProvider,
  TRANSCRIBER_PROVIDERS,
  type TranscriberProvider,
} from '../../../shared/providers/registry.ts';

const paise = (amount: number) => Math.round(amount * MICRO);

/** Round figures, so that every sum can be checked by hand. */
const RATES: Rates = {
  ...STANDARD_RATES,
  transcriber: { ...STANDARD_RATES.transcriber, deepgram_flux: { '*': paise(60) } },
  llm: {
    ...STANDARD_RATES.llm,
    openai: { '*': { input: paise(10_000), output: paise(100_000) }, dear: { input: paise(1e6), output: paise(1e6) } },
  },
  voice: { ...STANDARD_RATES.voice, elevenlabs: { '*': paise(200) } },
  telephony: { '*': paise(70), twilio: paise(300) },
  platform: paise(100),
};

const STARTER: Pricing = {
  currency: 'INR',
  price_per_minute_paise: 550,
  browser_price_per_minute_paise: 400,
  rates: RATES,
};

const input = (over: Partial<EstimateInput> = {}, config: object = {}): EstimateInput => ({
  agent: agentConfigSchema.parse({ name: 'A', ...config }),
  knowledge_characters: 0,
  channel: 'phone',
  carrier: '',
  pricing: STARTER,
  ...over,
});

describe('a price estimate', () => {
  it('adds up what a minute needs', () => {
    // 1 + 399 characters: 100 tokens. 4 × (100 + 350 + 500) = 3,800 tokens read: 38 paise; 160 written: 16 paise.
    const estimate = estimatePrice(input({ knowledge_characters: 399 }, { system_prompt: 'x' }));
    expect(estimate).toEqual({
      components: [
        {
          key: 'transcriber',
          label: 'Transcriber',
          provider: 'deepgram_flux',
          model: 'flux-general-multi',
          paise_per_minute: 60,
        },
        { key: 'llm', label: 'Language model', provider: 'openai', model: 'gpt-4.1-mini', paise_per_minute: 54 },
        { key: 'voice', label: 'Voice', provider: 'elevenlabs', model: 'eleven_flash_v2_5', paise_per_minute: 90 },
        { key: 'telephony', label: 'Telephony', provider: '', model: '', paise_per_minute: 70 },
        { key: 'platform', label: 'Platform', provider: '', model: '', paise_per_minute: 100 },
      ],
      usage_paise_per_minute: 374,
      floor_paise_per_minute: 550,
      total_paise_per_minute: 550,
      floor_applied: true,
      assumptions: {
        caller_audio_seconds_per_minute: 60,
        tts_characters_per_minute: 450,
        llm_turns_per_minute: 4,
        llm_input_tokens_per_minute: 3_800,
        llm_output_tokens_per_minute: 160,
        prompt_tokens: 100,
      },
      plan_minutes_multiplier: 1.496,
      channel: 'phone',
      currency: 'INR',
    });
  });

  it('leaves telephony out in the browser, and takes its floor', () => {
    const web = estimatePrice(input({ channel: 'web', carrier: 'twilio' }));
    expect(web.components.map(({ key }) => key)).toEqual(['transcriber', 'llm', 'voice', 'platform']);
    expect(web.floor_paise_per_minute).toBe(400);
    // A plan without a price for browsers: as on the phone.
    expect(
      estimatePrice(input({ channel: 'web', pricing: { ...STARTER, browser_price_per_minute_paise: null } }))
        .floor_paise_per_minute,
    ).toBe(550);
  });

  it('knows the carrier of the number', () => {
    const [telephony] = estimatePrice(input({ carrier: 'twilio' })).components.filter(({ key }) => key === 'telephony');
    expect(telephony).toMatchObject({ provider: 'twilio', paise_per_minute: 300 });
  });

  it('is the usage where that is more than the floor', () => {
    const estimate = estimatePrice(input({}, { llm: { model: 'dear' } }));
    // 3,400 read and 160 written, a paisa each.
    expect(estimate).toMatchObject({
      usage_paise_per_minute: 60 + 3_560 + 90 + 70 + 100,
      total_paise_per_minute: 3_880,
      floor_applied: false,
      plan_minutes_multiplier: 15.52,
    });
  });

  it('never uses up less than one included minute', () => {
    const cheap = { transcriber: { provider: 'local' }, voice: { provider: 'local' }, llm: { provider: 'custom' } };
    expect(estimatePrice(input({ carrier: 'asterisk' }, cheap))).toMatchObject({
      usage_paise_per_minute: 170,
      plan_minutes_multiplier: 1,
    });
  });

  it('counts the longest prompt exactly', () => {
    const estimate = estimatePrice(input({}, { system_prompt: 'x'.repeat(60_000), llm: { model: 'dear' } }));
    expect(estimate.assumptions).toMatchObject({ prompt_tokens: 15_000, llm_input_tokens_per_minute: 63_400 });
    expect(estimate.components[1]?.paise_per_minute).toBe(63_560);
  });

  it('rounds once, and up', () => {
    const rates: Rates = { ...RATES, platform: 1, telephony: { '*': 0 } };
    expect(estimatePrice(input({ pricing: { ...STARTER, rates } }, { llm: { provider: 'custom' } }))).toMatchObject({
      usage_paise_per_minute: 151,
      components: expect.arrayContaining([expect.objectContaining({ key: 'platform', paise_per_minute: 0 })]),
    });
  });

  it('in dollars holds the included minute to the same amount', () => {
    const pricing: Pricing = {
      ...STARTER,
      currency: 'USD',
      rates: effectiveRates('USD', []),
      price_per_minute_paise: 7,
    };
    const rupees = { ...pricing, currency: 'INR' as const, rates: effectiveRates('INR', []) };
    const agent = { llm: { model: 'gpt-4.1' }, system_prompt: 'x'.repeat(20_000) };
    const [inDollars, inRupees] = [pricing, rupees].map((each) => estimatePrice(input({ pricing: each }, agent)));
    expect(inDollars!.plan_minutes_multiplier).toBeGreaterThan(2);
    expect(inDollars!.plan_minutes_multiplier).toBeCloseTo(inRupees!.plan_minutes_multiplier, 3);
    expect(inDollars!.usage_paise_per_minute).toBe(Math.ceil(inRupees!.usage_paise_per_minute / 88));
    expect(inDollars).toMatchObject({ currency: 'USD', floor_paise_per_minute: 7, floor_applied: false });
  });
});

describe('the table of rates', () => {
  it('prices every provider and the model an agent gets by default', () => {
    for (const provider of LLM_PROVIDERS as readonly LlmProvider[]) {
      const { input, output } = rateOf(STANDARD_RATES.llm[provider], DEFAULT_LLM_MODEL[provider]);
      expect([input, output].every(Number.isSafeInteger)).toBe(true);
    }
    for (const provider of SYNTHESIZER_PROVIDERS as readonly SynthesizerProvider[]) {
      expect(Number.isSafeInteger(rateOf(STANDARD_RATES.voice[provider], DEFAULT_SYNTHESIZER_MODEL[provider]))).toBe(
        true,
      );
    }
    for (const provider of TRANSCRIBER_PROVIDERS as readonly TranscriberProvider[]) {
      const rate = rateOf(STANDARD_RATES.transcriber[provider], DEFAULT_TRANSCRIBER_MODEL[provider]);
      expect(Number.isSafeInteger(rate)).toBe(true);
    }
  });

  it('keeps an ordinary agent within the price of a plan', () => {
    const { usage_paise_per_minute } = estimatePrice(
      input({ pricing: { ...STARTER, rates: STANDARD_RATES } }, { system_prompt: 'x'.repeat(4_000) }),
    );
    expect(usage_paise_per_minute).toBeGreaterThan(300);
    expect(usage_paise_per_minute).toBeLessThan(550);
  });

  it('ignores names of inherited properties', () => {
    expect(rateOf({ '*': 7 }, 'toString')).toBe(7);
  });
});

describe('effective rates', () => {
  const row = (
    component: RateComponent,
    provider: string,
    model: string,
    rate_paise: number,
    currency: Currency = 'INR',
  ) => ({
    component,
    provider,
    model,
    currency,
    rate_paise,
  });

  it("are the operator's rates in place of standard ones", () => {
    const rates = effectiveRates('INR', [
      row('platform', '', '', 12.5),
      row('telephony', 'plivo', '', 60),
      row('telephony', '', '', 65),
      row('voice', 'sarvam', 'bulbul:v3', 1),
      row('transcriber', 'deepgram', '*', 2),
      row('llm_input', 'openai', 'gpt-9', 3),
      row('llm_output', 'mistral', '*', 4),
      row('platform', '', '', 9, 'USD'),
      row('voice', 'gone', 'x', 1),
      row('line', '', '', 60_000),
    ]);
    expect(rates.platform).toBe(paise(12.5));
    expect(rates.telephony).toMatchObject({
      plivo: paise(60),
      '*': paise(65),
      twilio: STANDARD_RATES.telephony.twilio,
    });
    expect(rateOf(rates.voice.sarvam, 'bulbul:v3')).toBe(paise(1));
    expect(rateOf(rates.transcriber.deepgram, 'nova-9')).toBe(paise(2));
    expect(rateOf(rates.llm.openai, 'gpt-9')).toEqual({
      input: paise(3),
      output: STANDARD_RATES.llm.openai['*'].output,
    });
    expect(rateOf(rates.llm.mistral, 'new').output).toBe(paise(4));
    // Nothing of it reached the table that all share.
    expect(STANDARD_RATES.platform).toBe(paise(100));
    expect(effectiveRates('INR', [])).toEqual(STANDARD_RATES);
  });

  it('in dollars are converted, unless a price in dollars is set', () => {
    const rows = [row('platform', '', '', 880), row('voice', 'local', '*', 88), row('voice', 'local', '*', 5, 'USD')];
    const rates = effectiveRates('USD', rows);
    expect([rates.platform, rates.voice.local['*']]).toEqual([paise(10), paise(5)]);
    expect(rates.llm.openai['gpt-4.1']).toEqual({ input: paise(200), output: paise(800) });
  });
});

describe('amounts', () => {
  it('are exact beyond the precision of numbers', () => {
    expect(amountOf(9_007_199_254_740_991, 1_000_000, 1_000_000)).toBe(9_007_199_254_740_991);
  });

  it('are rounded up', () => {
    expect([amountOf(7, 1, 3), amountOf(6, 1, 3), amountOf(0, 5, 3)]).toEqual([3, 2, 0]);
  });

  it('of an answer are whole, in either currency', () => {
    const use = { provider: 'openai' as const, model: 'gpt-4.1', input_tokens: 1_000, output_tokens: 1_000 };
    // A cent, at two and eight dollars a million.
    expect(priceOfTokens(use, STANDARD_RATES)).toBe(88);
    expect(priceOfTokens(use, effectiveRates('USD', []))).toBe(1);
    expect(priceOfTokens({ ...use, output_tokens: 0, input_tokens: 1 }, STANDARD_RATES)).toBe(1);
    expect(priceOfTokens({ ...use, provider: 'custom' }, STANDARD_RATES)).toBe(0);
  });
});
