import { type AgentConfig, agentConfigSchema } from '../../shared/agent.ts';
import type { Bus } from '../../shared/bus/bus.ts';
import type { Session } from '../../shared/bus/messages.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { emptyUsage } from '../../shared/usage.ts';
import { createConverter } from '../audio/converter.ts';
import type { Leg, LegEnd } from '../leg/leg.ts';
import type { MediaClock } from '../playout/media-clock.ts';
import { Playout } from '../playout/playout.ts';
import type { ConcurrencyPermits } from '../provider/concurrency-permits.ts';
import type { Health } from '../provider/health.ts';
import { asProviderError, ProviderError } from '../provider/provider-error.ts';
import { createToolRunner } from '../reply/tools.ts';
import type { ChunkWriter } from '../report/chunk-writer.ts';
import type { Reporter } from '../report/reporter.ts';
import type { TranscriberEvent } from '../stt/transcriber.ts';
import type { Synthesizer, SynthesizerEvent } from '../tts/synthesizer.ts';
import { FINALIZATION_MS } from '../turn/end-of-turn.ts';
import type { TurnDetectorStream } from '../turn/turn-detector.ts';
import type { Vad } from '../turn/vad.ts';
import { openBackground } from './background.ts';
import { type CallProviders, createCallProviders } from './call-providers.ts';
import { type CallerAudio, createCallerAudio } from './caller-audio.ts';
import { type ControlClient, createControlClient } from './control-client.ts';
import { Conversation } from './conversation.ts';
import { reportEnd, reportStart } from './detail-record.ts';
import { createDtmfInput, type DtmfInput } from './dtmf-input.ts';
import { createLineToneDetector } from './line-tones.ts';
import { createLiveTranscript, type LiveTranscript } from './live-transcript.ts';
import type { ProviderFactory } from './provider-factory.ts';
import { createRecordingMixer, type RecordingMixer } from './recording-mixer.ts';

/**
 * The conductor of one call: it opens the parts in order, leads the sound through them, and closes them once, in order,
 * however the call ends. What is said is the conversation's business.
 */

export interface CallOptions {
  session: Session;
  leg: Leg;
  bus: Bus;
  reporter: Reporter;
  providerFactory: ProviderFactory;
  permits: ConcurrencyPermits;
  health: Health;
  vad: Vad;
  mediaClock: MediaClock;
  recordings: ChunkWriter;
  clock: Clock;
  log: Logger;
}

/** So many voices, each with all its stand-ins, are lost one after the other without a sound, and the call has none. */
const MAX_SYNTHESIZERS_LOST = 3;
/** Closing the parts never takes longer than this: each has its own deadline, and none is longer. */
const CLOSE_DEADLINE_MS = 11_000;

type Values = Record<string, string | number | boolean>;

export class Call {
  readonly id: string;
  /** Resolves when the call is over and its parts are closed. Never rejects. */
  readonly over: Promise<void>;

  readonly #options: CallOptions;
  readonly #agent: AgentConfig;
  readonly #usage = emptyUsage();
  readonly #startedMs: number;
  readonly #control: ControlClient;
  /** Stops what comes by itself: orders, beats, timers, what tools answer. */
  readonly #inlets: (() => void)[] = [];
  #tape: RecordingMixer | null = null;
  #playout: Playout | null = null;
  #sound: CallerAudio | null = null;
  #providers: CallProviders | null = null;
  #voice: Synthesizer | null = null;
  /** Since the last sound of one. */
  #voicesLost = 0;
  #live: LiveTranscript | null = null;
  #conversation: Conversation | null = null;
  #ending: CallEnd | null = null;
  #markOver: () => void = () => {};

  constructor(options: CallOptions) {
    this.#options = options;
    this.id = options.session.call_id;
    this.#agent = agentConfigSchema.parse(JSON.parse(options.session.agent_json));
    const { bus, session, providerFactory: equipment, clock } = options;
    const { knowledgeDeadlineMs } = equipment;
    this.#control = createControlClient({ bus, session, agent: this.#agent, knowledgeDeadlineMs, clock });
    this.#inlets.push(() => this.#control.close());
    this.#startedMs = clock.now();
    this.over = new Promise((resolve) => {
      this.#markOver = resolve;
    });
  }

  /** Opens the parts and lets the agent speak. Never throws: what cannot be opened ends the call. */
  start(): void {
    const { session, leg, reporter, mediaClock: metronome, clock } = this.#options;
    const values = JSON.parse(session.user_data_json || '{}') as Values;
    reportStart(reporter, { session, agent: this.#agent, carrier: leg.carrier, values });
    this.#control.serveCommands((end) => this.end(end));
    const playout = this.#openPlayout();
    const sound = this.#openSound();
    const providers = this.#openProviders(sound);
    if (!providers) {
      // The listener must be there all the same: what the carrier still says goes nowhere.
      leg.listen({ audio() {}, stalled() {}, mark() {}, cleared() {}, digit() {}, ended() {} });
      return;
    }
    const { transcriber, model } = providers;
    const voice = providers.createSynthesizer();
    this.#voice = voice;
    const turnEar = transcriber.decidesTurns ? null : (this.#options.providerFactory.turnDetector?.open() ?? null);
    const conversation = this.#openConversation(providers, playout, turnEar, values);
    this.#control.serveTransferOutcomes((outcome) => conversation.transfers.onOutcome(outcome));
    const keys = this.#openKeys(conversation);
    sound.connect({
      transcriber,
      turnDetector: turnEar,
      tones: createLineToneDetector(conversation.machineDetector, leg.sendsDigits ? null : keys),
      vad: this.#options.vad.open(
        (probability, endMs, periodicity) => conversation.onVadWindow(probability, endMs, periodicity),
        sound.format.sample_rate,
      ),
    });
    void model.warm();
    transcriber.open().catch((error) => this.#partFailed('transcriber', error));
    this.#openVoice(voice);
    const maxDuration = clock.after(session.max_duration_seconds * 1_000, () =>
      this.end({
        hangup_by: 'service',
        hangup_reason: session.capped_by_credits ? 'credits ran out' : 'maximum duration',
      }),
    );
    this.#inlets.push(
      () => maxDuration.cancel(),
      metronome.subscribe((nowMs) => this.#tick(nowMs)),
    );
    leg.listen({
      audio: (frame, atMs) => sound.push(frame, atMs),
      stalled: () => playout.onStreamLost(),
      mark: (name) => playout.onMark(name),
      cleared() {},
      digit: (digit) => keys?.press(digit),
      ended: (cause, detail) => this.#legEnded(cause, detail),
    });
    if (!this.#ending) conversation.start();
  }

  /** Ends the call once; false when it is already ending. */
  end(end: CallEnd): boolean {
    if (this.#ending) return false;
    this.#ending = end;
    void this.#close(end);
    return true;
  }

  /** What the caller hears. */
  #openPlayout(): Playout {
    const { session, leg, providerFactory: equipment, recordings, reporter, clock } = this.#options;
    const { call } = this.#agent;
    const { workspace_id: workspaceId } = session;
    const tape = call.record
      ? createRecordingMixer({ recordings, workspaceId, callId: this.id, reporter, agentFormat: leg.format, clock })
      : null;
    this.#tape = tape;
    const playout = new Playout(
      leg,
      clock,
      {
        started: (speechId, atMs) => this.#conversation?.onPlayoutStarted(speechId, atMs),
        finished: (speechId) => this.#conversation?.onPlayoutFinished(speechId),
        sent: (frame, hearMs, newRun) => tape?.addAgent(frame, hearMs, newRun),
        dropped: (fromMs) => tape?.dropAgent(fromMs),
      },
      openBackground(call, workspaceId, equipment, leg.format.sample_rate),
    );
    this.#playout = playout;
    return playout;
  }

  /** What is heard of the caller. */
  #openSound(): CallerAudio {
    const { leg, providerFactory: equipment } = this.#options;
    this.#sound = createCallerAudio({
      lineFormat: leg.callerFormat,
      recording: this.#tape,
      openDenoiser: (listener) => equipment.denoiser(this.#agent, listener),
      usage: this.#usage,
    });
    return this.#sound;
  }

  /** Null where this engine has no model for the call: it has ended. */
  #openProviders(sound: CallerAudio): CallProviders | null {
    const { session, leg, reporter, providerFactory: equipment, permits: places, health, clock, log } = this.#options;
    try {
      this.#providers = createCallProviders({
        ...{ providerFactory: equipment, permits: places, health, reporter, clock, log },
        agent: this.#agent,
        llmFallbacks: session.llm_fallbacks,
        callerFormat: sound.format,
        agentFormat: leg.format,
        usage: this.#usage,
        onTranscriber: (event) => this.#transcriberEvent(event),
        onSynthesizer: (event) => this.#voiceEvent(event),
        onActiveTranscriber: (serving) => this.#conversation?.onTranscriberChanged(serving),
      });
    } catch (error) {
      this.#partFailed('llm', error);
    }
    return this.#providers;
  }

  #openConversation(
    { transcriber, model }: CallProviders,
    playout: Playout,
    turnEar: TurnDetectorStream | null,
    values: Values,
  ): Conversation {
    const { session, leg, reporter, providerFactory: equipment, clock, log } = this.#options;
    const agent = this.#agent;
    const { bookCallback } = this.#control;
    const tools = createToolRunner({ agent, values, safeFetch: equipment.safeFetch, bookCallback, clock, log });
    this.#inlets.push(() => tools.closeAll());
    this.#live = createLiveTranscript({
      ...{ leg, reporter, clock },
      heardOfAgent: () => this.#conversation?.playedOutText ?? '',
    });
    this.#conversation = new Conversation({
      ...{ agent, values, clock, playout, transcriber, turnDetector: turnEar, model, tools, usage: this.#usage },
      turns: {
        decidesTurns: transcriber.decidesTurns,
        endpointingMs: agent.transcriber.endpointing_ms,
        finalizationMs: FINALIZATION_MS[transcriber.provider] ?? 1_000,
        usesTurnDetector: turnEar !== null,
      },
      reporter: this.#live?.reporter ?? reporter,
      outbound: session.direction === 'outbound',
      knowledge: this.#control.knowledge,
      transferClient: this.#control.transfers,
      synthesizer: () => this.#voice!,
      newConverter: () => createConverter(this.#voice!.output, leg.format),
      temperature: agent.llm.temperature,
      maxTokens: agent.llm.max_tokens,
      language: agent.voice.language,
      replaceSynthesizer: () => this.#replaceVoice(),
      end: (end) => void this.end(end),
    });
    return this.#conversation;
  }

  /** Null where keys mean nothing. */
  #openKeys(conversation: Conversation): DtmfInput | null {
    const { dtmf_input, dtmf_wait_seconds } = this.#agent.call;
    if (!dtmf_input) return null;
    const keys = createDtmfInput({
      waitMs: dtmf_wait_seconds * 1_000,
      clock: this.#options.clock,
      onDigits: (digits) => conversation.onKeys(digits),
    });
    this.#inlets.push(() => keys.close());
    return keys;
  }

  #tick(nowMs: number): void {
    this.#options.leg.tick(nowMs);
    if (this.#ending) return;
    this.#playout!.tick(nowMs);
    this.#conversation!.tick();
    this.#live?.tick(nowMs);
  }

  #transcriberEvent(event: TranscriberEvent): void {
    if (this.#ending) return;
    if (event.type === 'failed') this.#partFailed('transcriber', event.error);
    else {
      this.#conversation?.onTranscriberEvent(event);
      if (event.type === 'partial') this.#live?.onCallerPartial(event.text);
    }
  }

  #voiceEvent(event: SynthesizerEvent): void {
    if (this.#ending) return;
    if (event.type === 'audio') this.#voicesLost = 0;
    // While the agent says nothing, no reply counts its tries: one that fails at once would be replaced without end.
    if (event.type === 'failed' && event.contextId === null && ++this.#voicesLost === MAX_SYNTHESIZERS_LOST) {
      this.#partFailed('voice', event.error);
    } else this.#conversation?.onSynthesizerEvent(event);
  }

  #replaceVoice(): void {
    void this.#voice?.close();
    const voice = this.#providers!.createSynthesizer();
    this.#voice = voice;
    this.#openVoice(voice);
  }

  #openVoice(voice: Synthesizer): void {
    voice.open().catch((error) => {
      if (voice !== this.#voice || this.#ending) return;
      this.#voiceEvent({ type: 'failed', contextId: null, error: asProviderError(error, voice.provider) });
    });
  }

  #partFailed(component: 'transcriber' | 'voice' | 'llm' | 'browser media', error: unknown): void {
    if (this.#ending) return;
    const provider = error instanceof ProviderError ? error.provider : '';
    this.#options.reporter.report('error', `${component} failed: ${errorText(error)}`, {
      level: 'error',
      data: { component, provider },
    });
    this.end({ hangup_by: 'service', hangup_reason: `error: ${component}` });
  }

  /** The end of the stream ends the call; it is no hanging up when the carrier took the caller to a person. */
  #legEnded(cause: LegEnd, detail: string): void {
    const handedOver = this.#ending ? null : (this.#conversation?.transfers.onLegEnded() ?? null);
    if (!handedOver) {
      this.#lineLost(cause, detail);
      return;
    }
    void handedOver.then((left) => {
      if (left) this.end({ hangup_by: 'agent', hangup_reason: 'transferred' });
      else this.#lineLost(cause, detail);
    });
  }

  #lineLost(cause: LegEnd, detail: string): void {
    if (cause === 'media failed') {
      this.#partFailed('browser media', new Error(detail));
      return;
    }
    if (cause === 'hung up') {
      this.end({ hangup_by: 'caller', hangup_reason: 'caller hung up' });
      return;
    }
    if (!this.#ending) {
      const data = { component: 'carrier', provider: this.#options.leg.carrier };
      this.#options.reporter.report('error', `the carrier's stream ended: ${cause}, ${detail}`, {
        level: 'warning',
        data,
      });
    }
    this.end({ hangup_by: 'carrier', hangup_reason: 'carrier failed' });
  }

  async #close(end: CallEnd): Promise<void> {
    const { clock, log, reporter, leg } = this.#options;
    const durationSeconds = Math.ceil((clock.now() - this.#startedMs) / 1_000);
    const endedAtMs = clock.wall();
    for (const stop of this.#inlets) stop();
    const lines = this.#conversation?.close() ?? [];
    this.#sound?.close();
    this.#live?.close(lines);
    leg.hangUp(end.hangup_reason);
    const parts = [this.#providers?.transcriber.close(), this.#voice?.close(), this.#tape?.close()];
    if (!(await this.#inTime(Promise.allSettled(parts)))) {
      log.warn({ call_id: this.id }, 'a part of the call did not close in time');
    }
    reportEnd(reporter, {
      ...{ end, endedAtMs, durationSeconds, transcript: lines, usage: this.#usage },
      averageFirstAudioMs: this.#conversation?.averageFirstAudioMs() ?? null,
      answeredBy: this.#conversation?.machineDetector?.answeredBy ?? null,
      recorded: this.#tape?.hasStoredAudio() ?? false,
      providerUsage: this.#providers?.usageMeter.parts() ?? [],
    });
    log.info({ call_id: this.id, ...end, duration_seconds: durationSeconds }, 'a call ended');
    this.#markOver();
  }

  /** False when the parts are not closed within CLOSE_DEADLINE_MS. */
  async #inTime(closing: Promise<unknown>): Promise<boolean> {
    let deadline: Timer | null = null;
    const late = new Promise<boolean>((resolve) => {
      deadline = this.#options.clock.after(CLOSE_DEADLINE_MS, () => resolve(false));
    });
    const closed = await Promise.race([closing.then(() => true), late]);
    (deadline as Timer | null)?.cancel();
    return closed;
  }
}
