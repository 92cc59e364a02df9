import type { AgentConfig } from '../../shared/agent.ts';
import { ambientUploadId, BUILT_IN_AMBIENT_SOUNDS } from '../../shared/ambient-sounds.ts';
import type { Bus } from '../../shared/bus/bus.ts';
import type { Clock } from '../../shared/clock.ts';
import type { LanguageModel } from '../../shared/llm/language-model.ts';
import { createLanguageModel, missingSetting } from '../../shared/llm/models.ts';
import type { Logger } from '../../shared/log.ts';
import type { LlmProvider } from '../../shared/providers.ts';
import { createSafeFetch, type SafeFetch } from '../../shared/safe-fetch.ts';
import { type DenoisedFrameListener, type DenoiseStream, loadDenoiseThread } from '../audio/denoise-thread.ts';
import type { AudioFormat } from '../audio/format.ts';
import type { MediaConfig } from '../config.ts';
import { loadAmbient } from '../playout/ambient.ts';
import { createUploadedAmbientSounds } from '../playout/uploaded-ambient-sounds.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { createDeepgram } from '../stt/deepgram.ts';
import { createDeepgramFlux } from '../stt/deepgram-flux.ts';
import { createPocketsphinx } from '../stt/pocketsphinx.ts';
import { createSarvam } from '../stt/sarvam.ts';
import type { Transcriber, TranscriberListener } from '../stt/transcriber.ts';
import { createCartesiaSynthesizer } from '../tts/cartesia.ts';
import { createElevenLabsSynthesizer } from '../tts/elevenlabs.ts';
import { createEspeakSynthesizer } from '../tts/espeak.ts';
import { createSarvamSynthesizer } from '../tts/sarvam.ts';
import type { Synthesizer, SynthesizerListener } from '../tts/synthesizer.ts';
import { loadTurnDetector, type TurnDetector } from '../turn/turn-detector.ts';

export interface ProviderFactoryOptions {
  config: MediaConfig;
  clock: Clock;
  log: Logger;
  /** Where uploaded background sounds come from; without it there are none. */
  bus?: Pick<Bus, 'fetchAmbientSound'>;
}

/** What a call needs from providers, as the agent is configured and this engine is. */
export interface ProviderFactory {
  /** All three throw ProviderError when the engine has no such provider. */
  transcriber(agent: AgentConfig, line: AudioFormat, listener: TranscriberListener): Transcriber;
  synthesizer(agent: AgentConfig, line: AudioFormat, listener: SynthesizerListener): Synthesizer;
  model(agent: AgentConfig): LanguageModel;
  /**
   * The background sound an agent of the workspace names, mono at 8 kHz. An upload is on its way first; null when there is
   * none such, or when it does not come.
   */
  ambientSound(name: string, workspaceId: string): Int16Array | Promise<Int16Array | null> | null;
  /** A noise canceller for one call, or null where the agent wants none. It tells its frames later, or at once. */
  denoiser(agent: AgentConfig, listener: DenoisedFrameListener): DenoiseStream | null;
  /** Hears whether a caller's turn is over; null where none is configured. */
  turnDetector: TurnDetector | null;
  /** For the agent's tools: public addresses only, and what the operator allows beside them. */
  safeFetch: SafeFetch;
  /** A search in the agent's knowledge bases takes no longer. */
  knowledgeDeadlineMs: number;
}

export async function createProviderFactory({
  config,
  clock,
  log,
  bus,
}: ProviderFactoryOptions): Promise<ProviderFactory> {
  /** A model keeps its connections, so calls of the same model share it. */
  const models = new Map<string, LanguageModel>();

  const denoising = await loadDenoiseThread({ clock, log });
  const sounds = new Map<string, Int16Array>();
  for (const name of BUILT_IN_AMBIENT_SOUNDS) sounds.set(name, await loadAmbient(name));
  const uploads = bus ? createUploadedAmbientSounds({ fetchPart: bus.fetchAmbientSound, log }) : null;
  const turnModel = config.TURN_MODEL === '' ? null : await loadTurnDetector({ path: config.TURN_MODEL, clock, log });
  const allow = config.FETCH_ALLOW.split(',').flatMap((network) => network.trim() || []);

  return {
    turnDetector: turnModel,
    safeFetch: createSafeFetch({ allow }),
    knowledgeDeadlineMs: config.KNOWLEDGE_DEADLINE_MS,
    ambientSound(name, workspaceId) {
      const upload = ambientUploadId(name);
      if (upload !== null) return uploads?.load(workspaceId, upload) ?? null;
      return sounds.get(name) ?? null;
    },
    denoiser: ({ call }, listener) =>
      call.noise_cancellation ? denoising.open(call.noise_cancellation_strength, listener) : null,

    transcriber({ transcriber }, line, listener) {
      switch (transcriber.provider) {
        case 'deepgram_flux':
          return createDeepgramFlux({
            url: config.DEEPGRAM_URL,
            apiKey: requireSetting('deepgram_flux', 'DEEPGRAM_API_KEY', config.DEEPGRAM_API_KEY),
            model: transcriber.model,
            turnDetection: transcriber.turn_detection,
            keyterms: transcriber.keyterms,
            input: line,
            clock,
            log,
            listener,
          });
        case 'deepgram':
          return createDeepgram({
            url: config.DEEPGRAM_URL,
            apiKey: requireSetting('deepgram', 'DEEPGRAM_API_KEY', config.DEEPGRAM_API_KEY),
            model: transcriber.model,
            language: transcriber.language,
            endpointingMs: transcriber.endpointing_ms,
            keyterms: transcriber.keyterms,
            input: line,
            clock,
            log,
            listener,
          });
        case 'sarvam':
          return createSarvam({
            url: config.SARVAM_STT_URL,
            apiKey: requireSetting('sarvam', 'SARVAM_API_KEY', config.SARVAM_API_KEY),
            model: transcriber.model,
            language: transcriber.language,
            endpointingMs: transcriber.endpointing_ms,
            keyterms: transcriber.keyterms,
            lineFormat: line,
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
          throw noAdapterError(transcriber.provider);
      }
    },

    synthesizer({ voice }, line, listener) {
      const { voice_id: voiceId, language, speed } = voice;
      const spoken = { voiceId, language, speed, clock, log, listener };
      switch (voice.provider) {
        case 'elevenlabs':
          return createElevenLabsSynthesizer({
            url: config.ELEVENLABS_URL,
            apiKey: requireSetting('elevenlabs', 'ELEVENLABS_API_KEY', config.ELEVENLABS_API_KEY),
            model: voice.model,
            output: line,
            ...spoken,
          });
        case 'cartesia':
          return createCartesiaSynthesizer({
            url: config.CARTESIA_URL,
            apiKey: requireSetting('cartesia', 'CARTESIA_API_KEY', config.CARTESIA_API_KEY),
            model: voice.model,
            output: line,
            ...spoken,
          });
        case 'sarvam':
          return createSarvamSynthesizer({
            url: config.SARVAM_TTS_URL,
            apiKey: requireSetting('sarvam', 'SARVAM_API_KEY', config.SARVAM_API_KEY),
            model: voice.model,
            output: line,
            ...spoken,
          });
        case 'local':
          return createEspeakSynthesizer({ bin: config.ESPEAK_BIN, ...spoken });
        default:
          throw noAdapterError(voice.provider);
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

  function makeModel(provider: LlmProvider, model: string): LanguageModel {
    const missing = missingSetting(provider, config);
    if (missing !== null) requireSetting(provider, missing, '');
    return createLanguageModel(provider, model, config, log, clock);
  }
}

function requireSetting(provider: string, name: string, value: string): string {
  if (value === '') throw new ProviderError(provider, 'auth', `${provider} needs ${name} in this engine's environment`);
  return value;
}

function noAdapterError(provider: string): ProviderError {
  return new ProviderError(provider, 'bad_request', `this engine has no adapter for ${provider}`);
}
