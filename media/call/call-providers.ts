import { type AgentConfig, textModelOf } from '../../shared/agent.ts';
import type { Clock } from '../../shared/clock.ts';
import { baseCode } from '../../shared/languages/registry.ts';
import { createFallbackModel, type FallbackModel } from '../../shared/llm/fallback-model.ts';
import type { LanguageModel } from '../../shared/llm/language-model.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { realtimeManifest } from '../../shared/providers/realtime.ts';
import { byName, type LlmProvider, SYNTHESIZERS, TRANSCRIBERS } from '../../shared/providers/registry.ts';
import type { Usage } from '../../shared/usage.ts';
import type { AudioFormat } from '../audio/format.ts';
import type { ConcurrencyPermits } from '../provider/concurrency-permits.ts';
import type { Health } from '../provider/health.ts';
import { asProviderError, ProviderError, type ProviderFailure } from '../provider/provider-error.ts';
import type { RealtimeLlm, RealtimePrompt } from '../realtime/realtime-model.ts';
import { createRealtimeSession, type RealtimeSession } from '../realtime/realtime-session.ts';
import type { ModelAnswer } from '../report/call-spans.ts';
import type { Reporter } from '../report/reporter.ts';
import { createUsageMeter, type UsageMeter } from '../report/usage-meter.ts';
import {
  createFallbackTranscriber,
  type FallbackTranscriber,
  type TranscriberChoice,
  type TranscriberName,
} from '../stt/fallback-transcriber.ts';
import type { Transcriber, TranscriberListener } from '../stt/transcriber.ts';
import {
  createFallbackSynthesizer,
  type FallbackSynthesizer,
  type SynthesizerChoice,
  type VoiceName,
} from '../tts/fallback-synthesizer.ts';
import type { Synthesizer, SynthesizerListener } from '../tts/synthesizer.ts';
import type { CallScope } from './call-scope.ts';
import { observedModel } from './observed-model.ts';
import type { ProviderFactory } from './provider-factory.ts';

const transcribersByName = byName(TRANSCRIBERS, (manifest) => manifest);
const synthesizersByName = byName(SYNTHESIZERS, (manifest) => manifest);

export interface CallProvidersOptions {
  agent: AgentConfig;
  /** `provider/model`, set by the operator for the workspace. */
  llmFallbacks: readonly string[];
  /** Format of the audio for the transcriber, and of the audio wanted from the synthesizer. */
  callerFormat: AudioFormat;
  agentFormat: AudioFormat;
  providerFactory: Pick<ProviderFactory, 'transcriber' | 'synthesizer' | 'model' | 'realtime'>;
  /** What a speech-to-speech model is told before its first reply. */
  prompt(): RealtimePrompt;
  permits: ConcurrencyPermits;
  health: Health;
  usage: Usage;
  reporter: Pick<Reporter, 'report'>;
  /** Each answer of a model, when it is over; left out: nobody wants to know. */
  onModelAnswer?: ((answer: ModelAnswer) => void) | undefined;
  /** Whose clock is `clock`. */
  scope: Pick<CallScope, 'guard' | 'watch'>;
  clock: Clock;
  log: Logger;
  onTranscriber: TranscriberListener;
  onSynthesizer: SynthesizerListener;
  /** This transcriber is in use from now on. */
  onActiveTranscriber(transcriber: Transcriber): void;
}

/** The transcriber, synthesizer and language model of one call, each with its fallbacks. */
export interface CallProviders {
  readonly transcriber: FallbackTranscriber;
  readonly model: FallbackModel;
  readonly synthesizer: Synthesizer;
  /**
   * Returns what speaks a language, a tag: the agent's own synthesizer in its own one, else one with the voice for that language,
   * which is opened at its first use and has the agent's own voices as fallbacks. A model that speaks itself speaks all.
   */
  synthesizerIn(language: string): Synthesizer;
  /** Those of another agent of the call; its model is asked from now on. Throws as `createCallProviders` does. */
  enter(agent: AgentConfig): Pick<CallProviders, 'model' | 'synthesizerIn'>;
  /** Closes every synthesizer. */
  closeSynthesizers(): Promise<void>;
  readonly usageMeter: UsageMeter;
  /** A transcriber of the agent's settings for another voice than the caller's; not open yet. */
  transcriberOf(voice: OtherVoice): FallbackTranscriber;
  /** The caller gets the first audio of this reply: its characters are usage of the voice that speaks it. */
  replyStarted(replyId: string): void;
}

/** Who speaks in the call besides the caller. */
export interface OtherVoice {
  format: AudioFormat;
  from: Pick<CallProvidersOptions, 'providerFactory' | 'permits' | 'health'>;
  listener: TranscriberListener;
  /** Its clock is the one of the transcriber. */
  scope: Pick<CallScope, 'guard' | 'watch' | 'clock'>;
  /** This transcriber is in use from now on. */
  onActive(transcriber: Transcriber): void;
}

type Component = 'stt' | 'tts' | 'llm';
type ProviderName = { provider: string; model: string };

/**
 * Creates the providers of a call. Their failures go to the timeline, the usage meter and the engine's health records. Throws
 * ProviderError where this engine has no language model for the call; other missing providers fail when they are opened.
 */
export function createCallProviders(options: CallProvidersOptions): CallProviders {
  const { health, permits, usage, reporter, clock, log } = options;
  const reportedLimits = new Set<string>();
  /** By reply, also those that were generated ahead. */
  const voices = new Map<string, VoiceName>();
  let playedReply: string | null = null;

  const { watch } = options.scope;
  const voiceChoices = healthyFirst('tts', synthesizerChoices(options), ({ name }) => name);
  const voice = openSynthesizer(voiceChoices, (event) =>
    realtime ? realtime.onVoiceEvent(event) : options.onSynthesizer(event),
  );
  const ownVoice = voice.active;
  const writing = healthyFirst('llm', modelChoices(options), (model) => model);
  const realtime = openRealtime(writing[0]!);
  const transcribers = healthyFirst('stt', transcriberChoices(options, realtime), ({ name }) => name);
  const usageMeter = createUsageMeter(usage, {
    transcriber: transcribers[0]!.name,
    voice: ownVoice,
    llm: { provider: writing[0]!.provider, model: writing[0]!.model },
  });

  /** Moves providers that failed in earlier calls to the end, and reports it when that is the agent's own. */
  function healthyFirst<Choice>(
    component: Component,
    choices: Choice[],
    nameOf: (choice: Choice) => ProviderName,
    by: Health = health,
  ): Choice[] {
    const checked = choices.map((choice) => {
      const key = circuitKey(component, nameOf(choice));
      return { choice, key, reason: by.unhealthyReason(key) };
    });
    const healthy = checked.filter(({ reason }) => reason === null);
    const [first] = healthy;
    if (!first) return choices;
    by.onTried(first.key);
    const own = checked[0]!;
    if (own.reason !== null) reportFallback(component, own.reason, nameOf(own.choice), nameOf(first.choice));
    return [...healthy, ...checked.filter(({ reason }) => reason !== null)].map(({ choice }) => choice);
  }

  /** A bad request is one agent's configuration, and of a full account the permits know: neither is the provider's health. */
  function countsForHealth(component: Component, kind: ProviderFailure): boolean {
    return kind !== 'bad_request' && (kind !== 'capacity' || component === 'llm');
  }

  /** Returns what takes the outcomes of a component's uses. */
  function reportsHealth(component: Component) {
    return (name: ProviderName, failure: { kind: ProviderFailure; message: string } | null) => {
      if (failure && !countsForHealth(component, failure.kind)) return;
      health.onOutcome(circuitKey(component, name), failure);
    };
  }

  function reportFallback(component: Component, reason: string, from: ProviderName, to: ProviderName): void {
    const message = `${from.provider} failed: ${to.provider} took over`;
    const data = { component, reason, from: eventFields(from), to: eventFields(to) };
    reporter.report('fallback.used', message, { level: 'warning', data });
  }

  function reportReconnect(component: 'transcriber' | 'voice', { provider }: ProviderName, error: ProviderError): void {
    const data = { component, provider, kind: error.kind };
    reporter.report('error', `${component} lost, connecting again: ${error.message}`, { level: 'warning', data });
  }

  /** Reports each provider's limit once per call. */
  function reportLimit(component: Component, from: ProviderName, to: ProviderName | null): void {
    const type = to ? 'capacity.fallback' : 'capacity.exceeded';
    const key = `${type} ${component} ${from.provider}`;
    if (reportedLimits.has(key)) return;
    reportedLimits.add(key);
    const message = `${from.provider} is at its limit${to ? `: ${to.provider}` : ''}`;
    const { provider } = from;
    const data = { component, provider, from: eventFields(from), ...(to ? { to: eventFields(to) } : {}) };
    reporter.report(type, message, { level: 'warning', data });
  }

  /** The session of an agent whose model hears and speaks; null for any other, and where it cannot be used now. */
  function openRealtime(standIn: LanguageModel): RealtimeSession | null {
    const { agent, providerFactory, callerFormat, agentFormat, prompt, scope } = options;
    const { llm } = agent;
    const manifest = realtimeManifest(llm);
    if (!manifest) return null;
    const key = circuitKey('llm', llm);
    try {
      const unhealthy = health.unhealthyReason(key);
      if (unhealthy !== null) throw new ProviderError(llm.provider, 'unavailable', unhealthy);
      const open = providerFactory.realtime(agent);
      health.onTried(key);
      return createRealtimeSession({
        ...{ llm: llm as RealtimeLlm, prompt, agentFormat, clock, log, voice },
        create: (first, listener) =>
          open({ prompt: first, callerFormat, agentFormat, listener: scope.guard(listener) }),
        onSynthesizer: options.onSynthesizer,
        onUsage: (tokens) => usageMeter.addRealtime(llm, tokens),
        onTranscribed: (seconds) =>
          usageMeter.addRealtimeTranscription({ provider: llm.provider, model: manifest.transcriptionModel }, seconds),
        onReply: (contextId) => onVoice(contextId, realtimeVoice(llm as RealtimeLlm, agent.voice.language)),
      });
    } catch (error) {
      const { kind, message } = asProviderError(error, llm.provider);
      reportFallback('llm', `${kind}: ${message}`, llm, standIn);
      return null;
    }
  }

  function fallbackModel(choices: LanguageModel[]): FallbackModel {
    const model = createFallbackModel({
      choices,
      clock,
      ...(choices.length > writing.length && { hedgeAfterMs: SLOW_SESSION_MS }),
      onFallback({ reason, from, to }) {
        reportFallback('llm', reason, from, to);
        usageMeter.switchTo('llm', to);
      },
      onOutcome: reportsHealth('llm'),
    });
    return options.onModelAnswer ? observedModel(model, clock, options.onModelAnswer) : model;
  }

  function onVoice(replyId: string, voice: VoiceName): void {
    voices.set(replyId, voice);
    if (replyId === playedReply) usageMeter.switchTo('voice', voice);
  }

  /** Takes the first choice; the others are its fallbacks. */
  function openSynthesizer(choices: SynthesizerChoice[], listener: SynthesizerListener): FallbackSynthesizer {
    return createFallbackSynthesizer({
      choices,
      outputFormat: options.agentFormat,
      permits,
      clock,
      log,
      listener,
      watch,
      onVoice,
      onFallback: ({ reason, from, to }) => reportFallback('tts', reason, from, to),
      onCapacity: ({ from, to }) => reportLimit('tts', from, to),
      onReconnect: (name, error) => reportReconnect('voice', name, error),
      onOutcome: reportsHealth('tts'),
    });
  }

  /** Takes the first choice; the others are its fallbacks. */
  function openTranscriber(
    choices: TranscriberChoice[],
    { format, from, listener, scope, onActive, onSwitch }: OtherVoice & { onSwitch?(to: TranscriberName): void },
  ): FallbackTranscriber {
    return createFallbackTranscriber({
      ...{ choices, inputFormat: format, clock: scope.clock, log, listener, watch: scope.watch, onActive },
      permits: from.permits,
      onFallback({ reason, from, to }) {
        reportFallback('stt', reason, from, to);
        onSwitch?.(to);
      },
      onCapacity({ from, to }) {
        reportLimit('stt', from, to);
        if (to) onSwitch?.(to);
      },
      onReconnect: (name, error) => reportReconnect('transcriber', name, error),
      onOutcome: reportsHealth('stt'),
    });
  }

  const ownSynthesizer = realtime?.synthesizer ?? voice;
  /** Opened during the call, by what they speak. */
  const others = new Map<string, FallbackSynthesizer>();

  function openOther(choices: SynthesizerChoice[]): FallbackSynthesizer {
    const key = JSON.stringify(choices.map(({ name }) => name));
    const known = others.get(key);
    if (known) return known;
    const other = openSynthesizer(choices, options.onSynthesizer);
    others.set(key, other);
    // Its failure is that of its last choice, which its listener gets.
    watch(other.open().catch(() => {}));
    return other;
  }

  /** The synthesizers of an agent: its own, and those of other languages, which have its own voices as fallbacks. */
  function synthesizersOf(agent: AgentConfig, own: Synthesizer, ownChoices: readonly SynthesizerChoice[]) {
    return (language: string): Synthesizer => {
      const isOwn = own === realtime?.synthesizer || language === agent.voice.language;
      const choice = isOwn ? null : languageChoice({ ...options, agent }, language);
      return choice === null ? own : openOther([choice, ...ownChoices]);
    };
  }

  function enter(agent: AgentConfig): Pick<CallProviders, 'model' | 'synthesizerIn'> {
    const models = healthyFirst('llm', modelChoices({ ...options, agent }), (model) => model);
    const { provider, model } = models[0]!;
    usageMeter.switchTo('llm', { provider, model });
    const own = JSON.stringify(agent.voice) === JSON.stringify(options.agent.voice);
    // In a voice that the call has already, rather than not at all.
    const choices = own
      ? voiceChoices
      : [...healthyFirst('tts', synthesizerChoices({ ...options, agent }), ({ name }) => name), ...voiceChoices];
    const synthesizer = own ? ownSynthesizer : openOther(choices);
    return { model: fallbackModel(models), synthesizerIn: synthesizersOf(agent, synthesizer, choices) };
  }

  return {
    usageMeter,
    replyStarted(replyId) {
      playedReply = replyId;
      const voice = voices.get(replyId);
      if (voice) usageMeter.switchTo('voice', voice);
    },

    synthesizer: ownSynthesizer,
    synthesizerIn: synthesizersOf(options.agent, ownSynthesizer, voiceChoices),
    enter,
    async closeSynthesizers() {
      await Promise.allSettled([ownSynthesizer, ...others.values()].map((each) => each.close()));
    },

    transcriber: openTranscriber(transcribers, {
      ...{ format: options.callerFormat, scope: { ...options.scope, clock }, listener: options.onTranscriber },
      ...{ from: options, onActive: options.onActiveTranscriber },
      onSwitch: (to) => usageMeter.switchTo('transcriber', to),
    }),
    transcriberOf(voice) {
      const { format: callerFormat, scope, from } = voice;
      const { providerFactory } = from;
      const choices = transcriberChoices({ ...options, providerFactory, callerFormat, scope }, null);
      const healthy = healthyFirst('stt', choices, ({ name }) => name, from.health);
      return openTranscriber(healthy, voice);
    },

    model: realtime
      ? withSideModel(fallbackModel([realtime.model, ...writing]), fallbackModel(writing))
      : fallbackModel(writing),
  };
}

/** A reply of a speech-to-speech model is given up for a model that writes only when it is later than this. */
const SLOW_SESSION_MS = 4_000;

/** The answers of `replies`; what is asked beside them is answered by the other one. */
function withSideModel(replies: FallbackModel, side: FallbackModel): FallbackModel {
  return {
    get provider() {
      return replies.provider;
    },
    get model() {
      return replies.model;
    },
    get active() {
      return replies.active;
    },
    stream: (request, signal) => (request.reply_id === undefined ? side : replies).stream(request, signal),
    warm: () => side.warm(),
  };
}

function realtimeVoice({ provider, model, realtime }: RealtimeLlm, language: string): VoiceName {
  return { provider, model, voice_id: realtime.voice, voice_name: realtime.voice, language };
}

function transcriberChoices(
  { agent, providerFactory, callerFormat, scope }: CallProvidersOptions,
  realtime: RealtimeSession | null,
): TranscriberChoice[] {
  const { fallbacks, ...own } = agent.transcriber;
  const cascade = [own, ...fallbacks].map((each): TranscriberChoice => {
    const variant = { ...agent, transcriber: { ...agent.transcriber, ...each } };
    const { provider, model, language } = variant.transcriber;
    return {
      name: { provider, model, language },
      account: transcribersByName[provider].concurrencyAccount,
      decidesTurns: transcribersByName[provider].capabilities.turnDetection,
      create: (listener) => providerFactory.transcriber(variant, callerFormat, scope.guard(listener)),
    };
  });
  if (!realtime) return cascade;
  const { provider, model, realtime: settings } = agent.llm;
  const session: TranscriberChoice = {
    name: { provider, model, language: own.language },
    account: realtimeManifest(agent.llm)!.concurrencyAccount,
    decidesTurns: settings?.turn_detection === 'model',
    create: (listener) => realtime.transcriber(scope.guard(listener)),
  };
  return [session, ...cascade];
}

/** The agent's voice and its fallbacks. */
export function synthesizerChoices({
  agent,
  providerFactory,
  agentFormat,
  scope,
}: Pick<CallProvidersOptions, 'agent' | 'agentFormat'> & {
  providerFactory: Pick<ProviderFactory, 'synthesizer'>;
  scope?: Pick<CallScope, 'guard'>;
}): SynthesizerChoice[] {
  const { fallbacks, by_language: _, ...own } = agent.voice;
  return [own, ...fallbacks].map((each) => {
    const variant = { ...agent, voice: { ...agent.voice, ...each } };
    const { provider, model, voice_id, voice_name, language } = variant.voice;
    return {
      name: { provider, model, voice_id, voice_name, language },
      account: synthesizersByName[provider].concurrencyAccount,
      create: (listener) => providerFactory.synthesizer(variant, agentFormat, scope ? scope.guard(listener) : listener),
    };
  });
}

/** The agent's voice for another language: the one it names, else its own where that one's model speaks it; null for neither. */
function languageChoice(options: CallProvidersOptions, language: string): SynthesizerChoice | null {
  const { voice } = options.agent;
  const code = baseCode(language);
  const named = voice.by_language.find((each) => baseCode(each.language) === code);
  const models: Readonly<Record<string, { languages?: readonly string[] }>> = synthesizersByName[voice.provider].models;
  const spoken = models[voice.model]?.languages;
  if (named === undefined && spoken !== undefined && !spoken.includes(code)) return null;
  const inLanguage = { ...voice, ...(named ?? { language }), fallbacks: [] };
  return synthesizerChoices({ ...options, agent: { ...options.agent, voice: inLanguage } })[0]!;
}

/** Models that write. Leaves out fallbacks that this engine has no account for; throws when no model is left. */
function modelChoices({ agent, providerFactory, llmFallbacks, log }: CallProvidersOptions): LanguageModel[] {
  const names = llmFallbacks.map((name) => {
    const slash = name.indexOf('/');
    return { provider: name.slice(0, slash), model: name.slice(slash + 1) };
  });
  const models: LanguageModel[] = [];
  let missing: unknown = null;
  for (const name of [textModelOf(agent.llm), ...names]) {
    try {
      models.push(providerFactory.model({ ...agent, llm: { ...agent.llm, ...asLlmSettings(name) } }));
    } catch (error) {
      missing ??= error;
      log.warn({ provider: name.provider, error: errorText(error) }, 'language model not available on this engine');
    }
  }
  if (models.length === 0) throw missing;
  return models;
}

function asLlmSettings({ provider, model }: ProviderName): { provider: LlmProvider; model: string } {
  return { provider: provider as LlmProvider, model };
}

const circuitKey = (component: Component, { provider, model }: ProviderName) => `${component} ${provider}/${model}`;

/** The provider's name as event data. */
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
