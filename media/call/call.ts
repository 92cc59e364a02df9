import { type AgentConfig, agentConfigSchema } from '../../shared/agent.ts';
import type { Bus } from '../../shared/bus/bus.ts';
import type { Session } from '../../shared/bus/messages.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { Clock, Timer } from '../../shared/clock.ts';
import type { LanguageModel } from '../../shared/llm/language-model.ts';
import { turnMessages } from '../../shared/llm/prompt.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { openMcpTools } from '../../shared/mcp/mcp-tools.ts';
import { createPronunciation } from '../../shared/pronunciation.ts';
import { realtimeManifest } from '../../shared/providers/realtime.ts';
import { createFillers } from '../../shared/reply/fillers.ts';
import type { Knowledge } from '../../shared/reply/knowledge.ts';
import { createScriptedTools } from '../../shared/reply/scripted-tools.ts';
import { createToolRunner, httpToolCaller, type ToolRunner, toolDefinitions } from '../../shared/reply/tools.ts';
import { emptyUsage } from '../../shared/usage.ts';
import { withTimeout } from '../../shared/with-timeout.ts';
import { createConverter } from '../audio/converter.ts';
import type { AudioFormat } from '../audio/format.ts';
import type { Leg, LegEnd } from '../leg/leg.ts';
import type { MediaClock } from '../playout/media-clock.ts';
import { Playout } from '../playout/playout.ts';
import type { ConcurrencyPermits } from '../provider/concurrency-permits.ts';
import type { Health } from '../provider/health.ts';
import { ProviderError } from '../provider/provider-error.ts';
import type { RealtimePrompt } from '../realtime/realtime-model.ts';
import type { ChunkWriter } from '../report/recording-chunk-writer.ts';
import type { Reporter } from '../report/reporter.ts';
import type { TranscriberEvent } from '../stt/transcriber.ts';
import type { SynthesizerEvent } from '../tts/synthesizer.ts';
import { finalizationMs } from '../turn/end-of-turn.ts';
import type { TurnDetectorStream } from '../turn/turn-detector.ts';
import type { Vad } from '../turn/vad.ts';
import type { AgentParts } from './agent-parts.ts';
import { type CallProviders, type CallProvidersOptions, createCallProviders } from './call-providers.ts';
import { type CallScope, createCallScope } from './call-scope.ts';
import { type CallerAudio, createCallerAudio } from './caller-audio.ts';
import { type ControlClient, createControlClient } from './control-client.ts';
import { Conversation } from './conversation.ts';
import { changedVariables, reportEnd, reportStart } from './detail-record.ts';
import { createDtmfInput, type DtmfInput } from './dtmf-input.ts';
import { createLineBackground, type LineBackground } from './line-background.ts';
import { createLineReports } from './line-reports.ts';
import { createLineToneDetector } from './line-tones.ts';
import { createLiveControl } from './live-control.ts';
import { createLiveTranscript, type LiveTranscript } from './live-transcript.ts';
import { createMutes } from './mutes.ts';
import { createPageTools, type PageTools, withoutPageTools } from './page-tools.ts';
import { createParticipantTranscription } from './participant-transcription.ts';
import { createParticipants, type Participants } from './participants.ts';
import type { ProviderFactory } from './provider-factory.ts';
import { createRecordingMixer, type RecordingMixer } from './recording-mixer.ts';
import { hasRecordingNotice } from './recording-notice.ts';
import { createRecordingPause, type RecordingPause } from './recording-pause.ts';

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
  onModelAnswer?: CallProvidersOptions['onModelAnswer'];
  /** For people who take part, of whom a capture has nothing; left out: the call's own. */
  ofParticipants?: Pick<CallOptions, 'vad' | 'providerFactory' | 'permits' | 'health'>;
}

/** Upper bound for closing all parts; each has its own, shorter deadline. */
const CLOSE_DEADLINE_MS = 11_000;

type Values = Record<string, string | number | boolean>;

const givenValues = ({ user_data_json }: Session) => JSON.parse(user_data_json || '{}') as Values;

/** The agent as this line can use it. In a test the results of tools are given, and no page is asked. */
function readAgent(agentJson: string, { leg, session }: Pick<CallOptions, 'leg' | 'session'>): AgentConfig {
  const agent = agentConfigSchema.parse(JSON.parse(agentJson));
  return leg.callTool || session.test ? agent : withoutPageTools(agent);
}

/**
 * One call: opens its parts in order, routes audio and events between them, and closes them once, in order, however the call
 * ends. What is said is decided by the conversation.
 */
export class Call {
  readonly id: string;
  /** Resolves when the call is over and its parts are closed. Never rejects. */
  readonly over: Promise<void>;
  /** People who take part over a browser; null until the call has started. */
  participants: Participants | null = null;

  /** As given; its clock is the scope's. */
  readonly #options: CallOptions;
  readonly #scope: CallScope;
  readonly #agent: AgentConfig;
  /** Of the call's `{variables}`, changed in place. */
  readonly #values: Values;
  readonly #usage = emptyUsage();
  readonly #startedMs: number;
  readonly #control: ControlClient;
  /** Stops what would still call into the call: commands, ticks, timers, tools. */
  readonly #stops: (() => void)[] = [];
  #recording: RecordingMixer | null = null;
  #recordingPause: RecordingPause | null = null;
  #playout: Playout | null = null;
  #background: LineBackground | null = null;
  #callerAudio: CallerAudio | null = null;
  #providers: CallProviders | null = null;
  #liveTranscript: LiveTranscript | null = null;
  #conversation: Conversation | null = null;
  #pageTools: PageTools | null = null;
  /** Null where the agent takes no keys. */
  #keys: DtmfInput | null = null;
  #ending: CallEnd | null = null;
  #durationLimit: { seconds: number; timer: Timer } | null = null;
  #resolveOver: () => void = () => {};

  constructor(options: CallOptions) {
    this.id = options.session.call_id;
    this.#agent = readAgent(options.session.agent_json, options);
    this.#scope = createCallScope({
      callId: this.id,
      clock: options.clock,
      log: options.log,
      onFailed: () => void this.end({ hangup_by: 'service', hangup_reason: 'error: media' }),
    });
    const { clock } = this.#scope;
    this.#options = { ...options, clock };
    const { bus, session, providerFactory, log } = options;
    const { knowledgeDeadlineMs } = providerFactory;
    this.#values = givenValues(session);
    this.#control = createControlClient({ bus, session, knowledgeDeadlineMs, clock, log });
    this.#stops.push(() => this.#control.close());
    this.#startedMs = clock.now();
    this.over = new Promise((resolve) => {
      this.#resolveOver = resolve;
    });
  }

  /** Opens the parts and lets the agent speak. Never throws: a part that cannot be opened ends the call. */
  start(): void {
    const { session, leg, reporter, providerFactory, mediaClock, clock } = this.#options;
    const { attempt, guard, watch } = this.#scope;
    const values = this.#values;
    reportStart(reporter, { session, agent: this.#agent, carrier: leg.carrier, values });
    this.#control.serveCommands((end) => this.end(end));
    const playout = this.#openPlayout();
    const callerAudio = this.#openCallerAudio();
    const providers = this.#openProviders(callerAudio.format, values);
    if (!providers) {
      // The leg needs a listener until the carrier has hung up.
      leg.listen({ audio() {}, stalled() {}, mark() {}, digit() {}, ended() {} });
      return;
    }
    const { transcriber, synthesizer, model } = providers;
    const turnDetector = transcriber.decidesTurns ? null : (providerFactory.turnDetector?.open() ?? null);
    const conversation = this.#openConversation(providers, playout, turnDetector, values);
    this.#control.serveTransferOutcomes((outcome) => attempt(() => conversation.transfers.onOutcome(outcome)) ?? false);
    const participants = this.#openParticipants(conversation, providers);
    const mutes = createMutes({ agent: conversation.control, callerAudio, participants, reporter, clock });
    this.#stops.push(() => mutes.close());
    const carryOut = createLiveControl({
      ...{ agent: conversation.control, mutes, participants, leg, values, reporter },
    });
    this.#control.serveLiveOrders((order) => {
      if (this.#ending) return { done: false, detail: 'the call is ending' };
      return attempt(() => carryOut(order)) ?? { done: false, detail: 'the engine could not do it' };
    });
    const keys = this.#openKeys(conversation);
    callerAudio.connect({
      transcriber,
      turnDetector,
      tones: createLineToneDetector(conversation.machineDetector, leg.sendsDigits ? null : keys),
      vad: this.#options.vad.open(
        guard((probability, endMs, periodicity) => conversation.onVadWindow(probability, endMs, periodicity)),
        callerAudio.format.sample_rate,
      ),
    });
    void model.warm();
    watch(transcriber.open().catch((error) => this.#partFailed('transcriber', error)));
    watch(synthesizer.open().catch((error) => this.#partFailed('voice', error)));
    this.#limitDuration(session.max_duration_seconds, session.capped_by_credits ?? false);
    this.#stops.push(
      () => this.#durationLimit?.timer.cancel(),
      mediaClock.subscribe(guard((nowMs) => this.#tick(nowMs))),
    );
    const lineReports = createLineReports(reporter, leg.carrier);
    leg.listen({
      audio: guard((frame, atMs) => {
        participants.addCaller(frame);
        callerAudio.push(frame, atMs);
      }),
      networkStall: guard((stallMs) => {
        if (!this.#ending) lineReports.stalled(stallMs);
      }),
      stalled: guard(() => playout.onStreamLost()),
      mark: guard((name) => playout.onMark(name)),
      pong: guard(() => playout.onPong()),
      digit: guard((digit) => {
        if (!this.#ending) keys?.press(digit);
      }),
      toolResult: guard((result) => {
        if (!this.#ending) this.#pageTools?.onResult(result);
      }),
      carrierError: guard((reason) => {
        if (!this.#ending) lineReports.carrierError(reason);
      }),
      ended: guard((cause, detail) => this.#onLegEnded(cause, detail)),
    });
    if (!this.#ending) conversation.start();
  }

  /** Ends the call so long after its start, unless it ends earlier already. */
  #limitDuration(seconds: number, byCredits: boolean): void {
    const { clock } = this.#options;
    if (this.#durationLimit && this.#durationLimit.seconds <= seconds) return;
    this.#durationLimit?.timer.cancel();
    const hangup_reason = byCredits ? 'credits ran out' : 'maximum duration';
    const leftMs = this.#startedMs + seconds * 1_000 - clock.now();
    const timer = clock.after(Math.max(0, leftMs), () => this.end({ hangup_by: 'service', hangup_reason }));
    this.#durationLimit = { seconds, timer };
  }

  /** Ends the call once; returns false when it is already ending. */
  end(end: CallEnd): boolean {
    if (this.#ending) return false;
    this.#ending = end;
    void this.#close(end);
    return true;
  }

  #openPlayout(): Playout {
    const { session, leg, providerFactory, recordings, reporter, clock } = this.#options;
    const { record } = this.#agent.call;
    const { workspace_id: workspaceId } = session;
    const waits = hasRecordingNotice(this.#agent.call);
    const recording = record
      ? createRecordingMixer({
          recordings,
          workspaceId,
          callId: this.id,
          reporter,
          agentFormat: leg.format,
          callerRateHz: leg.callerFormat.sample_rate,
          waits,
          clock,
        })
      : null;
    this.#recording = recording;
    const { recording_pause_seconds: maxSeconds } = this.#agent.call;
    const recordingPause = createRecordingPause({ recording, maxSeconds, reporter, clock });
    this.#recordingPause = recordingPause;
    this.#stops.push(() => recordingPause.close());
    this.#control.serveRecordingOrders(record, (paused) => !this.#ending && recordingPause.set(paused, 'member'));
    const background = createLineBackground({
      ...{ sounds: providerFactory, workspaceId, call: this.#agent.call, rateHz: leg.format.sample_rate },
      onChange: (next) => this.#playout?.setBackground(next),
    });
    this.#background = background;
    this.#playout = new Playout(
      leg,
      clock,
      {
        started: (speechId, atMs) => {
          this.#providers?.replyStarted(speechId);
          this.#conversation?.onPlayoutStarted(speechId, atMs);
        },
        finished: (speechId) => this.#conversation?.onPlayoutFinished(speechId),
        sent: (frame, playAtMs, newRun) => {
          recording?.addAgent(frame, playAtMs, newRun);
          this.participants?.addAgent(frame, playAtMs);
        },
        dropped: (fromMs) => {
          recording?.dropAgent(fromMs);
          this.participants?.dropAgent(fromMs);
        },
      },
      background.own,
    );
    return this.#playout;
  }

  #openParticipants(conversation: Conversation, providers: CallProviders): Participants {
    const { control } = conversation;
    const { leg, reporter, clock, log } = this.#options;
    const from = this.#options.ofParticipants ?? this.#options;
    const { attempt, guard } = this.#scope;
    const participants = createParticipants({
      ...{ clock, reporter, callerFormat: leg.callerFormat, agentFormat: leg.format },
      log: log.child({ call_id: this.id }),
      background: () => this.#background?.own ?? null,
      onVoice: guard((voice) => this.#background?.setVoice(voice)),
      onTakeOver: () => {
        const muted = attempt(() => control.muteAgent(true));
        return muted?.done ? '' : (muted?.detail ?? 'the call failed');
      },
      transcribe: () =>
        createParticipantTranscription({
          ...{ callId: this.id, agent: this.#agent, providers, from, clock, log, reporter },
          onTurn: guard((text, speechEndMs) => conversation.addHumanAgentTurn(text, speechEndMs)),
        }),
      onHandBack: guard((note) => control.handBack(note)),
    });
    this.participants = participants;
    this.#stops.push(() => participants.close('the call is over'));
    return participants;
  }

  #openCallerAudio(): CallerAudio {
    const { leg, providerFactory } = this.#options;
    this.#callerAudio = createCallerAudio({
      lineFormat: leg.callerFormat,
      recording: this.#recording,
      openDenoiser: (rateHz, listener) => providerFactory.denoiser(this.#agent, rateHz, listener),
      usage: this.#usage,
    });
    return this.#callerAudio;
  }

  /** Null where this engine has no language model for the call, which then ends. */
  #openProviders(callerFormat: AudioFormat, values: Values): CallProviders | null {
    const { session, leg, reporter, providerFactory, permits, health, clock, log } = this.#options;
    const { guard } = this.#scope;
    try {
      this.#providers = createCallProviders({
        ...{ providerFactory, permits, health, reporter, clock, log, scope: this.#scope },
        agent: this.#agent,
        llmFallbacks: session.llm_fallbacks,
        onModelAnswer: this.#options.onModelAnswer,
        callerFormat,
        agentFormat: leg.format,
        usage: this.#usage,
        prompt: () => this.#realtimePrompt(values),
        onTranscriber: guard((event) => this.#onTranscriberEvent(event)),
        onSynthesizer: guard((event) => this.#onSynthesizerEvent(event)),
        onActiveTranscriber: guard((active) => this.#conversation?.onTranscriberChanged(active)),
      });
    } catch (error) {
      this.#partFailed('llm', error);
    }
    return this.#providers;
  }

  /** Of a session before its first reply; the conversation's messages say the rest. */
  #realtimePrompt(values: Values): RealtimePrompt {
    const agent = this.#agent;
    const wallMs = this.#options.clock.wall();
    const knowledge = this.#options.session.knowledge?.text ?? '';
    const [first] = turnMessages({ agent, values, wallMs, knowledge, history: [] });
    return { instructions: first!.content, tools: toolDefinitions(agent) };
  }

  #openConversation(
    providers: CallProviders,
    playout: Playout,
    turnDetector: TurnDetectorStream | null,
    values: Values,
  ): Conversation {
    const { session, leg, reporter, clock } = this.#options;
    const { transcriber } = providers;
    let { synthesizer, synthesizerIn } = providers;
    const agent = this.#agent;
    let agentId = session.agent_id;
    const page = createPageTools({ leg, clock });
    this.#pageTools = page;
    this.#stops.push(() => page.close());
    const parts = (of: AgentConfig, model: LanguageModel, knowledge: Knowledge): AgentParts => {
      const tools = this.#openTools(of, values, page);
      this.#stops.push(() => tools.closeAll());
      return {
        ...{ agent: of, model, tools, knowledge },
        pronunciation: createPronunciation(of.voice.pronunciations),
        // A speech-to-speech model has its own way of speaking, and one voice.
        fillerAfterMs: realtimeManifest(of.llm) ? 0 : of.call.filler_after_ms,
        nextFiller: createFillers(of.call.filler_phrases),
        temperature: of.llm.temperature,
        maxTokens: of.llm.max_tokens,
      };
    };
    this.#liveTranscript = createLiveTranscript({
      ...{ leg, clock },
      agentPlayedOut: () => this.#conversation?.playedOutText ?? '',
    });
    this.#conversation = new Conversation({
      ...parts(
        agent,
        providers.model,
        this.#control.knowledgeOf({ knowledge: session.knowledge }, agent.voice.language),
      ),
      ...{ values, clock, playout, transcriber, turnDetector, usage: this.#usage },
      scope: this.#scope,
      turns: {
        decidesTurns: transcriber.decidesTurns,
        endpointingMs: agent.transcriber.endpointing_ms,
        turnDetection: agent.transcriber.turn_detection,
        finalizationMs: finalizationMs(transcriber),
        usesTurnDetector: turnDetector !== null,
      },
      reporter,
      onTranscriptLine: this.#liveTranscript?.onLine,
      outbound: session.direction === 'outbound',
      holdMusic: (on) => this.#background?.setHoldMusic(on),
      onRecordingNoticePlayed: () => this.#recording?.begin(),
      handoffClient: {
        open: (id) => this.#control.openHandoff(agentId, id),
        enter: ({ agent_id, agent_json, knowledge, paid_seconds }) => {
          const next = readAgent(agent_json, this.#options);
          const entered = providers.enter(next);
          agentId = agent_id;
          ({ synthesizerIn } = entered);
          synthesizer = synthesizerIn(next.voice.language);
          this.#limitDuration(paid_seconds, true);
          return parts(next, entered.model, this.#control.knowledgeOf({ agent_id, knowledge }, next.voice.language));
        },
      },
      transferClient: {
        start: (request) => {
          // Whom the caller is handed over to does not know of the pause.
          this.#recordingPause?.set(false, 'service');
          return this.#control.transfers.start(request);
        },
      },
      synthesizer: () => synthesizer,
      newConverter: () => createConverter(synthesizer.output, leg.format),
      onLanguage: (language) => {
        synthesizer = synthesizerIn(language);
      },
      language: agent.voice.language,
      end: (end) => void this.end(end),
    });
    return this.#conversation;
  }

  /** An agent's tools; a test's answer as it says. */
  #openTools(agent: AgentConfig, values: Values, page: PageTools): ToolRunner {
    const { session, reporter, providerFactory, clock, log } = this.#options;
    const { safeFetch } = providerFactory;
    const bookCallback = this.#control.callbacksOf(agent);
    const pauseRecording = agent.call.recording_pause
      ? (paused: boolean) => this.#recordingPause?.set(paused, 'agent') ?? false
      : undefined;
    const options = { agent, values, bookCallback, pauseRecording, clock, log };
    if (session.test) return createScriptedTools({ ...options, results: JSON.parse(session.test.tool_results_json) });
    const remote =
      agent.mcp_servers.length === 0
        ? undefined
        : openMcpTools({
            ...{ agent, values, safeFetch, clock, log },
            taken: toolDefinitions(agent).map(({ name }) => name),
            onUnavailable: (server, problem) =>
              reporter.report('error', `the tools of the MCP server ${server} cannot be used: ${problem}`, {
                level: 'warning',
                data: { component: 'mcp', provider: server },
              }),
          });
    const callHttp = httpToolCaller({ safeFetch, values, clock });
    return createToolRunner({
      ...options,
      remote,
      callTool: (tool, args, signal) => (tool.kind === 'client' ? page.callTool : callHttp)(tool, args, signal),
    });
  }

  #openKeys(conversation: Conversation): DtmfInput | null {
    const { dtmf_input, dtmf_wait_seconds } = this.#agent.call;
    if (!dtmf_input) return null;
    this.#keys = createDtmfInput({
      waitMs: dtmf_wait_seconds * 1_000,
      clock: this.#options.clock,
      onKey: () => conversation.onKey(),
      onDigits: (digits) => conversation.onKeys(digits),
    });
    return this.#keys;
  }

  #tick(nowMs: number): void {
    this.#options.leg.tick(nowMs);
    if (this.#ending) return;
    this.#playout!.tick(nowMs);
    this.#conversation!.tick();
    this.participants?.tick(nowMs);
    this.#liveTranscript?.tick(nowMs);
  }

  #onTranscriberEvent(event: TranscriberEvent): void {
    if (this.#ending) return;
    if (event.type === 'failed') this.#partFailed('transcriber', event.error);
    else {
      this.#conversation?.onTranscriberEvent(event);
      if (event.type === 'partial') this.#liveTranscript?.onCallerPartial(event.text);
    }
  }

  #onSynthesizerEvent(event: SynthesizerEvent): void {
    if (this.#ending) return;
    if (event.type === 'failed' && event.contextId === null) this.#partFailed('voice', event.error);
    else this.#conversation?.onSynthesizerEvent(event);
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

  /** The end of the stream ends the call. During a transfer it may mean that the carrier connected the caller to the target. */
  #onLegEnded(cause: LegEnd, detail: string): void {
    const transferred = this.#ending ? null : (this.#conversation?.transfers.onLegEnded() ?? null);
    if (!transferred) {
      this.#endByLeg(cause, detail);
      return;
    }
    const ended = transferred.then((connected) => {
      if (connected) this.end({ hangup_by: 'agent', hangup_reason: 'transferred' });
      else this.#endByLeg(cause, detail);
    });
    this.#scope.watch(ended);
  }

  #endByLeg(cause: LegEnd, detail: string): void {
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

  /** Closes every part and reports the end, whatever a part does. */
  async #close(end: CallEnd): Promise<void> {
    const { clock, log, reporter, leg, session } = this.#options;
    const { attempt } = this.#scope;
    const durationSeconds = Math.ceil((clock.now() - this.#startedMs) / 1_000);
    const endedAtMs = clock.wall();
    for (const stop of this.#stops) attempt(stop);
    const conversation = this.#conversation;
    const unfinishedKeys = attempt(() => this.#keys?.close());
    const transcript =
      attempt(() => conversation?.close(unfinishedKeys)) ?? attempt(() => conversation?.takeTranscript()) ?? [];
    attempt(() => this.#callerAudio?.close());
    attempt(() => leg.hangUp(end.hangup_reason));
    const parts = [
      attempt(() => this.#providers?.transcriber.close()),
      attempt(() => this.#providers?.closeSynthesizers()),
      attempt(() => this.#recording?.close()),
    ];
    await withTimeout(Promise.allSettled(parts), CLOSE_DEADLINE_MS, clock, () =>
      log.warn({ call_id: this.id }, 'call parts did not close in time'),
    );
    attempt(() =>
      reportEnd(reporter, {
        ...{ end, endedAtMs, durationSeconds, transcript, usage: this.#usage },
        variables: changedVariables(givenValues(session), this.#values),
        averageFirstAudioMs: conversation?.averageFirstAudioMs() ?? null,
        turnTaking: conversation?.turnTaking ?? null,
        answeredBy: conversation?.machineDetector?.answeredBy ?? null,
        recorded: this.#recording?.hasStoredAudio() ?? false,
        providerUsage: this.#providers?.usageMeter.parts() ?? [],
      }),
    );
    log.info({ call_id: this.id, ...end, duration_seconds: durationSeconds }, 'call ended');
    this.#scope.close();
    this.#resolveOver();
  }
}
