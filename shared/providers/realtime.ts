import { google } from './google.ts';
import { type RealtimeManifest, realtime } from './manifest.ts';
import { openAi } from './openai.ts';

/**
 * Models that hear and speak themselves. They use the keys of the language models of the same provider. Prices and limits: the
 * providers' pages of November 2026 (platform.openai.com/docs/pricing, ai.google.dev/gemini-api/docs/pricing).
 */

const full = {
  ...{ text_input: 4, text_output: 24, audio_input: 32, audio_output: 64 },
  ...{ cached_text_input: 0.4, cached_audio_input: 0.4 },
};
const small = {
  ...{ text_input: 0.6, text_output: 2.4, audio_input: 10, audio_output: 20 },
  ...{ cached_text_input: 0.06, cached_audio_input: 0.3 },
};

/** OpenAI Realtime. */
export const openAiRealtime = realtime({
  name: 'openai',
  label: 'OpenAI Realtime',
  adapter: 'openai-realtime',
  concurrencyAccount: 'openai_realtime',
  settings: openAi.settings,
  defaultModel: 'gpt-realtime-2.1',
  models: {
    'gpt-realtime-2.1': { description: 'hears and speaks itself; strong at tools and long prompts' },
    'gpt-realtime-2.1-mini': { description: 'hears and speaks itself; lighter and less expensive' },
    'gpt-realtime-2': { description: 'hears and speaks itself; the version before' },
    'gpt-realtime': { description: 'hears and speaks itself; an earlier version with a short context' },
    'gpt-realtime-mini': { description: 'hears and speaks itself; an earlier, lighter version with a short context' },
  },
  voices: ['marin', 'cedar', 'alloy', 'ash', 'ballad', 'coral', 'echo', 'sage', 'shimmer', 'verse'],
  transcriptionModel: 'gpt-4o-mini-transcribe',
  transcriptionPrice: 0.003,
  capabilities: { textOutput: true, turnDetection: true },
  price: {
    currency: 'USD',
    models: { '*': full, 'gpt-realtime-2.1-mini': small, 'gpt-realtime-mini': small },
  },
});

/** Gemini Live. */
export const geminiLive = realtime({
  name: 'google',
  label: 'Gemini Live',
  adapter: 'gemini-live',
  concurrencyAccount: 'google_live',
  settings: google.settings,
  defaultModel: 'gemini-3.8-live',
  models: {
    'gemini-3.8-live': { description: 'hears and speaks itself, in many languages' },
    'gemini-3.1-flash-live-preview': { description: 'hears and speaks itself; the version before' },
  },
  voices: ['Kore', 'Puck', 'Charon', 'Fenrir', 'Aoede', 'Leda', 'Orus', 'Zephyr'],
  transcriptionModel: '',
  transcriptionPrice: 0,
  capabilities: { textOutput: false, turnDetection: false },
  price: {
    currency: 'USD',
    models: {
      '*': {
        ...{ text_input: 0.75, text_output: 4.5, audio_input: 3, audio_output: 12 },
        ...{ cached_text_input: 0.19, cached_audio_input: 0.75 },
      },
    },
  },
});

/** An agent's `llm` that is a model of one of them hears and speaks itself. */
export const REALTIME_MODELS = [openAiRealtime, geminiLive] as const;

export type RealtimeProvider = (typeof REALTIME_MODELS)[number]['name'];

/** The speech-to-speech provider of this model; undefined when the model writes text. */
export function realtimeManifest(llm: { provider: string; model: string }): RealtimeManifest | undefined {
  const { provider, model } = llm;
  return REALTIME_MODELS.find(({ name, models }) => name === provider && Object.hasOwn(models, model));
}
