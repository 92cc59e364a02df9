import { createConverter } from '../../media/audio/converter.ts';
import { MULAW_8K } from '../../media/audio/format.ts';
import { createCallScope } from '../../media/call/call-scope.ts';
import { Conversation, type ConversationOptions } from '../../media/call/conversation.ts';
import { createLiveControl } from '../../media/call/live-control.ts';
import { createMutes } from '../../media/call/mutes.ts';
import type { RecordingMixer } from '../../media/call/recording-mixer.ts';
import type { Background } from '../../media/playout/leg-output.ts';
import { Playout, type PlayoutListener } from '../../media/playout/playout.ts';
import { createRealtimeSession } from '../../media/realtime/realtime-session.ts';
import type { EventDetails, Reporter } from '../../media/report/reporter.ts';
import type { TranscriberEvent } from '../../media/stt/transcriber.ts';
import { WINDOW_MS } from '../../media/turn/speech-state.ts';
import { type AgentConfig, agentConfigSchema, type TurnDetection } from '../../shared/agent.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { Clock, Timer } from '../../shared/clock.ts';
import type { EventType } from '../../shared/events.ts';
import type { LiveOrder } from '../../shared/live-control.ts';
import type { ChatRequest, LanguageModel } from '../../shared/llm/language-model.ts';
import { createLogger } from '../../shared/log.ts';
import { createPronunciation } from '../../shared/pronunciation.ts';
import { createFillers } from '../../shared/reply/fillers.ts';
import { createToolRunner, httpToolCaller, type RemoteTools } from '../../shared/reply/tools.ts';
import { type SafeFetch, SafeFetchError } from '../../shared/safe-fetch.ts';
import type { TranscriptItem } from '../../shared/transcript.ts';
import { emptyUsage } from '../../shared/usage.ts';
import { type CallbackBehaviour, createFakeCallbackBooking } from './fake-callback-booking.ts';
import { type CarrierBehaviour, createFakeCarrier } from './fake-carrier.ts';
import { createFakeHandoffs, type HandoffBehaviour } from './fake-handoffs.ts';
import { createFakeKnowledge, type FakeKnowledgeOptions } from './fake-knowledge.ts';
import { createFakeModel, type ModelAnswer } from './fake-model.ts';
import { createFakeRealtime } from './fake-realtime.ts';
import { createFakeSynthesizer, type SynthesizerBehaviour } from './fake-synthesizer.ts';
import { createFakeTransfers, type TransferBehaviour } from './fake-transfers.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

/**
 * A conversation on the virtual clock with a fake transcriber, model, synthesizer and carrier. Playout and all policies are the
 * real ones.
 */

export interface HarnessOptions {
  call?: Record<string, unknown>;
  welcome?: string;
  prompt?: string;
  /** Language of the agent's voice. */
  language?: string;
  pronunciations?: { word: string; say: string }[];
  /** The agent's HTTP tools. */
  tools?: Record<string, unknown>[];
  safeFetch?: SafeFetch;
  /** Tools of servers. */
  remoteTools?: RemoteTools;
  /** Response to them without `safeFetch`. */
  toolAnswer?: { afterMs: number; status?: number; body?: string };
  values?: Record<string, string | number | boolean>;
  /** The agent's knowledge and the behaviour of searches. */
  knowledge?: FakeKnowledgeOptions;
  /** In place of one that notes when final words are asked for. */
  transcriberChain?: ConversationOptions['transcriber'];
  decidesTurns?: boolean;
  endpointingMs?: number;
  turnDetection?: TurnDetection;
  finalisationMs?: number;
  /** How control handles transfers; default: no transfers. */
  transfer?: TransferBehaviour;
  /** How control answers handoffs; default: there are none. */
  handoff?: HandoffBehaviour;
  /** How control handles callback requests; default: the agent books none. */
  callback?: CallbackBehaviour;
  /** Prediction and delay of the turn detection model; default: no model. */
  turnModel?: { afterMs: number; probability: number };
  /** The model's reply to a request; tokens are words. */
  answer?(request: ChatRequest): string | ModelAnswer;
  /** The model's context; no limit by default. */
  contextTokens?: number;
  firstTokenMs?: number;
  firstAudioMs?: number;
  /** Milliseconds of audio per character. */
  msPerCharacter?: number;
  /** Behaviour of the n-th synthesizer context. */
  synthesizers?: readonly SynthesizerBehaviour[];
  /** Behaviour of all others. */
  defaultSynthesizer?: SynthesizerBehaviour;
  carrier?: CarrierBehaviour;
  /** Ambient sound; it must be positive, so that the test audio can be decoded. */
  background?: Background;
  /** Records the agent's audio. */
  recordingMixer?: Pick<RecordingMixer, 'addAgent' | 'dropAgent'>;
  /** Offset of the end times of VAD windows. */
  windowsAheadMs?: number;
  /** Closes the conversation when it ends the call, as `Call` does. */
  closesAtEnd?: boolean;
  /** The model hears and speaks itself: fake model and synthesizer lie behind a speech-to-speech session. */
  realtime?: boolean;
  /** The caller's VAD windows are given by `conversation.onVadWindow`, none is made of `speak`. */
  ownWindows?: boolean;
}

export interface EmittedEvent extends EventDetails {
  type: EventType;
  message: string;
  atMs: number;
}

/** Events that a scenario can refer to: timeline events, model requests, clears. */
export type HarnessEvent = EventType | 'asked' | 'cleared';

export function createHarness(options: HarnessOptions = {}) {
  const { decidesTurns = true, firstTokenMs = 250, closesAtEnd = false } = options;
  const clock = createVirtualClock();
  const engine = countingClock(clock);
  const emitted: EmittedEvent[] = [];
  const ends: CallEnd[] = [];
  const recordingBegins: number[] = [];
  const closing: TranscriptItem[] = [];
  const usage = emptyUsage();
  const agent = agentConfigSchema.parse({
    name: 'Agent',
    system_prompt: options.prompt ?? 'You are on a stage.',
    welcome_message: options.welcome ?? '',
    call: options.call ?? {},
    voice: { pronunciations: options.pronunciations ?? [] },
    tools: options.tools ?? [],
  });
  const toolRuns: string[] = [];
  const answerTools: SafeFetch = async (url, { signal }) => {
    toolRuns.push(url);
    const { afterMs, status = 200, body = '{"free":true}' } = options.toolAnswer!;
    await new Promise<void>((resolve, reject) => {
      const timer = clock.after(afterMs, resolve);
      signal?.addEventListener('abort', () => {
        timer.cancel();
        reject(new SafeFetchError('aborted'));
      });
    });
    return { status, headers: { 'content-type': 'application/json' }, body, bytes: body.length, truncated: false };
  };
  const listeners: ((notify: HarnessEvent) => void)[] = [];
  const notify = (what: HarnessEvent) => {
    for (const listener of listeners) listener(what);
  };

  const carrier = createFakeCarrier(clock, options.carrier ?? {}, {
    mark: (name) => playout.onMark(name),
    pong: () => playout.onPong(),
    cleared: () => notify('cleared'),
  });
  const { leg } = carrier;

  const finalizes: number[] = [];
  const noteFinalize = () => void finalizes.push(clock.now());
  const transcriber = options.transcriberChain ?? {
    ...{ finalize: noteFinalize, speech() {}, speechEnded() {} },
  };

  const usualVoice: SynthesizerBehaviour = {
    ...(options.firstAudioMs === undefined ? {} : { firstAudioMs: options.firstAudioMs }),
    ...(options.msPerCharacter === undefined ? {} : { msPerCharacter: options.msPerCharacter }),
    ...options.defaultSynthesizer,
  };
  const { synthesizer, spoken, contexts } = createFakeSynthesizer(
    clock,
    options.synthesizers ?? [],
    usualVoice,
    (event) => {
      if (!realtime) conversation.onSynthesizerEvent(event);
      else if (!realtime.fake.onSynthesizerEvent(event)) realtime.session.onVoiceEvent(event);
    },
  );

  const { model, requests, generated, running } = createFakeModel(
    clock,
    firstTokenMs,
    (request) => {
      const answer = options.answer?.(request) ?? 'Yes of course.';
      return typeof answer === 'string' ? { text: answer } : answer;
    },
    () => notify('asked'),
  );

  const realtime = options.realtime ? openRealtime() : null;

  /** A session whose model and voice are the fake ones. */
  function openRealtime() {
    const msPerCharacter = (contextId: string) => contexts.get(contextId)?.behaviour.msPerCharacter ?? 60;
    const fake = createFakeRealtime({ model, synthesizer, msPerCharacter });
    const session = createRealtimeSession({
      llm: {
        ...agent.llm,
        realtime: { voice: '', output: 'audio', turn_detection: 'model', text_provider: 'openai', text_model: '' },
      },
      create: fake.create,
      prompt: () => ({ instructions: '', tools: [] }),
      voice: synthesizer,
      agentFormat: MULAW_8K,
      clock: engine.clock,
      log: createLogger('test', 'silent'),
      onSynthesizer: (event) => conversation.onSynthesizerEvent(event),
      onUsage() {},
      onReply() {},
    });
    const opened = session.transcriber(() => {});
    void opened.open();
    return { fake, session, opened };
  }

  const playoutListener: PlayoutListener = {
    started: (id, atMs) => conversation.onPlayoutStarted(id, atMs),
    finished: (id) => conversation.onPlayoutFinished(id),
    sent: (frame, hearMs, afterGap) => options.recordingMixer?.addAgent(frame, hearMs, afterGap),
    dropped: (fromMs) => options.recordingMixer?.dropAgent(fromMs),
  };
  const playout = new Playout(leg, engine.clock, playoutListener, options.background ?? null);
  const reporter: Reporter = {
    report: (type, message, more = {}) => {
      emitted.push({ type, message, atMs: clock.now(), ...more });
      notify(type);
    },
    flushed: async () => {},
  };
  const callbackRequests = createFakeCallbackBooking(clock, options.callback);
  const values = { ...options.values };
  const toolsOf = (of: AgentConfig) =>
    createToolRunner({
      remote: options.remoteTools,
      bookCallback: callbackRequests.book,
      agent: of,
      values,
      callTool: httpToolCaller({
        safeFetch: options.safeFetch ?? (options.toolAnswer ? answerTools : noNetwork),
        values,
        clock: engine.clock,
      }),
      clock: engine.clock,
      log: createLogger('test', 'silent'),
    });
  const tools = toolsOf(agent);
  const { knowledge, searched } = createFakeKnowledge(clock, engine.clock, options.knowledge);
  const transfers = createFakeTransfers(clock, options.transfer);
  const handoffs = createFakeHandoffs(clock, options.handoff, (next) => ({
    ...{ agent: next, tools: toolsOf(next), model: modelOfConversation(), knowledge },
    pronunciation: createPronunciation(next.voice.pronunciations),
    fillerAfterMs: next.call.filler_after_ms,
    nextFiller: createFillers(next.call.filler_phrases),
    temperature: next.llm.temperature,
    maxTokens: next.llm.max_tokens,
  }));
  const conversation = new Conversation({
    ...(transfers.client ? { transferClient: transfers.client } : {}),
    ...(handoffs.client ? { handoffClient: handoffs.client } : {}),
    agent,
    values,
    pronunciation: createPronunciation(agent.voice.pronunciations),
    fillerAfterMs: agent.call.filler_after_ms,
    nextFiller: createFillers(agent.call.filler_phrases),
    turns: {
      decidesTurns,
      endpointingMs: options.endpointingMs ?? 300,
      ...(options.turnDetection === undefined ? {} : { turnDetection: options.turnDetection }),
      finalizationMs: options.finalisationMs ?? 400,
      usesTurnDetector: options.turnModel !== undefined,
    },
    turnDetector: {
      push() {},
      predict: (_sinceMs, answer) => {
        const { afterMs, probability } = options.turnModel!;
        clock.after(afterMs, () => answer(probability));
      },
      close() {},
    },
    clock: engine.clock,
    scope: createCallScope({
      callId: 'test',
      clock: engine.clock,
      log: createLogger('test', 'silent'),
      onFailed: () => ends.push({ hangup_by: 'service', hangup_reason: 'error: media' }),
    }),
    playout,
    reporter,
    usage,
    transcriber,
    outbound: true,
    onRecordingNoticePlayed: () => recordingBegins.push(clock.now()),
    model: modelOfConversation(),
    synthesizer: () => realtime?.session.synthesizer ?? synthesizer,
    newConverter: () => createConverter(MULAW_8K, MULAW_8K),
    temperature: 0.4,
    maxTokens: 300,
    language: options.language ?? 'en',
    tools,
    knowledge,
    end: endCall,
  });

  const orderResults: string[] = [];
  const callerMutes: boolean[] = [];
  const mutes = createMutes({
    agent: conversation.control,
    callerAudio: { setMuted: (muted) => void callerMutes.push(muted) },
    participants: { hasTakenOver: () => false },
    reporter,
    clock: engine.clock,
  });
  const carryOut = createLiveControl({
    agent: conversation.control,
    mutes,
    participants: { expect: () => ({ done: true, detail: '' }), handBack: () => false },
    leg,
    values,
    reporter,
  });

  function modelOfConversation(): LanguageModel {
    const limit = options.contextTokens === undefined ? {} : { contextTokens: options.contextTokens };
    if (!realtime) return { ...model, ...limit };
    const stream: LanguageModel['stream'] = (request, signal) =>
      (request.reply_id === undefined ? model : realtime.session.model).stream(request, signal);
    return { ...model, ...limit, stream };
  }

  function endCall(end: CallEnd): void {
    ends.push(end);
    if (closesAtEnd) close();
  }

  /** Closes the conversation, its tools, then the leg, as `Call` does. */
  function close(): TranscriptItem[] {
    mutes.close();
    const lines = conversation.close();
    closing.push(...lines);
    tools.closeAll();
    void realtime?.opened.close();
    leg.hangUp();
    return lines;
  }

  /** While one lasts nothing of the caller comes in; then all of it. */
  const stalls: { startMs: number; endMs: number }[] = [];
  const stallNow = () => stalls.find(({ startMs, endMs }) => clock.now() >= startMs && clock.now() < endMs);

  // Feeds VAD windows of the caller's speech, and ticks every 20 ms.
  const speech: { startMs: number; endMs: number }[] = [];
  const onTick: (() => void)[] = [];
  let nextWindowMs = WINDOW_MS;
  let stopped = false;
  (function tick() {
    clock.after(20, () => {
      if (stopped) return;
      const nowMs = clock.now();
      while (nextWindowMs <= nowMs && !stallNow() && !options.ownWindows) {
        const middle = nextWindowMs - WINDOW_MS / 2;
        const voiced = speech.some((stretch) => middle >= stretch.startMs && middle < stretch.endMs);
        conversation.onVadWindow(voiced ? 0.95 : 0.02, nextWindowMs + (options.windowsAheadMs ?? 0));
        nextWindowMs += WINDOW_MS;
      }
      carrier.tick();
      playout.tick(nowMs);
      conversation.tick();
      for (const run of onTick) run();
      tick();
    });
  })();

  let turn = 0;
  const harness = {
    clock,
    decidesTurns,
    emitted: emitted,
    ends,
    /** When a recording with a notice began. */
    recordingBegins,
    closing,
    requests,
    generated,
    running,
    toolRuns,
    searched,
    usage,
    /** Requests to control. */
    transfers: transfers.requests,
    handoffs: handoffs.requests,
    callbackRequests: callbackRequests.requests,
    /** What became of each order: empty, how it was done, or why not. */
    orderResults,
    /** A person orders this; the same `id` again is the same order. */
    order(order: LiveOrder, id = `o${orderResults.length}`): void {
      const request = { call_id: 'c', order_id: id, by: 'user', by_id: 'u1', order_json: JSON.stringify(order) };
      const { done, detail } = carryOut(request);
      orderResults.push(done ? detail : `refused: ${detail}`);
    },
    callerMutes,
    /** The carrier ends the stream, handled as in `Call`. */
    async streamEnds(): Promise<void> {
      const left = await (conversation.transfers.onLegEnded() ?? false);
      endCall(
        left
          ? { hangup_by: 'agent', hangup_reason: 'transferred' }
          : { hangup_by: 'caller', hangup_reason: 'caller hung up' },
      );
    },
    carrier: carrier.state,
    played: carrier.played,
    sent: carrier.sent,
    playedFrames: carrier.state.frames,
    spoken,
    contexts,
    finalizes,
    conversation,
    playout,
    speech,
    /** Adds a listener of harness events. */
    listen: (listener: (notify: HarnessEvent) => void) => void listeners.push(listener),
    /** Adds a function to run after every tick. */
    everyTick: (run: () => void) => void onTick.push(run),
    /** Pending timers of the engine, without those of the harness. */
    engineTimers: () => engine.pending(),
    close,
    /** Stops the media clock, as at the end of a call. */
    stop: () => {
      stopped = true;
    },
    /** The transcriber emits this now, or after the stall that lasts. */
    transcriberSays(event: Exclude<TranscriberEvent, { type: 'failed' }>): void {
      const stall = stallNow();
      if (stall) clock.after(stall.endMs - clock.now(), () => harness.transcriberSays(event));
      else conversation.onTranscriberEvent(event);
    },
    /** The network delivers nothing of the caller for `durationMs`, and then everything at once. */
    stall: (durationMs: number) => void stalls.push({ startMs: clock.now(), endMs: clock.now() + durationMs }),
    /** Adds speech of the caller. */
    speak(durationMs: number, inMs = 0): void {
      speech.push({ startMs: clock.now() + inMs, endMs: clock.now() + inMs + durationMs });
    },
    /**
     * The caller says this from now on for `durationMs`. A transcriber with turn detection reports the start after 120 ms and the
     * end 200 ms after the speech, with interim results in between.
     */
    say(text: string, durationMs: number): void {
      this.speak(durationMs);
      const words = text.split(' ');
      const number = turn++;
      if (decidesTurns) {
        clock.after(120, () =>
          conversation.onTranscriberEvent({ type: 'turn_started', turn: number, text: words[0]! }),
        );
        clock.after(durationMs * 0.7, () =>
          conversation.onTranscriberEvent({
            type: 'partial',
            turn: number,
            text: words.slice(0, Math.ceil(words.length * 0.7)).join(' '),
          }),
        );
        clock.after(durationMs + 200, () =>
          conversation.onTranscriberEvent({ type: 'turn_ended', turn: number, text }),
        );
      } else {
        clock.after(durationMs + 500, () => conversation.onTranscriberEvent({ type: 'final', turn: number, text }));
      }
    },
    types: () => emitted.map((event) => event.type),
    transcript: () =>
      emitted
        .flatMap((event) => event.transcript ?? [])
        .concat(closing)
        .map((line) => `${line.role}: ${line.text}${line.interrupted ? ' —' : ''}`),
  };
  return harness;
}

export type Harness = ReturnType<typeof createHarness>;

const noNetwork: SafeFetch = async () => Promise.reject(new Error('no network in the harness'));

/** Wraps the clock and counts the pending timers of its owner. */
function countingClock(clock: VirtualClock): { clock: Clock; pending(): number } {
  const waiting = new Set<Timer>();
  return {
    pending: () => waiting.size,
    clock: {
      now: clock.now,
      wall: clock.wall,
      after(delayMs, run) {
        const timer = clock.after(delayMs, () => {
          waiting.delete(handle);
          run();
        });
        const handle: Timer = {
          cancel() {
            waiting.delete(handle);
            timer.cancel();
          },
        };
        waiting.add(handle);
        return handle;
      },
    },
  };
}
