import type { AgentConfig } from '../../shared/agent.ts';
import type { Clock } from '../../shared/clock.ts';
import type { LanguageModel } from '../../shared/llm/language-model.ts';
import { createModelChain, type ModelChain } from '../../shared/llm/model-chain.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { accountOf, type LlmProvider } from '../../shared/providers.ts';
import type { Usage } from '../../shared/usage.ts';
import type { AudioFormat } from '../audio/format.ts';
import type { Health } from '../provider/health.ts';
import type { Places } from '../provider/places.ts';
import type { ProviderFailure } from '../provider/provider-error.ts';
import type { Reporter } from '../report/reporter.ts';
import { createServed, type Served } from '../report/served.ts';
import type { Transcriber, TranscriberListener } from '../stt/transcriber.ts';
import { createTranscriberChain, type TranscriberChain, type TranscriberChoice } from '../stt/transcriber-chain.ts';
import type { VoiceListener } from '../tts/voice.ts';
import { createVoiceChain, type VoiceChain, type VoiceChoice } from '../tts/voice-chain.ts';
import type { Equipment } from './equipment.ts';
import { probeModel, probeTranscriber, probeVoice } from './probes.ts';

/**
 * The transcriber, the voice and the model of one call, each with those that stand in for it, and what their troubles
 * tell: the timeline, the bill, and the engine's memory of who is not well.
 */

export interface CallProvidersOptions {
  agent: AgentConfig;
  /** `provider/model`, the operator's choice for the workspace. */
  llmFallbacks: readonly string[];
  /** What the transcriber is given, and what the voice has to give. */
  heard: AudioFormat;
  spoken: AudioFormat;
  equipment: Pick<Equipment, 'transcriber' | 'voice' | 'model'>;
  places: Places;
  health: Health;
  usage: Usage;
  reporter: Pick<Reporter, 'tell'>;
  clock: Clock;
  log: Logger;
  onTranscriber: TranscriberListener;
  onVoice: VoiceListener;
  /** This one hears from now on. */
  onServing(transcriber: Transcriber): void;
}

export interface CallProviders {
  readonly transcriber: TranscriberChain;
  readonly model: ModelChain;
  /** A voice of its own: a call that lost every one of its voices begins once more with the first. */
  newVoice(): VoiceChain;
  readonly served: Served;
}

type Component = 'stt' | 'tts' | 'llm';
type Name = { provider: string; model: string };

/** Throws ProviderError where this engine has no model for the call at all; what else is missing shows when it is opened. */
export function createCallProviders(options: CallProvidersOptions): CallProviders {
  const { agent, equipment, health, places, usage, clock, log } = options;
  const told = new Set<string>();

  const transcribers = wellFirst('stt', transcriberChoices(options), ({ name }) => name);
  const voices = wellFirst('tts', voiceChoices(options), ({ name }) => name);
  const models = wellFirst('llm', modelChoices(options), (model) => model);
  const served = createServed(usage, {
    transcriber: transcribers[0]!.name,
    voice: voices[0]!.name,
    llm: { provider: models[0]!.provider, model: models[0]!.model },
  });

  /** Who failed in an earlier call comes last until it is well; where that is the agent's own, the timeline says so. */
  function wellFirst<Choice>(component: Component, choices: Choice[], nameOf: (choice: Choice) => Name): Choice[] {
    const well = choices.filter((choice) => health.isWell(keyOf(component, nameOf(choice))));
    if (well.length === 0 || well[0] === choices[0]) return choices;
    tell(component, 'it failed in an earlier call and is not well yet', nameOf(choices[0]!), nameOf(well[0]!));
    return [...well, ...choices.filter((choice) => !well.includes(choice))];
  }

  /** What one agent asked for wrongly says nothing about its provider. */
  function remember(component: Component, kind: ProviderFailure, from: Name, probe: () => Promise<void>): void {
    if (kind !== 'bad_request') health.failed(keyOf(component, from), probe);
  }

  function tell(component: Component, reason: string, from: Name, to: Name): void {
    const message = `${from.provider} failed: ${to.provider} took over`;
    const data = { component, reason, from: plain(from), to: plain(to) };
    options.reporter.tell('fallback.used', message, { level: 'warning', data });
  }

  function tellCapacity(component: Component, from: Name, to: Name | null): void {
    const type = to ? 'capacity.fallback' : 'capacity.exceeded';
    const once = `${type} ${component} ${from.provider}`;
    if (told.has(once)) return;
    told.add(once);
    const message = to ? `${from.provider} is at its limit: ${to.provider}` : `${from.provider} is at its limit`;
    const data = { component, provider: from.provider, from: plain(from), ...(to ? { to: plain(to) } : {}) };
    options.reporter.tell(type, message, { level: 'warning', data });
  }

  const voiceChain = (): VoiceChain =>
    createVoiceChain({
      choices: voices,
      line: options.spoken,
      places,
      clock,
      log,
      listener: options.onVoice,
      onFallback({ kind, reason, from, to }) {
        tell('tts', reason, from, to);
        served.changed('voice', to);
        const failed = voices.find(({ name }) => name === from)!;
        remember('tts', kind, from, () => probeVoice(failed, clock));
      },
      onCapacity: ({ from, to }) => tellCapacity('tts', from, to),
    });

  return {
    served,
    newVoice: voiceChain,

    transcriber: createTranscriberChain({
      choices: transcribers,
      line: options.heard,
      places,
      clock,
      log,
      listener: options.onTranscriber,
      onServing: options.onServing,
      onFallback({ kind, reason, from, to }) {
        tell('stt', reason, from, to);
        served.changed('transcriber', to);
        const failed = transcribers.find(({ name }) => name === from)!;
        remember('stt', kind, from, () => probeTranscriber(failed, clock));
      },
      onCapacity({ from, to }) {
        tellCapacity('stt', from, to);
        if (to) served.changed('transcriber', to);
      },
    }),

    model: createModelChain({
      choices: models,
      clock,
      onFallback({ kind, reason, from, to }) {
        tell('llm', reason, from, to);
        served.changed('llm', to);
        const failed = equipment.model({ ...agent, llm: { ...agent.llm, ...asLlm(from) } });
        remember('llm', kind, from, () => probeModel(failed, clock));
      },
    }),
  };
}

function transcriberChoices({ agent, equipment, heard }: CallProvidersOptions): TranscriberChoice[] {
  const { fallbacks, ...own } = agent.transcriber;
  return [own, ...fallbacks].map((each) => {
    const variant = { ...agent, transcriber: { ...agent.transcriber, ...each } };
    const { provider, model, language } = variant.transcriber;
    return {
      name: { provider, model, language },
      account: accountOf('stt', provider),
      decidesTurns: provider === 'deepgram_flux',
      create: (listener) => equipment.transcriber(variant, heard, listener),
    };
  });
}

function voiceChoices({ agent, equipment, spoken }: CallProvidersOptions): VoiceChoice[] {
  const { fallbacks, ...own } = agent.voice;
  return [own, ...fallbacks].map((each) => {
    const variant = { ...agent, voice: { ...agent.voice, ...each } };
    const { provider, model, voice_id, voice_name, language } = variant.voice;
    return {
      name: { provider, model, voice_id, voice_name, language },
      account: accountOf('tts', provider),
      create: (listener) => equipment.voice(variant, spoken, listener),
    };
  });
}

/** A stand-in this engine has no account for is left out; without any model there is no call. */
function modelChoices({ agent, equipment, llmFallbacks, log }: CallProvidersOptions): LanguageModel[] {
  const names = llmFallbacks.map((name) => {
    const slash = name.indexOf('/');
    return { provider: name.slice(0, slash), model: name.slice(slash + 1) };
  });
  const made: LanguageModel[] = [];
  let missing: unknown = null;
  for (const name of [agent.llm, ...names]) {
    try {
      made.push(equipment.model({ ...agent, llm: { ...agent.llm, ...asLlm(name) } }));
    } catch (error) {
      missing ??= error;
      log.warn({ provider: name.provider, error: errorText(error) }, 'this engine has no such model');
    }
  }
  if (made.length === 0) throw missing;
  return made;
}

function asLlm({ provider, model }: Name): { provider: LlmProvider; model: string } {
  return { provider: provider as LlmProvider, model };
}

const keyOf = (component: Component, { provider, model }: Name) => `${component} ${provider}/${model}`;

/** As the timeline shows it. */
function plain(name: Name): Record<string, string> {
  const { provider, model } = name;
  const more = name as Partial<Record<'voice_id' | 'voice_name' | 'language', string>>;
  return {
    provider,
    model,
    ...(more.voice_id === undefined ? {} : { voice_id: more.voice_id, voice_name: more.voice_name ?? '' }),
    ...(more.language === undefined ? {} : { language: more.language }),
  };
}
