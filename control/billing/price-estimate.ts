import type { AgentConfig } from '../../shared/agent.ts';
import type { PerModel, RealtimeManifest } from '../../shared/providers/manifest.ts';
import { type RealtimeProvider, realtimeManifest } from '../../shared/providers/realtime.ts';
import { amountOf, type Currency, inCurrency, MICRO, type Rates, rateOf } from './rates.ts';

/**
 * Estimates the price of a minute of an agent's calls, by the specification's section "Price estimate": a full minute of caller
 * audio, 450 characters spoken, four replies, each reading the prompt and writing 40 tokens.
 */

const AUDIO_SECONDS = 60;
const SPOKEN_CHARACTERS = 450;
const TURNS = 4;
const OUTPUT_TOKENS = 160;
/** The service's own instructions, and the conversation so far. */
const BUILT_IN_TOKENS = 350;
const CONVERSATION_TOKENS = 500;
/** The caller speaks for half of a minute, which is all that a speech-to-speech model is sent. */
const CALLER_SPEECH_SECONDS = 30;
/** Of half a minute of the caller, a token for 100 ms, and of the agent, one for 50 ms. */
const CALLER_AUDIO_TOKENS = 300;
const AGENT_AUDIO_TOKENS = 600;
/** Usage that one included minute pays for. */
export const INCLUDED_MINUTE_PAISE = 250;

export type Channel = 'phone' | 'web';

export interface EstimateInput {
  agent: Pick<AgentConfig, 'llm' | 'voice' | 'transcriber' | 'system_prompt'>;
  /** Of the knowledge that is put whole into the prompt. */
  knowledge_characters: number;
  channel: Channel;
  /** Of the agent's number; empty while it has none. */
  carrier: string;
  pricing: Pricing;
}

/** A workspace's prices, in the smallest unit of its currency. */
export interface Pricing {
  currency: Currency;
  /** The minimum price of a minute. */
  price_per_minute_paise: number;
  /** In a browser; null: as on the phone. */
  browser_price_per_minute_paise: number | null;
  rates: Rates;
}

/** Money per minute, in the smallest unit of `currency`; components keep four decimals. */
export interface PriceEstimate {
  components: PriceComponent[];
  usage_paise_per_minute: number;
  floor_paise_per_minute: number;
  total_paise_per_minute: number;
  floor_applied: boolean;
  assumptions: {
    caller_audio_seconds_per_minute: number;
    tts_characters_per_minute: number;
    llm_turns_per_minute: number;
    llm_input_tokens_per_minute: number;
    llm_output_tokens_per_minute: number;
    prompt_tokens: number;
  };
  /** Included minutes that one minute uses up. */
  plan_minutes_multiplier: number;
  channel: Channel;
  currency: Currency;
}

export interface PriceComponent {
  key: 'transcriber' | 'llm' | 'voice' | 'telephony' | 'platform';
  label: string;
  provider: string;
  model: string;
  paise_per_minute: number;
}

export function estimatePrice(input: EstimateInput): PriceEstimate {
  const { agent, channel, carrier, pricing } = input;
  const { currency, rates } = pricing;
  const { transcriber, llm, voice } = agent;
  const promptTokens = Math.ceil((agent.system_prompt.length + input.knowledge_characters) / 4);
  const inputTokens = TURNS * (promptTokens + BUILT_IN_TOKENS + CONVERSATION_TOKENS);

  const speaks = realtimeManifest(llm);
  const thinking = speaks ? realtimeMicro(llm, inputTokens, rates) : writingMicro(llm, inputTokens, rates);
  const parts = [
    {
      key: 'transcriber' as const,
      label: 'Transcriber',
      ...(speaks?.transcriptionModel
        ? { provider: llm.provider, model: speaks.transcriptionModel }
        : named(transcriber)),
      micro: speaks
        ? transcriptionMicro(speaks, rates)
        : amountOf(rateOf(rates.transcriber[transcriber.provider], transcriber.model), AUDIO_SECONDS, 60),
    },
    { key: 'llm' as const, label: 'Language model', ...named(llm), micro: thinking },
    {
      key: 'voice' as const,
      label: 'Voice',
      ...named(voice),
      micro:
        speaks && llm.realtime?.output !== 'text'
          ? 0
          : amountOf(rateOf(rates.voice[voice.provider], voice.model), SPOKEN_CHARACTERS, 1_000),
    },
    ...(channel === 'web'
      ? []
      : [
          {
            key: 'telephony' as const,
            label: 'Telephony',
            provider: carrier,
            model: '',
            micro: rateOf(rates.telephony, carrier),
          },
        ]),
    { key: 'platform' as const, label: 'Platform', provider: '', model: '', micro: rates.platform },
  ];

  const usageMicro = parts.reduce((sum, { micro }) => sum + micro, 0);
  const usage = Math.ceil(usageMicro / MICRO);
  const phoneFloor = pricing.price_per_minute_paise;
  const floor = channel === 'web' ? (pricing.browser_price_per_minute_paise ?? phoneFloor) : phoneFloor;
  const includedMicro = inCurrency(INCLUDED_MINUTE_PAISE * MICRO, currency, rates.paise_per_dollar);
  return {
    components: parts.map(({ micro, ...part }) => ({
      ...part,
      paise_per_minute: fourDecimals(micro),
    })),
    usage_paise_per_minute: usage,
    floor_paise_per_minute: floor,
    total_paise_per_minute: Math.max(usage, floor),
    floor_applied: floor > usage,
    assumptions: {
      caller_audio_seconds_per_minute: AUDIO_SECONDS,
      tts_characters_per_minute: SPOKEN_CHARACTERS,
      llm_turns_per_minute: TURNS,
      llm_input_tokens_per_minute: inputTokens,
      llm_output_tokens_per_minute: OUTPUT_TOKENS,
      prompt_tokens: promptTokens,
    },
    plan_minutes_multiplier: Math.max(1, amountOf(usageMicro, 10_000, includedMicro) / 10_000),
    channel,
    currency,
  };
}

type Llm = EstimateInput['agent']['llm'];

function writingMicro(llm: Llm, inputTokens: number, rates: Rates): number {
  const { input, output } = rateOf(rates.llm[llm.provider], llm.model);
  return amountOf(input, inputTokens, 1_000_000) + amountOf(output, OUTPUT_TOKENS, 1_000_000);
}

/** Each reply reads the prompt, mostly from the provider's cache, and what was said, as audio; half a minute each is spoken. */
function realtimeMicro({ provider, model, realtime }: Llm, inputTokens: number, rates: Rates): number {
  const rate = rateOf(rates.realtime[provider as RealtimeProvider], model);
  const speaks = realtime?.output !== 'text';
  return (
    amountOf(rate.cached_text_input, inputTokens, 1_000_000) +
    amountOf(rate.audio_input, CALLER_AUDIO_TOKENS, 1_000_000) +
    amountOf(rate.cached_audio_input, CALLER_AUDIO_TOKENS * TURNS, 1_000_000) +
    amountOf(rate.text_output, OUTPUT_TOKENS, 1_000_000) +
    (speaks ? amountOf(rate.audio_output, AGENT_AUDIO_TOKENS, 1_000_000) : 0)
  );
}

/** Of the model that transcribes the caller beside one that hears. */
function transcriptionMicro({ name, transcriptionModel }: RealtimeManifest, rates: Rates): number {
  const models = (rates.transcriber as Record<string, PerModel<number>>)[name];
  if (transcriptionModel === '' || !models) return 0;
  return amountOf(rateOf(models, transcriptionModel), CALLER_SPEECH_SECONDS, 60);
}

const named = ({ provider, model }: { provider: string; model: string }) => ({ provider, model });

const fourDecimals = (micro: number) => Math.round(micro / 100) / 10_000;
