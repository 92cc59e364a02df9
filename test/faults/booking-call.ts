import { Call } from '../../media/call/call.ts';
import type { ProviderFactory } from '../../media/call/provider-factory.ts';
import { createReporter } from '../../media/report/reporter.ts';
import { agentConfigSchema, END_CALL_TOOL } from '../../shared/agent.ts';
import type { Bus } from '../../shared/bus/bus.ts';
import type { CallEvent, StartTransferRequest, TransferOutcome } from '../../shared/bus/messages.ts';
import type { CallEnd } from '../../shared/call.ts';
import { pause } from '../../shared/clock.ts';
import type { ChatRequest } from '../../shared/llm/language-model.ts';
import { SafeFetchError } from '../../shared/safe-fetch.ts';
import { TRANSFER_TOOL } from '../../shared/transfer.ts';
import type { ModelAnswer } from '../support/fake-model.ts';
import { unlimitedPermits } from '../support/memory-permits.ts';
import type { FailingEngine } from './engine.ts';
import { ask, type Failure } from './failure.ts';
import { createLine } from './line.ts';
import { createFailingModel, createFailingSynthesizer, createFailingTranscriber, type Open } from './providers.ts';
import { SILENT_FRAME, UTTERANCE_MS, UTTERANCES, voiceFrame } from './speech.ts';

/** What a call passes through. */
export const PHASES = ['welcome', 'listening', 'thinking', 'speaking', 'tool', 'transfer', 'goodbye'] as const;
export type Phase = (typeof PHASES)[number];

/** After the agent has finished, the caller speaks; without an answer, they say it again, and at last hang up. */
const PAUSE_MS = 1_200;
const PATIENCE_MS = 12_000;
const PATIENCE_ON_HOLD_MS = 200_000;
const MAX_REPETITIONS = 3;
const NOBODY_ANSWERS_AFTER_MS = 2_000;

export interface BookingCall {
  /** How the call ended, and when; null while it lasts. */
  end(): { end: CallEnd; atMs: number } | null;
  /** The caller gave up: nobody had answered them. */
  gaveUp(): boolean;
  /** How often the caller had to say something again. */
  repetitions(): number;
  /** Events as stored, in order. */
  readonly events: CallEvent[];
  readonly line: ReturnType<typeof createLine>;
  /** Parts that are open. */
  readonly open: Open & { subscriptions: number; fetches: number };
  readonly over: Promise<void>;
}

const AGENT = {
  name: 'Bookings',
  system_prompt: 'You take bookings.',
  welcome_message: 'Welcome, what can I do for you?',
  transcriber: { provider: 'deepgram', language: 'en' },
  voice: { provider: 'cartesia', language: 'en' },
  tools: [
    {
      name: 'find_table',
      description: 'Finds a table.',
      url: 'https://api.example.com/t',
      pre_call_message: 'One moment.',
      timeout_seconds: 5,
    },
  ],
  call: {
    record: true,
    noise_cancellation: true,
    transfer_enabled: true,
    transfer_targets: [{ name: 'Reception', number: '+14155550100', description: 'people' }],
    transfer_message: 'I am connecting you.',
    transfer_summary: true,
    hangup_after_silence_seconds: 60,
  },
};

export interface BookingCallOptions {
  id: string;
  /** Null where all parts work. */
  failure?: Failure | null;
  /** The agent has other providers to fall back to, which work. */
  hasFallbacks?: boolean;
  /** The call has reached this phase. */
  onPhase?(phase: Phase): void;
}

/** A call in which a table is looked up, a transfer finds nobody, and the agent says goodbye. */
export function startBookingCall(
  engine: FailingEngine,
  { id, failure = null, hasFallbacks = false, onPhase: reach = () => {} }: BookingCallOptions,
): BookingCall {
  const { clock, log } = engine;
  const open = { transcribers: 0, synthesizers: 0, models: 0, subscriptions: 0, fetches: 0 };
  const line = createLine(clock, failure);
  const events: CallEvent[] = [];
  let ended: { end: CallEnd; atMs: number } | null = null;
  let onHold = false;
  let onOutcome: (outcome: TransferOutcome) => unknown = () => {};
  let modelRequests = 0;

  const subscribe = () => {
    open.subscriptions++;
    return { stop: () => void open.subscriptions-- };
  };
  const bus: Partial<Bus> = {
    publishEvent: (event) => ask(failure, 'events', clock, async () => void events.push(event), 5_000),
    serveCommands: subscribe,
    serveRecordingOrders: subscribe,
    serveLiveOrders: subscribe,
    serveTransferOutcomes(_call, handle) {
      onOutcome = handle;
      return subscribe();
    },
    searchKnowledge: (_request, timeoutMs) =>
      ask(
        failure,
        'knowledge',
        clock,
        async () => ({ error: '', passages: [], hits: 0, embed_ms: 0, search_ms: 1 }),
        timeoutMs,
      ),
    startTransfer: (request, timeoutMs) => ask(failure, 'control', clock, async () => transfer(request), timeoutMs),
  };

  function transfer({ transfer_id }: StartTransferRequest) {
    clock.after(NOBODY_ANSWERS_AFTER_MS, () => {
      const outcome: TransferOutcome = { call_id: id, transfer_id, status: 'no-answer', dial_status: 'no-answer' };
      void ask(failure, 'control', clock, async () => onOutcome(outcome)).catch(() => {});
    });
    return { accepted: true, message: '' };
  }

  function answer({ messages }: ChatRequest): ModelAnswer {
    const last = messages.at(-1)!;
    const asked = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    if (last.role === 'tool') {
      onHold = false;
      return {
        text: last.name === TRANSFER_TOOL ? 'Nobody is there. What else?' : 'There is a table at seven. What else?',
      };
    }
    if (asked.includes('table')) return { tool: 'find_table' };
    if (asked.includes('person')) {
      onHold = true;
      reach('transfer');
      return { tool: TRANSFER_TOOL, toolArguments: JSON.stringify({ target: 'Reception', reason: 'asked for it' }) };
    }
    if (asked.includes('goodbye')) return { text: 'Thank you for calling, goodbye.', tool: 'end_call' };
    return { text: 'Pardon?' };
  }

  const onRequest = () => {
    if (++modelRequests === 1) reach('thinking');
  };
  /** The first of each kind is the one that fails. */
  const failureOf = (provider: string, own: string) => (provider === own ? failure : null);
  const factory: Partial<ProviderFactory> = {
    transcriber: ({ transcriber }, _input, listener) =>
      createFailingTranscriber({ clock, failure: failureOf(transcriber.provider, 'deepgram'), open }, listener),
    synthesizer: ({ voice }, _output, listener) =>
      createFailingSynthesizer({ clock, failure: failureOf(voice.provider, 'cartesia'), open }, listener),
    model: ({ llm }) =>
      createFailingModel({ clock, failure: failureOf(llm.provider, 'openai'), open }, answer, onRequest),
    turnDetector: engine.turnDetector,
    denoiser: (_agent, rateHz, listener) => engine.denoising.open(50, rateHz, listener),
    ambientSound: () => null,
    safeFetch: async (_url, { signal, timeoutMs }) => {
      reach('tool');
      open.fetches++;
      const body = '{"free":true}';
      const found = async () => ({ status: 200, headers: {}, body, bytes: body.length, truncated: false });
      const aborted = new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => reject(new SafeFetchError('aborted')));
      });
      aborted.catch(() => {});
      try {
        await pause(clock, 500);
        return await Promise.race([ask(failure, 'tool', clock, found, timeoutMs), aborted]);
      } finally {
        open.fetches--;
      }
    },
    knowledgeDeadlineMs: 400,
  };

  const reporter = createReporter({ callId: id, engineId: 'e', bus: bus as Bus, clock, log });
  const fallbacks = {
    transcriber: { ...AGENT.transcriber, fallbacks: [{ provider: 'sarvam' }] },
    voice: { ...AGENT.voice, fallbacks: [{ provider: 'sarvam', voice_id: 'anushka' }] },
  };
  const agent = agentConfigSchema.parse({ ...AGENT, ...(hasFallbacks ? fallbacks : {}) });
  let toolFinished = false;
  const call = new Call({
    session: {
      ...{ call_id: id, workspace_id: 'b'.repeat(32), agent_id: 'a', direction: 'inbound', channel: 'phone' },
      ...{ from_number: '', to_number: '', agent_json: JSON.stringify(agent), user_data_json: '{}' },
      max_duration_seconds: 600,
      llm_fallbacks: hasFallbacks ? ['groq/test'] : [],
      knowledge: { text: '', search: true },
    },
    leg: line.leg,
    bus: bus as Bus,
    reporter: {
      report(type, message, details) {
        reporter.report(type, message, details);
        if (type === 'tool.result') toolFinished = true;
        if (type === 'tool.call' && details?.data?.name === END_CALL_TOOL) reach('goodbye');
        if (type === 'call.ended') ended = { end: details!.ending!, atMs: clock.now() };
      },
      flushed: () => reporter.flushed(),
    },
    providerFactory: factory as ProviderFactory,
    permits: unlimitedPermits(),
    ...{
      health: engine.health,
      vad: engine.vad,
      mediaClock: engine.mediaClock,
      recordings: engine.recordings,
      clock,
      log,
    },
  });
  call.start();

  const caller = { next: 0, speakingSinceMs: null as number | null, repetitions: 0, gaveUp: false, answered: true };
  let quietSinceMs = clock.now();
  let total = 0;

  function onCallerTick(): void {
    const nowMs = clock.now();
    if (ended || line.closed) return;
    if (line.agentAudible()) {
      quietSinceMs = nowMs;
      caller.answered = true;
      if (line.playedMs() >= 300) reach('welcome');
      if (toolFinished) reach('speaking');
    }
    const { speakingSinceMs } = caller;
    if (speakingSinceMs !== null && nowMs - speakingSinceMs >= UTTERANCE_MS) {
      caller.speakingSinceMs = null;
      quietSinceMs = nowMs;
      caller.answered = false;
    } else if (speakingSinceMs === null) decide(nowMs - quietSinceMs);
    const utterance = UTTERANCES[caller.next]!;
    const since = caller.speakingSinceMs;
    line.send(since === null ? SILENT_FRAME : voiceFrame(utterance.hz, nowMs - since));
    if (since !== null && nowMs - since === 300 && caller.next === 0) reach('listening');
    clock.after(20, onCallerTick);
  }

  function decide(quietMs: number): void {
    const begun = total > 0;
    const isLast = caller.next === UTTERANCES.length - 1;
    if (caller.answered && begun && isLast && quietMs >= PATIENCE_MS) {
      line.hangUp();
      return;
    }
    if (caller.answered && begun && isLast) return;
    if (quietMs < (caller.answered ? PAUSE_MS : onHold ? PATIENCE_ON_HOLD_MS : PATIENCE_MS)) return;
    if (begun && caller.answered) {
      caller.next++;
      caller.repetitions = 0;
    } else if (begun && ++caller.repetitions > MAX_REPETITIONS) {
      caller.gaveUp = true;
      line.hangUp();
      return;
    }
    caller.speakingSinceMs = clock.now();
    total++;
  }

  clock.after(20, onCallerTick);
  return {
    end: () => ended,
    gaveUp: () => caller.gaveUp,
    repetitions: () => Math.max(0, total - UTTERANCES.length),
    ...{ events, line, open, over: call.over },
  };
}
