import { createConverter } from '../../media/audio/converter.ts';
import { MULAW_8K } from '../../media/audio/format.ts';
import { Conversation } from '../../media/call/conversation.ts';
import type { Tape } from '../../media/call/tape.ts';
import { type Background, Playout, type PlayoutListener } from '../../media/playout/playout.ts';
import { createToolRunner } from '../../media/reply/tools.ts';
import type { Details } from '../../media/report/reporter.ts';
import type { Transcriber, TranscriberEvent } from '../../media/stt/transcriber.ts';
import { WINDOW_MS } from '../../media/turn/speech.ts';
import { agentConfigSchema } from '../../shared/agent.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { Clock, Timer } from '../../shared/clock.ts';
import type { EventType } from '../../shared/events.ts';
import type { ChatRequest } from '../../shared/llm/language-model.ts';
import { createLogger } from '../../shared/log.ts';
import { type SafeFetch, SafeFetchError } from '../../shared/safe-fetch.ts';
import type { TranscriptItem } from '../../shared/transcript.ts';
import { noUsage } from '../../shared/usage.ts';
import { type CallBackManner, createStageCallBacks } from './stage-call-back.ts';
import { type CarrierManner, createCarrier } from './stage-carrier.ts';
import { createStageKnowledge, type StageKnowledge } from './stage-knowledge.ts';
import { createStageModel, type ModelAnswer } from './stage-model.ts';
import { createStageTransfers, type TransferManner } from './stage-transfer.ts';
import { createStageVoice, type VoiceManner } from './stage-voice.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

/**
 * A conversation on the virtual clock with scripted ears, mouth and mind, and a carrier that plays what it is sent in
 * real (virtual) time. The playout and all policy are the real ones.
 */

export interface StageOptions {
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
  knowledge?: StageKnowledge;
  decidesTurns?: boolean;
  endpointingMs?: number;
  finalisationMs?: number;
  /** How control takes the wish to hand the caller over; without it there is nobody to ask. */
  transfer?: TransferManner;
  /** How control takes the wish for a call back; left out: the agent books none. */
  callBack?: CallBackManner;
  /** What the audio model of the end of turn answers, and how late; without it there is none. */
  turnModel?: { afterMs: number; probability: number };
  /** What the model answers, by what it is asked; tokens are words. */
  answer?(request: ChatRequest): string | ModelAnswer;
  firstTokenMs?: number;
  firstAudioMs?: number;
  /** Milliseconds of audio per character. */
  msPerCharacter?: number;
  /** How the n-th voice context goes. */
  voices?: readonly VoiceManner[];
  /** How every other one does. */
  usualVoice?: VoiceManner;
  carrier?: CarrierManner;
  /** Sound under and between the speeches; the stage's own can be read as long as it is all above zero. */
  background?: Background;
  /** Records what the agent says. */
  tape?: Pick<Tape, 'agent' | 'dropAgent'>;
  /** The windows of voice activity say they end so much later than they do. */
  windowsAheadMs?: number;
  /** The conversation is closed when it says that the call is over, as the call does. */
  closesAtEnd?: boolean;
}

export interface Told extends Details {
  type: EventType;
  message: string;
  atMs: number;
}

/** What a scenario can hang a moment on: an event of the timeline, a question to the model, a clear at the carrier. */
export type StageNews = EventType | 'asked' | 'cleared';

export function createStage(options: StageOptions = {}) {
  const { decidesTurns = true, firstTokenMs = 250, closesAtEnd = false } = options;
  const clock = createVirtualClock();
  const engine = owned(clock);
  const told: Told[] = [];
  const ends: CallEnd[] = [];
  const closing: TranscriptItem[] = [];
  const usage = noUsage();
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
  const listeners: ((news: StageNews) => void)[] = [];
  const news = (what: StageNews) => {
    for (const listener of listeners) listener(what);
  };

  const carrier = createCarrier(clock, options.carrier ?? {}, {
    mark: (name) => playout.marked(name),
    cleared: () => news('cleared'),
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

  const usualVoice: VoiceManner = {
    ...(options.firstAudioMs === undefined ? {} : { firstAudioMs: options.firstAudioMs }),
    ...(options.msPerCharacter === undefined ? {} : { msPerCharacter: options.msPerCharacter }),
    ...options.usualVoice,
  };
  const { voice, spoken, contexts } = createStageVoice(clock, options.voices ?? [], usualVoice, (event) =>
    conversation.voiceEvent(event),
  );

  const { model, requests, generated, running } = createStageModel(
    clock,
    firstTokenMs,
    (request) => {
      const answer = options.answer?.(request) ?? 'Yes of course.';
      return typeof answer === 'string' ? { text: answer } : answer;
    },
    () => news('asked'),
  );

  const playoutListener: PlayoutListener = {
    started: (id, atMs) => conversation.playoutStarted(id, atMs),
    finished: (id) => conversation.playoutFinished(id),
    sent: (frame, hearMs, afterGap) => options.tape?.agent(frame, hearMs, afterGap),
    dropped: (fromMs) => options.tape?.dropAgent(fromMs),
  };
  const playout = new Playout(leg, engine.clock, playoutListener, options.background ?? null);
  const callBacks = createStageCallBacks(clock, options.callBack);
  const tools = createToolRunner({
    bookCallBack: callBacks.book,
    agent,
    values: options.values ?? {},
    safeFetch: options.safeFetch ?? (options.toolAnswer ? answerTools : noNetwork),
    clock: engine.clock,
    log: createLogger('stage', 'silent'),
  });
  const { knowledge, searched } = createStageKnowledge(clock, engine.clock, options.knowledge);
  const transfers = createStageTransfers(clock, options.transfer);
  const conversation = new Conversation({
    ...(transfers.line ? { transferLine: transfers.line } : {}),
    agent,
    values: options.values ?? {},
    turns: {
      decidesTurns,
      endpointingMs: options.endpointingMs ?? 300,
      finalisationMs: options.finalisationMs ?? 400,
      asksModel: options.turnModel !== undefined,
    },
    turnEar: {
      push() {},
      ask: (_sinceMs, answer) => {
        const { afterMs, probability } = options.turnModel!;
        clock.after(afterMs, () => answer(probability));
      },
      close() {},
    },
    clock: engine.clock,
    playout,
    reporter: {
      tell: (type, message, more = {}) => {
        told.push({ type, message, atMs: clock.now(), ...more });
        news(type);
      },
      flushed: async () => {},
    },
    usage,
    transcriber,
    outbound: true,
    model,
    voice: () => voice,
    newConverter: () => createConverter(MULAW_8K, MULAW_8K),
    temperature: 0.4,
    maxTokens: 300,
    language: 'en',
    replaceVoice() {},
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
  const onBeat: (() => void)[] = [];
  let nextWindowMs = WINDOW_MS;
  let stopped = false;
  (function beat() {
    clock.after(20, () => {
      if (stopped) return;
      const nowMs = clock.now();
      while (nextWindowMs <= nowMs) {
        const middle = nextWindowMs - WINDOW_MS / 2;
        const voiced = speech.some((stretch) => middle >= stretch.startMs && middle < stretch.endMs);
        conversation.heardWindow(voiced ? 0.95 : 0.02, nextWindowMs + (options.windowsAheadMs ?? 0));
        nextWindowMs += WINDOW_MS;
      }
      carrier.beat();
      playout.tick(nowMs);
      conversation.tick();
      for (const look of onBeat) look();
      beat();
    });
  })();

  let turn = 0;
  return {
    clock,
    decidesTurns,
    told,
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
    callBacks: callBacks.wishes,
    /** The carrier ends the stream, as the call hears of it. */
    async lineEnds(): Promise<void> {
      const left = await (conversation.transfers.lineEnded() ?? false);
      endCall(
        left
          ? { hangup_by: 'agent', hangup_reason: 'transferred' }
          : { hangup_by: 'caller', hangup_reason: 'caller hung up' },
      );
    },
    carrier: carrier.state,
    heard: carrier.heard,
    sent: carrier.sent,
    heardFrames: carrier.state.frames,
    spoken,
    contexts,
    finalizes,
    conversation,
    playout,
    speech,
    /** Called at every piece of news, right when it happens. */
    listen: (listener: (news: StageNews) => void) => void listeners.push(listener),
    /** Called after every 20 ms beat. */
    everyBeat: (look: () => void) => void onBeat.push(look),
    /** Timers of the engine that have not run yet; those of the stage do not count. */
    engineTimers: () => engine.pending(),
    close,
    /** The metronome stops, as it does when a call has left. */
    stop: () => {
      stopped = true;
    },
    transcriberSays: (event: Exclude<TranscriberEvent, { type: 'failed' }>) => conversation.transcriberEvent(event),
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
        clock.after(120, () => conversation.transcriberEvent({ type: 'turn_started', turn: number, text: words[0]! }));
        clock.after(durationMs * 0.7, () =>
          conversation.transcriberEvent({
            type: 'partial',
            turn: number,
            text: words.slice(0, Math.ceil(words.length * 0.7)).join(' '),
          }),
        );
        clock.after(durationMs + 200, () => conversation.transcriberEvent({ type: 'turn_ended', turn: number, text }));
      } else {
        clock.after(durationMs + 500, () => conversation.transcriberEvent({ type: 'final', turn: number, text }));
      }
    },
    types: () => told.map((event) => event.type),
    transcript: () =>
      told
        .flatMap((event) => event.transcript ?? [])
        .concat(closing)
        .map((line) => `${line.role}: ${line.text}${line.interrupted ? ' —' : ''}`),
  };
}

export type Stage = ReturnType<typeof createStage>;

const noNetwork: SafeFetch = async () => Promise.reject(new Error('no network on this stage'));

/** The same clock for one owner, whose waiting timers are counted. */
function owned(clock: VirtualClock): { clock: Clock; pending(): number } {
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
