import { createConverter } from '../../media/audio/converter.ts';
import { MULAW_8K } from '../../media/audio/format.ts';
import { Conversation } from '../../media/call/conversation.ts';
import type { RecordingMixer } from '../../media/call/recording-mixer.ts';
import { type Background, Playout, type PlayoutListener } from '../../media/playout/playout.ts';
import { createToolRunner } from '../../media/reply/tools.ts';
import type { EventDetails } from '../../media/report/reporter.ts';
import type { Transcriber, TranscriberEvent } from '../../media/stt/transcriber.ts';
import { WINDOW_MS } from '../../media/turn/speech-state.ts';
import { agentConfigSchema } from '../../shared/agent.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { Clock, Timer } from '../../shared/clock.ts';
import type { EventType } from '../../shared/events.ts';
import type { ChatRequest } from '../../shared/llm/language-model.ts';
import { createLogger } from '../../shared/log.ts';
import { type SafeFetch, SafeFetchError } from '../../shared/safe-fetch.ts';
import type { TranscriptItem } from '../../shared/transcript.ts';
import { emptyUsage } from '../../shared/usage.ts';
import { type CallbackBehaviour, createFakeCallbacks } from './fake-callbacks.ts';
import { type CarrierBehaviour, createFakeCarrier } from './fake-carrier.ts';
import { createFakeKnowledge, type FakeKnowledgeOptions } from './fake-knowledge.ts';
import { createFakeModel, type ModelAnswer } from './fake-model.ts';
import { createFakeSynthesizer, type SynthesizerBehaviour } from './fake-synthesizer.ts';
import { createFakeTransfers, type TransferBehaviour } from './fake-transfers.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

/**
 * A conversation on the virtual clock with scripted ears, mouth and mind, and a carrier that plays what it is sent in
 * real (virtual) time. The playout and all policy are the real ones.
 */

export interface HarnessOptions {
  call?: Record<string, unknown>;
  welcome?: string;
  prompt?: string;
  /** The agent's HTTP tools, and what answers them. */
  tools?: Record<string, unknown>[];
  safeFetch?: SafeFetch;
  /** What answers them where there is no `safeFetch`: so late, with this status and body. */
  toolAnswer?: { afterMs: number; status?: number; body?: string };
  values?: Record<string, string | number | boolean>;
  /** What the agent knows, and how its searches go. */
  knowledge?: FakeKnowledgeOptions;
  decidesTurns?: boolean;
  endpointingMs?: number;
  finalisationMs?: number;
  /** How control takes the wish to hand the caller over; without it there is nobody to ask. */
  transfer?: TransferBehaviour;
  /** How control takes the wish for a call back; left out: the agent books none. */
  callback?: CallbackBehaviour;
  /** What the audio model of the end of turn answers, and how late; without it there is none. */
  turnModel?: { afterMs: number; probability: number };
  /** What the model answers, by what it is asked; tokens are words. */
  answer?(request: ChatRequest): string | ModelAnswer;
  firstTokenMs?: number;
  firstAudioMs?: number;
  /** Milliseconds of audio per character. */
  msPerCharacter?: number;
  /** How the n-th voice context goes. */
  synthesizers?: readonly SynthesizerBehaviour[];
  /** How every other one does. */
  defaultSynthesizer?: SynthesizerBehaviour;
  carrier?: CarrierBehaviour;
  /** Sound under and between the speeches; the stage's own can be read as long as it is all above zero. */
  background?: Background;
  /** Records what the agent says. */
  recordingMixer?: Pick<RecordingMixer, 'addAgent' | 'dropAgent'>;
  /** The windows of voice activity say they end so much later than they do. */
  windowsAheadMs?: number;
  /** The conversation is closed when it says that the call is over, as the call does. */
  closesAtEnd?: boolean;
}

export interface EmittedEvent extends EventDetails {
  type: EventType;
  message: string;
  atMs: number;
}

/** What a scenario can hang a moment on: an event of the timeline, a question to the model, a clear at the carrier. */
export type HarnessEvent = EventType | 'asked' | 'cleared';

export function createHarness(options: HarnessOptions = {}) {
  const { decidesTurns = true, firstTokenMs = 250, closesAtEnd = false } = options;
  const clock = createVirtualClock();
  const engine = countingClock(clock);
  const emitted: EmittedEvent[] = [];
  const ends: CallEnd[] = [];
  const closing: TranscriptItem[] = [];
  const usage = emptyUsage();
  const agent = agentConfigSchema.parse({
    name: 'Stage',
    system_prompt: options.prompt ?? 'You are on a stage.',
    welcome_message: options.welcome ?? '',
    call: options.call ?? {},
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
    cleared: () => notify('cleared'),
  });
  const { leg } = carrier;

  const finalizes: number[] = [];
  const transcriber: Transcriber = {
    provider: 'stage',
    model: 'stage',
    input: MULAW_8K,
    decidesTurns,
    open: async () => {},
    audio() {},
    finalize: () => void finalizes.push(clock.now()),
    close: async () => {},
  };

  const usualVoice: SynthesizerBehaviour = {
    ...(options.firstAudioMs === undefined ? {} : { firstAudioMs: options.firstAudioMs }),
    ...(options.msPerCharacter === undefined ? {} : { msPerCharacter: options.msPerCharacter }),
    ...options.defaultSynthesizer,
  };
  const { synthesizer: voice, spoken, contexts } = createFakeSynthesizer(clock, options.synthesizers ?? [], usualVoice, (event) =>
    conversation.onSynthesizerEvent(event),
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

  const playoutListener: PlayoutListener = {
    started: (id, atMs) => conversation.onPlayoutStarted(id, atMs),
    finished: (id) => conversation.onPlayoutFinished(id),
    sent: (frame, hearMs, afterGap) => options.recordingMixer?.addAgent(frame, hearMs, afterGap),
    dropped: (fromMs) => options.recordingMixer?.dropAgent(fromMs),
  };
  const playout = new Playout(leg, engine.clock, playoutListener, options.background ?? null);
  const callbackRequests = createFakeCallbacks(clock, options.callback);
  const tools = createToolRunner({
    bookCallback: callbackRequests.book,
    agent,
    values: options.values ?? {},
    safeFetch: options.safeFetch ?? (options.toolAnswer ? answerTools : noNetwork),
    clock: engine.clock,
    log: createLogger('stage', 'silent'),
  });
  const { knowledge, searched } = createFakeKnowledge(clock, engine.clock, options.knowledge);
  const transfers = createFakeTransfers(clock, options.transfer);
  const conversation = new Conversation({
    ...(transfers.client ? { transferClient: transfers.client } : {}),
    agent,
    values: options.values ?? {},
    turns: {
      decidesTurns,
      endpointingMs: options.endpointingMs ?? 300,
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
    playout,
    reporter: {
      report: (type, message, more = {}) => {
        emitted.push({ type, message, atMs: clock.now(), ...more });
        notify(type);
      },
      flushed: async () => {},
    },
    usage,
    transcriber,
    outbound: true,
    model,
    synthesizer: () => voice,
    newConverter: () => createConverter(MULAW_8K, MULAW_8K),
    temperature: 0.4,
    maxTokens: 300,
    language: 'en',
    replaceSynthesizer() {},
    tools,
    knowledge,
    end: endCall,
  });

  function endCall(end: CallEnd): void {
    ends.push(end);
    if (closesAtEnd) close();
  }

  /** As the call closes: the conversation, its tools, then the line. */
  function close(): TranscriptItem[] {
    const lines = conversation.close();
    closing.push(...lines);
    tools.closeAll();
    leg.hangUp();
    return lines;
  }

  // The caller's voice as windows of the voice-activity model, and the 20 ms beat.
  const speech: { startMs: number; endMs: number }[] = [];
  const onTick: (() => void)[] = [];
  let nextWindowMs = WINDOW_MS;
  let stopped = false;
  (function beat() {
    clock.after(20, () => {
      if (stopped) return;
      const nowMs = clock.now();
      while (nextWindowMs <= nowMs) {
        const middle = nextWindowMs - WINDOW_MS / 2;
        const voiced = speech.some((stretch) => middle >= stretch.startMs && middle < stretch.endMs);
        conversation.onVadWindow(voiced ? 0.95 : 0.02, nextWindowMs + (options.windowsAheadMs ?? 0));
        nextWindowMs += WINDOW_MS;
      }
      carrier.tick();
      playout.tick(nowMs);
      conversation.tick();
      for (const look of onTick) look();
      beat();
    });
  })();

  let turn = 0;
  return {
    clock,
    decidesTurns,
    emitted: emitted,
    ends,
    closing,
    requests,
    generated,
    running,
    toolRuns,
    searched,
    usage,
    /** What control was asked. */
    transfers: transfers.requests,
    callbackRequests: callbackRequests.requests,
    /** The carrier ends the stream, as the call hears of it. */
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
    /** Called at every piece of news, right when it happens. */
    listen: (listener: (notify: HarnessEvent) => void) => void listeners.push(listener),
    /** Called after every 20 ms beat. */
    everyTick: (look: () => void) => void onTick.push(look),
    /** Timers of the engine that have not run yet; those of the stage do not count. */
    engineTimers: () => engine.pending(),
    close,
    /** The metronome stops, as it does when a call has left. */
    stop: () => {
      stopped = true;
    },
    transcriberSays: (event: Exclude<TranscriberEvent, { type: 'failed' }>) => conversation.onTranscriberEvent(event),
    /** Lets the caller's voice sound from now for so long. */
    voice(durationMs: number, inMs = 0): void {
      speech.push({ startMs: clock.now() + inMs, endMs: clock.now() + inMs + durationMs });
    },
    /**
     * The caller says this within `durationMs`, from now: voice at once; a transcriber that decides turns tells the
     * start after 120 ms of it and the end 200 ms after it, with words growing in between.
     */
    say(text: string, durationMs: number): void {
      this.voice(durationMs);
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
}

export type Harness = ReturnType<typeof createHarness>;

const noNetwork: SafeFetch = async () => Promise.reject(new Error('no network on this stage'));

/** The same clock for one owner, whose waiting timers are counted. */
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
