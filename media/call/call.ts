import { type AgentConfig, agentConfigSchema } from '../../shared/agent.ts';
import type { Bus } from '../../shared/bus/bus.ts';
import type { Session } from '../../shared/bus/messages.ts';
import { type CallEnd, endedByFault } from '../../shared/call.ts';
import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { noUsage } from '../../shared/usage.ts';
import { createConverter } from '../audio/converter.ts';
import type { DenoiseStream } from '../audio/denoise-thread.ts';
import { FRAME_MS, PCM_8K } from '../audio/format.ts';
import { createNarrowing } from '../audio/narrowing.ts';
import { readSamples } from '../audio/samples.ts';
import { frameBytes, silenceByte } from '../audio/silence.ts';
import type { Leg, LegEnd } from '../leg/leg.ts';
import type { Metronome } from '../playout/metronome.ts';
import { Playout } from '../playout/playout.ts';
import type { Health } from '../provider/health.ts';
import type { Places } from '../provider/places.ts';
import { asProviderError, ProviderError } from '../provider/provider-error.ts';
import { createKnowledge } from '../reply/knowledge.ts';
import { callBackLine } from '../reply/reschedule-tool.ts';
import { createToolRunner, type ToolRunner } from '../reply/tools.ts';
import type { PieceWriter } from '../report/piece-writer.ts';
import type { Reporter } from '../report/reporter.ts';
import type { TranscriberEvent } from '../stt/transcriber.ts';
import type { TranscriberChain } from '../stt/transcriber-chain.ts';
import type { Voice, VoiceEvent } from '../tts/voice.ts';
import { FINALISATION_MS } from '../turn/end-of-turn.ts';
import type { TurnEar } from '../turn/turn-model.ts';
import type { Vad, VadStream } from '../turn/vad.ts';
import { openBackground } from './background.ts';
import { type CallProviders, createCallProviders } from './call-providers.ts';
import { Conversation } from './conversation.ts';
import { createDtmfInput, type DtmfInput } from './dtmf-input.ts';
import type { Equipment } from './equipment.ts';
import { createLineTones, type LineTones } from './line-tones.ts';
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

/** Closing the parts never takes longer than this: each has its own deadline, and none is longer. */
const CLOSE_DEADLINE_MS = 11_000;
/** Control asks the carrier first, which has ten seconds. */
const TRANSFER_ANSWER_MS = 15_000;

export class Call {
  readonly id: string;
  /** Resolves when the call is over and its parts are closed. Never rejects. */
  readonly over: Promise<void>;

  readonly #options: CallOptions;
  readonly #agent: AgentConfig;
  readonly #usage = noUsage();
  readonly #startedMs: number;
  readonly #samples: Int16Array;
  /** Telephone sound of whatever the line gives: for the recording, and for what knows nothing else. */
  readonly #narrow: (samples: Int16Array) => Int16Array;
  #live: LiveWordsTeller | null = null;
  readonly #silence: Uint8Array;
  #conversation: Conversation | null = null;
  #playout: Playout | null = null;
  #providers: CallProviders | null = null;
  #transcriber: TranscriberChain | null = null;
  #voice: Voice | null = null;
  #vadStream: VadStream | null = null;
  #turnEar: TurnEar | null = null;
  #tape: Tape | null = null;
  #leaveMetronome: (() => void) | null = null;
  #orders: { stop(): void } | null = null;
  #transferOutcomes: { stop(): void } | null = null;
  #maxDuration: Timer | null = null;
  #dtmf: DtmfInput | null = null;
  #tones: LineTones | null = null;
  #denoiser: DenoiseStream | null = null;
  #tools: ToolRunner | null = null;
  #ending: CallEnd | null = null;
  #markOver: () => void = () => {};

  constructor(options: CallOptions) {
    this.#options = options;
    this.id = options.session.call_id;
    this.#agent = agentConfigSchema.parse(JSON.parse(options.session.agent_json));
    this.#startedMs = options.clock.now();
    const { callerFormat } = options.leg;
    this.#samples = new Int16Array((callerFormat.sample_rate * FRAME_MS) / 1_000);
    this.#narrow = createNarrowing(callerFormat.sample_rate);
    this.#silence = new Uint8Array(frameBytes(callerFormat)).fill(silenceByte(callerFormat.encoding));
    this.over = new Promise((resolve) => {
      this.#markOver = resolve;
    });
  }

  /** Opens the parts and lets the agent speak. Never throws: what cannot be opened ends the call. */
  start(): void {
    const { session, leg, bus, reporter, equipment, vad, metronome, clock } = this.#options;
    const agent = this.#agent;
    const values = JSON.parse(session.user_data_json || '{}') as Record<string, string | number | boolean>;
    const isWeb = session.channel === 'web';
    reporter.tell('call.started', isWeb ? 'browser call' : `${session.direction} call on ${leg.carrier}`, {
      data: {
        channel: session.channel,
        from: session.from_number,
        to: session.to_number,
        stt: `${agent.transcriber.provider}/${agent.transcriber.model}`,
        llm: `${agent.llm.provider}/${agent.llm.model}`,
        tts: `${agent.voice.provider}/${agent.voice.model}`,
        ...(isWeb ? { started_by: session.started_by ?? '' } : {}),
        values: Object.keys(values),
      },
    });
    this.#orders = bus.serveOrders(this.id, (order) => {
      const done = this.end({ hangup_by: order.hangup_by, hangup_reason: order.hangup_reason });
      return { done, detail: done ? '' : 'the call is already ending' };
    });
    if (agent.call.record) {
      this.#tape = createTape({
        recordings: this.#options.recordings,
        workspaceId: session.workspace_id,
        callId: this.id,
        reporter,
        line: leg.format,
        clock,
      });
    }
    const playout = new Playout(
      leg,
      clock,
      {
        started: (speechId, atMs) => this.#conversation?.playoutStarted(speechId, atMs),
        finished: (speechId) => this.#conversation?.playoutFinished(speechId),
        sent: (frame, hearMs, newRun) => this.#tape?.agent(frame, hearMs, newRun),
        dropped: (fromMs) => this.#tape?.dropAgent(fromMs),
      },
      openBackground(agent.call, session.workspace_id, equipment, leg.format.sample_rate),
    );
    this.#playout = playout;
    this.#denoiser = equipment.denoiser(agent, (samples, endMs) =>
      this.#heard(samples, samples, new Uint8Array(samples.buffer), endMs),
    );
    const { log, places, health } = this.#options;
    const heard = this.#denoiser ? PCM_8K : leg.callerFormat;
    let providers: CallProviders;
    try {
      providers = createCallProviders({
        agent,
        llmFallbacks: session.llm_fallbacks,
        heard,
        spoken: leg.format,
        equipment,
        places,
        health,
        usage: this.#usage,
        reporter,
        clock,
        log,
        onTranscriber: (event) => this.#transcriberEvent(event),
        onVoice: (event) => this.#voiceEvent(event),
        onServing: (serving) => this.#conversation?.transcriberChanged(serving),
      });
    } catch (error) {
      this.#partFailed('llm', error);
      // The listener must be there all the same: what the carrier still says goes nowhere.
      leg.listen({ audio() {}, stalled() {}, mark() {}, cleared() {}, digit() {}, ended() {} });
      return;
    }
    const { transcriber, model } = providers;
    this.#providers = providers;
    this.#transcriber = transcriber;
    this.#voice = providers.newVoice();
    const bookCallBack = callBackLine(bus, this.id, agent.call);
    this.#tools = createToolRunner({ agent, values, safeFetch: equipment.safeFetch, bookCallBack, clock, log });
    this.#turnEar = transcriber.decidesTurns ? null : (equipment.turnModel?.open() ?? null);
    this.#live = createLiveWords({
      leg,
      reporter,
      clock,
      heardOfAgent: () => this.#conversation?.heardOfAgent ?? '',
    });
    const conversation = new Conversation({
      turnEar: this.#turnEar,
      agent,
      values,
      turns: {
        decidesTurns: transcriber.decidesTurns,
        endpointingMs: agent.transcriber.endpointing_ms,
        finalisationMs: FINALISATION_MS[transcriber.provider] ?? 1_000,
        asksModel: this.#turnEar !== null,
      },
      clock,
      playout,
      reporter: this.#live?.reporter ?? reporter,
      usage: this.#usage,
      transcriber,
      outbound: session.direction === 'outbound',
      tools: this.#tools,
      transferLine: { start: (request) => bus.startTransfer({ call_id: this.id, ...request }, TRANSFER_ANSWER_MS) },
      knowledge: createKnowledge({
        inline: session.knowledge?.text ?? '',
        search: session.knowledge?.search
          ? (question, withinMs) => bus.searchKnowledge({ call_id: this.id, ...question }, withinMs)
          : null,
        deadlineMs: equipment.knowledgeDeadlineMs,
        clock,
      }),
      model,
      voice: () => this.#voice!,
      newConverter: () => createConverter(this.#voice!.output, leg.format),
      temperature: agent.llm.temperature,
      maxTokens: agent.llm.max_tokens,
      language: agent.voice.language,
      replaceVoice: () => this.#replaceVoice(),
      end: (end) => void this.end(end),
    });
    this.#conversation = conversation;
    if (agent.call.transfer_enabled) {
      this.#transferOutcomes = bus.serveTransferOutcomes(this.id, (outcome) => {
        const done = conversation.transfers.outcome(outcome);
        return { done, detail: done ? '' : 'no such transfer is under way' };
      });
    }
    if (agent.call.dtmf_input) {
      const waitMs = agent.call.dtmf_wait_seconds * 1_000;
      this.#dtmf = createDtmfInput({ waitMs, clock, onDigits: (digits) => conversation.pressed(digits) });
    }
    const keys = this.#dtmf && !leg.sendsDigits ? this.#dtmf : null;
    this.#tones = createLineTones(conversation.answerer, keys);
    this.#vadStream = vad.open(
      (probability, endMs, periodicity) => conversation.heardWindow(probability, endMs, periodicity),
      heard.sample_rate,
    );
    void model.warm();
    transcriber.open().catch((error) => this.#partFailed('transcriber', error));
    this.#openVoice(this.#voice);
    this.#maxDuration = clock.after(session.max_duration_seconds * 1_000, () =>
      this.end({
        hangup_by: 'service',
        hangup_reason: session.capped_by_credits ? 'credits ran out' : 'maximum duration',
      }),
    );
    this.#leaveMetronome = metronome.join((nowMs) => this.#tick(nowMs));
    leg.listen({
      audio: (frame, atMs) => this.#callerAudio(frame, atMs),
      stalled: () => playout.stall(),
      mark: (name) => playout.marked(name),
      cleared() {},
      digit: (digit) => this.#dtmf?.press(digit),
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

  #callerAudio(frame: Uint8Array, atMs: number): void {
    if (this.#ending) return;
    readSamples(frame, this.#options.leg.callerFormat.encoding, this.#samples);
    const narrow = this.#narrow(this.#samples);
    this.#tape?.caller(narrow, atMs);
    if (this.#tones?.hear(narrow)) {
      // A key's tone is no speech; to those who listen for it the line is silent.
      this.#samples.fill(0);
      narrow.fill(0);
      frame = this.#silence;
    }
    if (this.#denoiser) this.#denoiser.push(narrow, atMs);
    else this.#heard(this.#samples, narrow, frame, atMs);
  }

  /** What is cleaned comes later than it went in, and its end is an earlier moment. */
  #heard(samples: Int16Array, narrow: Int16Array, bytes: Uint8Array, endMs: number): void {
    if (this.#ending) return;
    this.#vadStream?.push(samples, endMs);
    this.#turnEar?.push(narrow, endMs);
    this.#transcriber!.audio(bytes);
    this.#usage.stt_seconds += FRAME_MS / 1_000;
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
    if (!this.#ending) this.#conversation?.voiceEvent(event);
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
    this.#leaveMetronome?.();
    this.#maxDuration?.cancel();
    this.#orders?.stop();
    this.#transferOutcomes?.stop();
    this.#dtmf?.close();
    this.#tools?.closeAll();
    const lines = this.#conversation?.close() ?? [];
    const averageFirstAudioMs = this.#conversation?.averageFirstAudioMs() ?? null;
    this.#vadStream?.close();
    this.#turnEar?.close();
    this.#denoiser?.close();
    this.#live?.close(lines);
    leg.hangUp(end.hangup_reason);
    const closing = Promise.allSettled([this.#transcriber?.close(), this.#voice?.close(), this.#tape?.close()]);
    let deadline: Timer | null = null;
    const late = new Promise<null>((resolve) => {
      deadline = clock.after(CLOSE_DEADLINE_MS, () => resolve(null));
    });
    const closed = await Promise.race([closing, late]);
    (deadline as Timer | null)?.cancel();
    if (closed === null) log.warn({ call_id: this.id }, 'a part of the call did not close in time');
    const usage = { ...this.#usage, stt_seconds: Math.round(this.#usage.stt_seconds * 100) / 100 };
    reporter.tell('call.ended', end.hangup_reason, {
      level: endedByFault(end.hangup_reason) ? 'error' : 'info',
      at_ms: endedAtMs,
      data: { duration_seconds: durationSeconds, avg_first_audio_ms: averageFirstAudioMs, usage },
      transcript: lines,
      ending: {
        ...end,
        duration_seconds: durationSeconds,
        avg_first_audio_ms: averageFirstAudioMs ?? undefined,
        answered_by: this.#conversation?.answerer?.answeredBy ?? undefined,
        recorded: this.#tape?.kept() ?? false,
        served_json: JSON.stringify(this.#providers?.served.parts() ?? []),
      },
    });
    log.info({ call_id: this.id, ...end, duration_seconds: durationSeconds }, 'a call ended');
    this.#markOver();
  }
}
