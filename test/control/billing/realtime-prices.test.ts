import { expect, it } from 'vitest';
import { effectiveRates } from '../../../control/billing/effective-rates.ts';
import { priceCall } from '../../../control/billing/price-call.ts';
import { estimatePrice, type Pricing } from '../../../control/billing/price-estimate.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';

const pricing: Pricing = {
  ...{ currency: 'INR', price_per_minute_paise: 0, browser_price_per_minute_paise: 0 },
  rates: effectiveRates('INR', []),
};
/** The tokens of a call, a million of each kind. */
const MILLION = 1_000_000;
const used = {
  ...{ component: 'realtime' as const, provider: 'openai', model: 'gpt-realtime-2.1' },
  ...{ text_input_tokens: 2 * MILLION, cached_text_input_tokens: MILLION, text_output_tokens: MILLION },
  ...{ audio_input_tokens: 2 * MILLION, cached_audio_input_tokens: MILLION, audio_output_tokens: MILLION },
};
const call = {
  ...{ channel: 'web' as const, carrier: '', duration_seconds: 60, plan_seconds: 0, failed: false },
  provider_usage: [used],
};

it('every kind of token is a line at its own price, and the cached ones are in no other', () => {
  const { lines, components } = priceCall({ ...call, pricing }).cost_breakdown;
  const own = lines.filter(({ model }) => model === 'gpt-realtime-2.1');
  const dollar = own[0]!.amount_paise / 4;
  expect(
    own.map(({ unit, quantity, amount_paise }) => [unit, quantity, Math.round((amount_paise / dollar) * 10) / 10]),
  ).toEqual([
    ['1m_text_input_tokens', 1, 4],
    ['1m_cached_text_input_tokens', 1, 0.4],
    ['1m_audio_input_tokens', 1, 32],
    ['1m_cached_audio_input_tokens', 1, 0.4],
    ['1m_text_output_tokens', 1, 24],
    ['1m_audio_output_tokens', 1, 64],
  ]);
  expect(components.llm).toBeCloseTo(
    own.reduce((sum, { amount_paise }) => sum + amount_paise, 0),
    3,
  );
});

it('the transcripts of the caller are a line of their own, by the minute', () => {
  const transcripts = { component: 'transcriber' as const, provider: 'openai', model: 'gpt-4o-mini-transcribe' };
  const provider_usage = [used, { ...transcripts, stt_seconds: 90 }];
  const { lines } = priceCall({ ...call, provider_usage, pricing }).cost_breakdown;
  const line = lines.find(({ component }) => component === 'transcriber')!;
  expect(line).toMatchObject({ ...transcripts, unit: 'minute', quantity: 1.5 });
  const dollar = lines.find(({ unit }) => unit === '1m_text_input_tokens')!.rate_paise / 4;
  expect(line.rate_paise / dollar).toBeCloseTo(0.003, 5);
});

it('the operator sets the price of one kind', () => {
  const row = { component: 'realtime_audio_output' as const, provider: 'openai', model: '', currency: 'INR' as const };
  const rates = effectiveRates('INR', [{ ...row, rate_paise: 500 }]);
  const { lines } = priceCall({ ...call, pricing: { ...pricing, rates } }).cost_breakdown;
  expect(lines.find(({ unit }) => unit === '1m_audio_output_tokens')).toMatchObject({ rate_paise: 500 });
});

it('a minute is estimated with the transcripts of the caller and without a voice; with text as output, the voice is in it', () => {
  const estimateOf = (output: 'audio' | 'text') => {
    const agent = agentConfigSchema.parse({
      ...{ name: 'A', llm: { provider: 'openai', model: 'gpt-realtime-2.1', realtime: { output } } },
    });
    const input = { agent, knowledge_characters: 0, channel: 'web' as const, carrier: '', pricing };
    return Object.fromEntries(
      estimatePrice(input).components.map(({ key, paise_per_minute }) => [key, paise_per_minute]),
    );
  };
  const minute = effectiveRates('INR', []).transcriber.openai['gpt-4o-mini-transcribe']! / 1_000_000;
  expect(estimateOf('audio').transcriber).toBeCloseTo(minute / 2, 4);
  expect(estimateOf('audio').voice).toBe(0);
  expect(estimateOf('text').voice).toBeGreaterThan(0);
  expect(estimateOf('audio').llm).toBeGreaterThan(estimateOf('text').llm!);
});
