import { type AgentConfig, agentConfigSchema } from '../../shared/agent.ts';
import type { Bus } from '../../shared/bus/bus.ts';
import type { Session } from '../../shared/bus/messages.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { noUsage } from '../../shared/usage.ts';
import { createConverter } from '../audio/converter.ts';
import type { Leg, LegEnd } from '../leg/leg.ts';
import type { Metronome } from '../playout/metronome.ts';
import { Playout } from '../playout/playout.ts';
import type { Health } from '../provider/health.ts';
import type { Places } from '../provider/places.ts';
import { asProviderError, ProviderError } from '../provider/provider-error.ts';
import { createToolRunner } from '../reply/tools.ts';
import type { PieceWriter } from '../report/piece-writer.ts';
import type { Reporter } from '../report/reporter.ts';
import type { TranscriberEvent } from '../stt/transcriber.ts';
import type { Voice, VoiceEvent } from '../tts/voice.ts';
import { FINALISATION_MS } from '../turn/end-of-turn.ts';
import type { TurnEar } from '../turn/turn-model.ts';
import type { Vad } from '../turn/vad.ts';
import { openBackground } from './background.ts';
import { type CallProviders, createCallProviders } from './call-providers.ts';
import { type CallerSound, createCallerSound } from './caller-sound.ts';
import { type ControlLine, createControlLine } from './control-line.ts';
import { Conversation } from './conversation.ts';
import { tellEnd, tellStart } from './detail-record.ts';
import { createDtmfInput, type DtmfInput } from './dtmf-input.ts';
import type { Equipment } from './equipment.ts';
import { createLineTones } from './line-tones.ts';
import { createLiveWords, type LiveWordsTeller } from './live-words.ts';
import { createTape, type Tape } from './tape.ts';

/**
 * The conductor of one call: it opens the parts in order, leads the sound through them, and closes them once, in order,
 * however the call ends. What is said is the conversation's business.
 */

export interface CallOptions {
  session: Session;
  leg: Leg;
  bus: Bus;
  reporter: Reporter;
  equipment: Equipment;
  places: Places;
  health: Health;
  vad: Vad;
  metronome: Metronome;
  recordings: PieceWriter;
  clock: Clock;
  log: Logger;
}

/** So many voices, each with all its stand-ins, are lost one after the other without a sound, and the call has none. */
const MOST_VOICES_LOST = 3;
/** Closing the parts never takes longer than this: each has its own deadline, and none is longer. */
const CLOSE_DEADLINE_MS = 11_000;

type Values = Record<string, string | number | boolean>;

export class Call {
  readonly id: string;
  /** Resolves when the call is over and its parts are closed. Never rejects. */
  readonly over: Promise<void>;

  readonly #options: CallOptions;
  readonly #agent: AgentConfig;
  readonly #usage = noUsage();
  readonly #startedMs: number;
  readonly #control: ControlLine;
  /** Stops what comes by itself: orders, beats, timers, what tools answer. */
  readonly #inlets: (() => void)[] = [];
  #tape: Tape | null = null;
  #playout: Playout | null = null;
  #sound: CallerSound | null = null;
  #providers: CallProviders | null = null;
  #voice: Voice | null = null;
  /** Since the last sound of one. */
  #voicesLost = 0;
  #live: LiveWordsTeller | null = null;
  #conversation: Conversation | null = null;
  #ending: CallEnd | null = null;
  #markOver: () => void = () => {};

  constructor(options: CallOptions) {
    this.#options = options;
    this.id = options.session.call_id;
    this.#agent = agentConfigSchema.parse(JSON.parse(options.session.agent_json));
    const { bus, session, equipment, clock } = options;
    const { knowledgeDeadlineMs } = equipment;
    this.#control = createControlLine({ bus, session, agent: this.#agent, knowledgeDeadlineMs, clock });
    this.#inlets.push(() => this.#control.close());
    this.#startedMs = clock.now();
    this.over = new Promise((resolve) => {
      this.#markOver = resolve;
    });
  }

  /** Opens the parts and lets the agent speak. Never throws: what cannot be opened ends the call. */
  start(): void {
    const { session, leg, reporter, metronome, clock } = this.#options;
    const values = JSON.parse(session.user_data_json || '{}') as Values;
    tellStart(reporter, { session, agent: this.#agent, carrier: leg.carrier, values });
    this.#control.takeOrders((end) => this.end(end));
    const playout = this.#openPlayout();
    const sound = this.#openSound();
    const providers = this.#openProviders(sound);
    if (!providers) {
      // The listener must be there all the same: what the carrier still says goes nowhere.
      leg.listen({ audio() {}, stalled() {}, mark() {}, cleared() {}, digit() {}, ended() {} });
      return;
    }
    const { transcriber, model } = providers;
    const voice = providers.newVoice();
    this.#voice = voice;
    const turnEar = transcriber.decidesTurns ? null : (this.#options.equipment.turnModel?.open() ?? null);
    const conversation = this.#openConversation(providers, playout, turnEar, values);
    this.#control.takeOutcomes((outcome) => conversation.transfers.outcome(outcome));
    const keys = this.#openKeys(conversation);
    sound.lead({
      transcriber,
      turnEar,
      tones: createLineTones(conversation.answerer, leg.sendsDigits ? null : keys),
      vad: this.#options.vad.open(
        (probability, endMs, periodicity) => conversation.heardWindow(probability, endMs, periodicity),
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
      metronome.join((nowMs) => this.#tick(nowMs)),
    );
    leg.listen({
      audio: (frame, atMs) => sound.hear(frame, atMs),
      stalled: () => playout.stall(),
      mark: (name) => playout.marked(name),
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
    const { session, leg, equipment, recordings, reporter, clock } = this.#options;
    const { call } = this.#agent;
    const { workspace_id: workspaceId } = session;
    const tape = call.record
      ? createTape({ recordings, workspaceId, callId: this.id, reporter, line: leg.format, clock })
      : null;
    this.#tape = tape;
    const playout = new Playout(
      leg,
      clock,
      {
        started: (speechId, atMs) => this.#conversation?.playoutStarted(speechId, atMs),
        finished: (speechId) => this.#conversation?.playoutFinished(speechId),
        sent: (frame, hearMs, newRun) => tape?.agent(frame, hearMs, newRun),
        dropped: (fromMs) => tape?.dropAgent(fromMs),
      },
      openBackground(call, workspaceId, equipment, leg.format.sample_rate),
    );
    this.#playout = playout;
    return playout;
  }

  /** What is heard of the caller. */
  #openSound(): CallerSound {
    const { leg, equipment } = this.#options;
    this.#sound = createCallerSound({
      line: leg.callerFormat,
      recording: this.#tape,
      openDenoiser: (listener) => equipment.denoiser(this.#agent, listener),
      usage: this.#usage,
    });
    return this.#sound;
  }

  /** Null where this engine has no model for the call: it has ended. */
  #openProviders(sound: CallerSound): CallProviders | null {
    const { session, leg, reporter, equipment, places, health, clock, log } = this.#options;
    try {
      this.#providers = createCallProviders({
        ...{ equipment, places, health, reporter, clock, log },
        agent: this.#agent,
        llmFallbacks: session.llm_fallbacks,
        heard: sound.format,
        spoken: leg.format,
        usage: this.#usage,
        onTranscriber: (event) => this.#transcriberEvent(event),
        onVoice: (event) => this.#voiceEvent(event),
        onServing: (serving) => this.#conversation?.transcriberChanged(serving),
      });
    } catch (error) {
      this.#partFailed('llm', error);
    }
    return this.#providers;
  }

  #openConversation(
    { transcriber, model }: CallProviders,
    playout: Playout,
    turnEar: TurnEar | null,
    values: Values,
  ): Conversation {
    const { session, leg, reporter, equipment, clock, log } = this.#options;
    const agent = this.#agent;
    const { bookCallBack } = this.#control;
    const tools = createToolRunner({ agent, values, safeFetch: equipment.safeFetch, bookCallBack, clock, log });
    this.#inlets.push(() => tools.closeAll());
    this.#live = createLiveWords({
      ...{ leg, reporter, clock },
      heardOfAgent: () => this.#conversation?.heardOfAgent ?? '',
    });
    this.#conversation = new Conversation({
      ...{ agent, values, clock, playout, transcriber, turnEar, model, tools, usage: this.#usage },
      turns: {
        decidesTurns: transcriber.decidesTurns,
        endpointingMs: agent.transcriber.endpointing_ms,
        finalisationMs: FINALISATION_MS[transcriber.provider] ?? 1_000,
        asksModel: turnEar !== null,
      },
      reporter: this.#live?.reporter ?? reporter,
      outbound: session.direction === 'outbound',
      knowledge: this.#control.knowledge,
      transferLine: this.#control.transfers,
      voice: () => this.#voice!,
      newConverter: () => createConverter(this.#voice!.output, leg.format),
      temperature: agent.llm.temperature,
      maxTokens: agent.llm.max_tokens,
      language: agent.voice.language,
      replaceVoice: () => this.#replaceVoice(),
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
      onDigits: (digits) => conversation.pressed(digits),
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
      this.#conversation?.transcriberEvent(event);
      if (event.type === 'partial') this.#live?.hearing(event.text);
    }
  }

  #voiceEvent(event: VoiceEvent): void {
    if (this.#ending) return;
    if (event.type === 'audio') this.#voicesLost = 0;
    // While the agent says nothing, no reply counts its tries: one that fails at once would be replaced without end.
    if (event.type === 'failed' && event.contextId === null && ++this.#voicesLost === MOST_VOICES_LOST) {
      this.#partFailed('voice', event.error);
    } else this.#conversation?.voiceEvent(event);
  }

  #replaceVoice(): void {
    void this.#voice?.close();
    const voice = this.#providers!.newVoice();
    this.#voice = voice;
    this.#openVoice(voice);
  }

  #openVoice(voice: Voice): void {
    voice.open().catch((error) => {
      if (voice !== this.#voice || this.#ending) return;
      this.#voiceEvent({ type: 'failed', contextId: null, error: asProviderError(error, voice.provider) });
    });
  }

  #partFailed(component: 'transcriber' | 'voice' | 'llm' | 'browser media', error: unknown): void {
    if (this.#ending) return;
    const provider = error instanceof ProviderError ? error.provider : '';
    this.#options.reporter.tell('error', `${component} failed: ${errorText(error)}`, {
      level: 'error',
      data: { component, provider },
    });
    this.end({ hangup_by: 'service', hangup_reason: `error: ${component}` });
  }

  /** The end of the stream ends the call; it is no hanging up when the carrier took the caller to a person. */
  #legEnded(cause: LegEnd, detail: string): void {
    const handedOver = this.#ending ? null : (this.#conversation?.transfers.lineEnded() ?? null);
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
      this.#options.reporter.tell('error', `the carrier's stream ended: ${cause}, ${detail}`, {
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
    tellEnd(reporter, {
      ...{ end, endedAtMs, durationSeconds, lines, usage: this.#usage },
      averageFirstAudioMs: this.#conversation?.averageFirstAudioMs() ?? null,
      answeredBy: this.#conversation?.answerer?.answeredBy ?? null,
      recorded: this.#tape?.kept() ?? false,
      served: this.#providers?.served.parts() ?? [],
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
