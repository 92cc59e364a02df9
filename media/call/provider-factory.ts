import type { AgentConfig } from '../../shared/agent.ts';
import { ambientUploadId, BUILT_IN_AMBIENT_SOUNDS, HOLD_MUSIC } from '../../shared/ambient-sounds.ts';
import type { Bus } from '../../shared/bus/bus.ts';
import type { Clock } from '../../shared/clock.ts';
import { commaSeparated } from '../../shared/comma-separated.ts';
import { readEgressProxy } from '../../shared/egress-proxy.ts';
import type { LanguageModel } from '../../shared/llm/language-model.ts';
import { createLanguageModel } from '../../shared/llm/models.ts';
import type { Logger } from '../../shared/log.ts';
import { presentModel, SMART_TURN } from '../../shared/model-files.ts';
import type {
  RealtimeManifest,
  Settings,
  SynthesizerManifest,
  TranscriberManifest,
} from '../../shared/providers/manifest.ts';
import { REALTIME_MODELS, realtimeManifest } from '../../shared/providers/realtime.ts';
import { LANGUAGE_MODELS, type LlmProvider, SYNTHESIZERS, TRANSCRIBERS } from '../../shared/providers/registry.ts';
import { missingSettingOf } from '../../shared/providers/settings.ts';
import type { WorkerStatus } from '../../shared/restarting-worker.ts';
import { createSafeFetch, type SafeFetch } from '../../shared/safe-fetch.ts';
import { type DenoisedFrameListener, type DenoiseStream, loadDenoiseThread } from '../audio/denoise-thread.ts';
import type { AudioFormat } from '../audio/format.ts';
import type { MediaConfig } from '../config.ts';
import { loadAmbient } from '../playout/ambient.ts';
import { createUploadedAmbientSounds } from '../playout/uploaded-ambient-sounds.ts';
import { ProviderError } from '../provider/provider-error.ts';
import type { RealtimeAdapter, RealtimeLlm, RealtimeModel, RealtimeOptions } from '../realtime/realtime-model.ts';
import type { Transcriber, TranscriberAdapter, TranscriberListener } from '../stt/transcriber.ts';
import type { Synthesizer, SynthesizerAdapter, SynthesizerListener } from '../tts/synthesizer.ts';
import { loadTurnDetector, type TurnDetector } from '../turn/turn-detector.ts';
import { guardSynthesizer, guardTranscriber } from './guarded-provider.ts';

export interface ProviderFactoryOptions {
  config: MediaConfig;
  clock: Clock;
  log: Logger;
  /** Source of uploaded ambient sounds; without it there are none. */
  bus?: Pick<Bus, 'fetchAmbientSound'>;
}

/** What differs between the sessions of a call. */
export type NewRealtimeSession = Pick<RealtimeOptions, 'prompt' | 'callerFormat' | 'agentFormat' | 'listener'>;

/** Creates what a call needs from providers, by the configuration of its agent and of this engine. */
export interface ProviderFactory {
  /** All four throw ProviderError when the provider is not available on this engine. */
  transcriber(agent: AgentConfig, input: AudioFormat, listener: TranscriberListener): Transcriber;
  synthesizer(agent: AgentConfig, output: AudioFormat, listener: SynthesizerListener): Synthesizer;
  model(agent: AgentConfig): LanguageModel;
  /** Returns what opens sessions of the agent's speech-to-speech model. */
  realtime(agent: AgentConfig): (session: NewRealtimeSession) => RealtimeModel;
  /**
   * Returns an ambient sound by the agent's name for it, mono at 8 kHz; null when there is none. An upload has to be fetched
   * first, which resolves to null when it fails.
   */
  ambientSound(name: string, workspaceId: string): Int16Array | Promise<Int16Array | null> | null;
  /** Opens noise cancellation for one call, or null where the agent has it off. Frames come back at once or later. */
  denoiser(agent: AgentConfig, rateHz: number, listener: DenoisedFrameListener): DenoiseStream | null;
  /** Predicts from audio whether a turn is over; null where no model is configured. */
  turnDetector: TurnDetector | null;
  /** For the agent's tools: public addresses and those the operator allows. */
  safeFetch: SafeFetch;
  /** Deadline of a search in the agent's knowledge bases. */
  knowledgeDeadlineMs: number;
}

export interface LoadedProviderFactory extends ProviderFactory {
  /** The threads that calls share. */
  readonly workers: readonly WorkerStatus[];
}

export async function createProviderFactory({
  config,
  clock,
  log,
  bus,
}: ProviderFactoryOptions): Promise<LoadedProviderFactory> {
  /** Calls of the same model share its connections. */
  const models = new Map<string, LanguageModel>();

  const transcribers = await loadAdapters(
    TRANSCRIBERS,
    (file): Promise<{ adapter: TranscriberAdapter<TranscriberManifest> }> => import(`../stt/${file}.ts`),
  );
  const synthesizers = await loadAdapters(
    SYNTHESIZERS,
    (file): Promise<{ adapter: SynthesizerAdapter<SynthesizerManifest> }> => import(`../tts/${file}.ts`),
  );
  const realtimeModels = await loadAdapters(
    REALTIME_MODELS,
    (file): Promise<{ adapter: RealtimeAdapter<RealtimeManifest> }> => import(`../realtime/${file}.ts`),
  );
  const denoising = await loadDenoiseThread({ clock, log });
  const builtInSounds = new Map<string, Int16Array>();
  for (const name of [...BUILT_IN_AMBIENT_SOUNDS, HOLD_MUSIC] as const) {
    builtInSounds.set(name, await loadAmbient(name));
  }
  const uploads = bus ? createUploadedAmbientSounds({ fetchPart: bus.fetchAmbientSound, log }) : null;
  const turnModel = config.TURN_MODEL || presentModel(config.MODELS_DIR, SMART_TURN);
  const turnDetector = turnModel === '' ? null : await loadTurnDetector({ path: turnModel, clock, log });
  const allow = commaSeparated(config.FETCH_ALLOW);

  return {
    workers: turnDetector ? [denoising.worker, turnDetector.worker] : [denoising.worker],
    turnDetector,
    safeFetch: createSafeFetch({ allow, proxy: readEgressProxy(config.EGRESS_PROXY) }),
    knowledgeDeadlineMs: config.KNOWLEDGE_DEADLINE_MS,
    ambientSound(name, workspaceId) {
      const upload = ambientUploadId(name);
      if (upload !== null) return uploads?.load(workspaceId, upload) ?? null;
      return builtInSounds.get(name) ?? null;
    },
    denoiser: ({ call }, rateHz, listener) =>
      call.noise_cancellation ? denoising.open(call.noise_cancellation_strength, rateHz, listener) : null,

    transcriber({ transcriber }, input, listener) {
      const manifest = manifestOf(TRANSCRIBERS, transcriber.provider);
      const settings = settingsOf(manifest, config);
      return guardTranscriber({ provider: manifest.name, clock, log, listener }, (clock) =>
        transcribers[manifest.name]({ settings, transcriber, input, clock, log, listener }),
      );
    },

    synthesizer({ voice }, output, listener) {
      const manifest = manifestOf(SYNTHESIZERS, voice.provider);
      const settings = settingsOf(manifest, config);
      return guardSynthesizer({ provider: manifest.name, clock, log, listener }, (clock) =>
        synthesizers[manifest.name]({ settings, voice, output, clock, log, listener }),
      );
    },

    realtime({ llm, transcriber }) {
      const known = realtimeManifest(llm);
      const manifest = manifestOf(REALTIME_MODELS, known?.name ?? '');
      const settings = settingsOf(manifest, config);
      const { language } = transcriber;
      return (session) =>
        realtimeModels[manifest.name]({ ...session, settings, llm: llm as RealtimeLlm, language, clock, log });
    },

    model({ llm }) {
      const key = `${llm.provider} ${llm.model}`;
      const model = models.get(key) ?? createModel(llm.provider, llm.model);
      models.set(key, model);
      return model;
    },
  };

  function createModel(provider: LlmProvider, model: string): LanguageModel {
    settingsOf(manifestOf(LANGUAGE_MODELS, provider), config);
    return createLanguageModel(provider, model, config, log, clock);
  }
}

/** The adapter of every manifest, by its name: what the file that the manifest names exports as `adapter`. */
async function loadAdapters<const Manifests extends readonly { name: string; adapter: string }[], Adapter>(
  manifests: Manifests,
  load: (file: string) => Promise<{ adapter: Adapter }>,
): Promise<Record<Manifests[number]['name'], Adapter>> {
  const loaded = await Promise.all(manifests.map(async ({ name, adapter }) => [name, (await load(adapter)).adapter]));
  return Object.fromEntries(loaded);
}

function manifestOf<Manifest extends { name: string }>(manifests: readonly Manifest[], provider: string): Manifest {
  const manifest = manifests.find(({ name }) => name === provider);
  if (!manifest) throw new ProviderError(provider, 'bad_request', `this engine has no adapter for ${provider}`);
  return manifest;
}

/** The environment's values for a manifest's settings. Throws ProviderError when a required one is missing. */
function settingsOf(manifest: { name: string; settings: Settings }, config: MediaConfig): Record<string, string> {
  const missing = missingSettingOf(manifest, config);
  if (missing !== null) {
    throw new ProviderError(manifest.name, 'auth', `${manifest.name} needs ${missing} in this engine's environment`);
  }
  const values: Readonly<Record<string, unknown>> = config;
  return Object.fromEntries(Object.keys(manifest.settings).map((name) => [name, String(values[name])]));
}
