import type { AgentConfig } from '../../shared/agent.ts';
import type { Clock } from '../../shared/clock.ts';
import type { LanguageModel } from '../../shared/llm/language-model.ts';
import { createOpenAiCompatible } from '../../shared/llm/openai-compatible.ts';
import type { Logger } from '../../shared/log.ts';
import { createSafeFetch, type SafeFetch } from '../../shared/safe-fetch.ts';
import { createDenoiser, type Denoiser, loadDenoiser } from '../audio/denoise.ts';
import type { AudioFormat } from '../audio/format.ts';
import type { MediaConfig } from '../config.ts';
import { type AmbientName, loadAmbient } from '../playout/ambient.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { createDeepgramFlux } from '../stt/deepgram-flux.ts';
import { createPocketsphinx } from '../stt/pocketsphinx.ts';
import type { Transcriber, TranscriberListener } from '../stt/transcriber.ts';
import { createElevenLabs } from '../tts/elevenlabs.ts';
import { createEspeak } from '../tts/espeak.ts';
import type { Voice, VoiceListener } from '../tts/voice.ts';

export interface EquipmentOptions {
  config: MediaConfig;
  clock: Clock;
  log: Logger;
}

const BUILT_IN_SOUNDS: readonly AmbientName[] = ['office', 'call_centre', 'cafe', 'street'];

/** What a call needs from providers, as the agent is configured and this engine is. */
export interface Equipment {
  /** All three throw ProviderError when the engine has no such provider. */
  transcriber(agent: AgentConfig, line: AudioFormat, listener: TranscriberListener): Transcriber;
  voice(agent: AgentConfig, line: AudioFormat, listener: VoiceListener): Voice;
  model(agent: AgentConfig): LanguageModel;
  /** The background sound of this name, mono at 8 kHz; null when there is none such. */
  ambientSound(name: string): Int16Array | null;
  /** A noise canceller for one call, or null where the agent wants none. */
  denoiser(agent: AgentConfig): Denoiser | null;
  /** For the agent's tools: public addresses only, and what the operator allows beside them. */
  safeFetch: SafeFetch;
}

export async function createEquipment({ config, clock, log }: EquipmentOptions): Promise<Equipment> {
  /** A model keeps its connections, so calls of the same model share it. */
  const models = new Map<string, LanguageModel>();

  const rnnoise = await loadDenoiser();
  const sounds = new Map<string, Int16Array>();
  for (const name of BUILT_IN_SOUNDS) sounds.set(name, await loadAmbient(name));
  const allow = config.FETCH_ALLOW.split(',').flatMap((network) => network.trim() || []);

  return {
    safeFetch: createSafeFetch({ allow }),
    ambientSound: (name) => sounds.get(name) ?? null,
    denoiser: ({ call }) =>
      call.noise_cancellation ? createDenoiser(rnnoise, call.noise_cancellation_strength) : null,

    transcriber({ transcriber }, line, listener) {
      switch (transcriber.provider) {
        case 'deepgram_flux':
          return createDeepgramFlux({
            url: config.DEEPGRAM_URL,
            apiKey: needed('deepgram_flux', 'DEEPGRAM_API_KEY', config.DEEPGRAM_API_KEY),
            model: transcriber.model,
            turnDetection: transcriber.turn_detection,
            keyterms: transcriber.keyterms,
            input: line,
            clock,
            log,
            listener,
          });
        case 'local':
          return createPocketsphinx({
            bin: config.POCKETSPHINX_BIN,
            modelsDir: config.POCKETSPHINX_MODELS,
            languageModelsDir: config.LANGUAGE_MODELS_DIR,
            model: transcriber.model,
            clock,
            log,
            listener,
          });
        default:
          throw notHere(transcriber.provider);
      }
    },

    voice({ voice }, line, listener) {
      switch (voice.provider) {
        case 'elevenlabs':
          return createElevenLabs({
            url: config.ELEVENLABS_URL,
            apiKey: needed('elevenlabs', 'ELEVENLABS_API_KEY', config.ELEVENLABS_API_KEY),
            voiceId: voice.voice_id,
            model: voice.model,
            language: voice.language,
            speed: voice.speed,
            output: line,
            clock,
            log,
            listener,
          });
        case 'local':
          return createEspeak({
            bin: config.ESPEAK_BIN,
            language: voice.language,
            voiceId: voice.voice_id,
            speed: voice.speed,
            clock,
            log,
            listener,
          });
        default:
          throw notHere(voice.provider);
      }
    },

    model({ llm }) {
      const key = `${llm.provider} ${llm.model}`;
      const known = models.get(key);
      if (known) return known;
      const made = makeModel(llm.provider, llm.model);
      models.set(key, made);
      return made;
    },
  };

  function makeModel(provider: string, model: string): LanguageModel {
    if (provider === 'openai') {
      const apiKey = needed(provider, 'OPENAI_API_KEY', config.OPENAI_API_KEY);
      return createOpenAiCompatible({ provider, baseUrl: config.OPENAI_BASE_URL, apiKey, model, log });
    }
    if (provider === 'custom') {
      const baseUrl = needed(provider, 'LLM_BASE_URL', config.LLM_BASE_URL);
      const chosen = model === 'default' && config.LLM_MODEL !== '' ? config.LLM_MODEL : model;
      return createOpenAiCompatible({ provider, baseUrl, apiKey: config.LLM_API_KEY, model: chosen, log });
    }
    throw notHere(provider);
  }
}

function needed(provider: string, name: string, value: string): string {
  if (value === '') throw new ProviderError(provider, 'auth', `${provider} needs ${name} in this engine's environment`);
  return value;
}

function notHere(provider: string): ProviderError {
  return new ProviderError(provider, 'bad_request', `this engine has no adapter for ${provider}`);
}
