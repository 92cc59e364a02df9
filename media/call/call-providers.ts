import type { AgentConfig } from '../../shared/agent.ts';
import type { Clock } from '../../shared/clock.ts';
import { createFallbackModel, type FallbackModel } from '../../shared/llm/fallback-model.ts';
import type { LanguageModel } from '../../shared/llm/language-model.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { byName, type LlmProvider, SYNTHESIZERS, TRANSCRIBERS } from '../../shared/providers/registry.ts';
import type { Usage } from '../../shared/usage.ts';
import type { AudioFormat } from '../audio/format.ts';
import type { ConcurrencyPermits } from '../provider/concurrency-permits.ts';
import type { Health } from '../provider/health.ts';
import type { ProviderFailure } from '../provider/provider-error.ts';
import type { Reporter } from '../report/reporter.ts';
import { createUsageMeter, type UsageMeter } from '../report/usage-meter.ts';
import {
  createFallbackTranscriber,
  type FallbackTranscriber,
  type TranscriberChoice,
} from '../stt/fallback-transcriber.ts';
import type { Transcriber, TranscriberListener } from '../stt/transcriber.ts';
import {
  createFallbackSynthesizer,
  type FallbackSynthesizer,
  type SynthesizerChoice,
} from '../tts/fallback-synthesizer.ts';
import type { SynthesizerListener } from '../tts/synthesizer.ts';
import type { ProviderFactory } from './provider-factory.ts';
import { probeModel, probeSynthesizer, probeTranscriber } from './provider-probes.ts';

const transcribersByName = byName(TRANSCRIBERS, (manifest) => manifest);
const synthesizersByName = byName(SYNTHESIZERS, (manifest) => manifest);

/**
 * The transcriber, the voice and the model of one call, each with those that stand in for it, and what their troubles
 * tell: the timeline, the bill, and the engine's memory of who is not well.
 */

export interface CallProvidersOptions {
  agent: AgentConfig;
  /** `provider/model`, the operator's choice for the workspace. */
  llmFallbacks: readonly string[];
  /** What the transcriber is given, and what the voice has to give. */
  callerFormat: AudioFormat;
  agentFormat: AudioFormat;
  providerFactory: Pick<ProviderFactory, 'transcriber' | 'synthesizer' | 'model'>;
  permits: ConcurrencyPermits;
  health: Health;
  usage: Usage;
  reporter: Pick<Reporter, 'report'>;
  clock: Clock;
  log: Logger;
  onTranscriber: TranscriberListener;
  onSynthesizer: SynthesizerListener;
  /** This one hears from now on. */
  onActiveTranscriber(transcriber: Transcriber): void;
}

export interface CallProviders {
  readonly transcriber: FallbackTranscriber;
  readonly model: FallbackModel;
  /** A voice of its own: a call that lost every one of its voices begins once more with the first. */
  createSynthesizer(): FallbackSynthesizer;
  readonly usageMeter: UsageMeter;
}

type Component = 'stt' | 'tts' | 'llm';
type ProviderName = { provider: string; model: string };

/** Throws ProviderError where this engine has no model for the call at all; what else is missing shows when it is opened. */
export function createCallProviders(options: CallProvidersOptions): CallProviders {
  const { agent, providerFactory: equipment, health, permits: places, usage, clock, log } = options;
  const told = new Set<string>();

  const transcribers = wellFirst('stt', transcriberChoices(options), ({ name }) => name);
  const voices = wellFirst('tts', synthesizerChoices(options), ({ name }) => name);
  const models = wellFirst('llm', modelChoices(options), (model) => model);
  const served = createUsageMeter(usage, {
    transcriber: transcribers[0]!.name,
    voice: voices[0]!.name,
    llm: { provider: models[0]!.provider, model: models[0]!.model },
  });

  /** Who failed in an earlier call comes last until it is well; where that is the agent's own, the timeline says so. */
  function wellFirst<Choice>(
    component: Component,
    choices: Choice[],
    nameOf: (choice: Choice) => ProviderName,
  ): Choice[] {
    const well = choices.filter((choice) => health.isHealthy(circuitKey(component, nameOf(choice))));
    if (well.length === 0 || well[0] === choices[0]) return choices;
    tell(component, 'it failed in an earlier call and is not well yet', nameOf(choices[0]!), nameOf(well[0]!));
    return [...well, ...choices.filter((choice) => !well.includes(choice))];
  }

  /** What one agent asked for wrongly says nothing about its provider. */
  function remember(component: Component, kind: ProviderFailure, from: ProviderName, probe: () => Promise<void>): void {
    if (kind !== 'bad_request') health.reportFailure(circuitKey(component, from), probe);
  }

  function tell(component: Component, reason: string, from: ProviderName, to: ProviderName): void {
    const message = `${from.provider} failed: ${to.provider} took over`;
    const data = { component, reason, from: eventFields(from), to: eventFields(to) };
    options.reporter.report('fallback.used', message, { level: 'warning', data });
  }

  function tellCapacity(component: Component, from: ProviderName, to: ProviderName | null): void {
    const type = to ? 'capacity.fallback' : 'capacity.exceeded';
    const once = `${type} ${component} ${from.provider}`;
    if (told.has(once)) return;
    told.add(once);
    const message = to ? `${from.provider} is at its limit: ${to.provider}` : `${from.provider} is at its limit`;
    const data = {
      component,
      provider: from.provider,
      from: eventFields(from),
      ...(to ? { to: eventFields(to) } : {}),
    };
    options.reporter.report(type, message, { level: 'warning', data });
  }

  const voiceChain = (): FallbackSynthesizer =>
    createFallbackSynthesizer({
      choices: voices,
      outputFormat: options.agentFormat,
      permits: places,
      clock,
      log,
      listener: options.onSynthesizer,
      onFallback({ kind, reason, from, to }) {
        tell('tts', reason, from, to);
        served.switchTo('voice', to);
        const failed = voices.find(({ name }) => name === from)!;
        remember('tts', kind, from, () => probeSynthesizer(failed, clock));
      },
      onCapacity: ({ from, to }) => tellCapacity('tts', from, to),
    });

  return {
    usageMeter: served,
    createSynthesizer: voiceChain,

    transcriber: createFallbackTranscriber({
      choices: transcribers,
      inputFormat: options.callerFormat,
      permits: places,
      clock,
      log,
      listener: options.onTranscriber,
      onActive: options.onActiveTranscriber,
      onFallback({ kind, reason, from, to }) {
        tell('stt', reason, from, to);
        served.switchTo('transcriber', to);
        const failed = transcribers.find(({ name }) => name === from)!;
        remember('stt', kind, from, () => probeTranscriber(failed, clock));
      },
      onCapacity({ from, to }) {
        tellCapacity('stt', from, to);
        if (to) served.switchTo('transcriber', to);
      },
    }),

    model: createFallbackModel({
      choices: models,
      clock,
      onFallback({ kind, reason, from, to }) {
        tell('llm', reason, from, to);
        served.switchTo('llm', to);
        const failed = equipment.model({ ...agent, llm: { ...agent.llm, ...asLlmSettings(from) } });
        remember('llm', kind, from, () => probeModel(failed, clock));
      },
    }),
  };
}

function transcriberChoices({
  agent,
  providerFactory: equipment,
  callerFormat: heard,
}: CallProvidersOptions): TranscriberChoice[] {
  const { fallbacks, ...own } = agent.transcriber;
  return [own, ...fallbacks].map((each) => {
    const variant = { ...agent, transcriber: { ...agent.transcriber, ...each } };
    const { provider, model, language } = variant.transcriber;
    return {
      name: { provider, model, language },
      account: transcribersByName[provider].concurrencyAccount,
      decidesTurns: transcribersByName[provider].capabilities.turnDetection,
      create: (listener) => equipment.transcriber(variant, heard, listener),
    };
  });
}

function synthesizerChoices({
  agent,
  providerFactory: equipment,
  agentFormat: spoken,
}: CallProvidersOptions): SynthesizerChoice[] {
  const { fallbacks, ...own } = agent.voice;
  return [own, ...fallbacks].map((each) => {
    const variant = { ...agent, voice: { ...agent.voice, ...each } };
    const { provider, model, voice_id, voice_name, language } = variant.voice;
    return {
      name: { provider, model, voice_id, voice_name, language },
      account: synthesizersByName[provider].concurrencyAccount,
      create: (listener) => equipment.synthesizer(variant, spoken, listener),
    };
  });
}

/** A stand-in this engine has no account for is left out; without any model there is no call. */
function modelChoices({ agent, providerFactory: equipment, llmFallbacks, log }: CallProvidersOptions): LanguageModel[] {
  const names = llmFallbacks.map((name) => {
    const slash = name.indexOf('/');
    return { provider: name.slice(0, slash), model: name.slice(slash + 1) };
  });
  const made: LanguageModel[] = [];
  let missing: unknown = null;
  for (const name of [agent.llm, ...names]) {
    try {
      made.push(equipment.model({ ...agent, llm: { ...agent.llm, ...asLlmSettings(name) } }));
    } catch (error) {
      missing ??= error;
      log.warn({ provider: name.provider, error: errorText(error) }, 'this engine has no such model');
    }
  }
  if (made.length === 0) throw missing;
  return made;
}

function asLlmSettings({ provider, model }: ProviderName): { provider: LlmProvider; model: string } {
  return { provider: provider as LlmProvider, model };
}

const circuitKey = (component: Component, { provider, model }: ProviderName) => `${component} ${provider}/${model}`;

/** As the timeline shows it. */
function eventFields(name: ProviderName): Record<string, string> {
  const { provider, model } = name;
  const more = name as Partial<Record<'voice_id' | 'voice_name' | 'language', string>>;
  return {
    provider,
    model,
    ...(more.voice_id === undefined ? {} : { voice_id: more.voice_id, voice_name: more.voice_name ?? '' }),
    ...(more.language === undefined ? {} : { language: more.language }),
  };
}
