import { join } from 'node:path';
import type { Bus } from '../../shared/bus/bus.ts';
import type {
  CapturedComponent,
  CapturedFailure,
  CapturedSynthesizerEvent,
  CaptureEntry,
  CaptureHeader,
} from '../../shared/capture.ts';
import { redactEventData, redactSecrets } from '../../shared/capture-redaction.ts';
import { type LanguageModel, LanguageModelError } from '../../shared/llm/language-model.ts';
import { errorText } from '../../shared/log.ts';
import { type SafeFetch, SafeFetchError } from '../../shared/safe-fetch.ts';
import { isDtx, packetMs } from '../audio/opus.ts';
import type { LegCapture } from '../leg/leg-capture.ts';
import type { ConcurrencyPermits } from '../provider/concurrency-permits.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { createCallCapture } from '../report/call-capture.ts';
import type { Transcriber } from '../stt/transcriber.ts';
import type { Synthesizer, SynthesizerEvent } from '../tts/synthesizer.ts';
import type { TurnDetector } from '../turn/turn-detector.ts';
import type { Vad } from '../turn/vad.ts';
import type { CallOptions } from './call.ts';
import type { ProviderFactory } from './provider-factory.ts';

/** An entry without its time. */
export type UntimedCaptureEntry = CaptureEntry extends infer Each
  ? Each extends { t: number }
    ? Omit<Each, 't'>
    : never
  : never;

/** A call whose inputs are captured. */
export interface CapturedCall {
  /** The options for the call, with everything it is given wrapped. */
  options: CallOptions;
  legCapture: LegCapture;
  /** To be called when the call is over. */
  close(): Promise<void>;
}

/** Starts writing `<call id>.capture.gz` in the folder. */
export function captureCall(options: CallOptions, folder: string): CapturedCall {
  const { clock, log, session, leg } = options;
  const header: CaptureHeader = {
    k: 'header',
    version: 3,
    call_id: session.call_id,
    wall_ms: clock.wall(),
    redacted: false,
    session: {
      direction: session.direction,
      channel: session.channel,
      ...redactSecrets(session),
      max_duration_seconds: session.max_duration_seconds,
      capped_by_credits: session.capped_by_credits ?? false,
      llm_fallbacks: session.llm_fallbacks,
      knowledge: session.knowledge ?? null,
    },
    leg: { carrier: leg.carrier, caller: leg.callerFormat, agent: leg.format },
  };
  const capture = createCallCapture({ path: join(folder, `${session.call_id}.capture.gz`), header, log });
  const startMs = clock.now();
  const at = (ms: number) => toMicroseconds(ms - startMs);
  const add = (entry: UntimedCaptureEntry, ms = clock.now()) => capture.add({ t: at(ms), ...entry } as CaptureEntry);
  const context: CaptureContext = {
    add,
    at,
    startTimer() {
      const startedMs = clock.now();
      return () => toMicroseconds(clock.now() - startedMs);
    },
  };
  return {
    legCapture: captureLeg(add),
    close: () => capture.close(),
    options: {
      ...options,
      bus: captureBus(options.bus, context),
      providerFactory: captureProviders(options.providerFactory, context),
      permits: capturePermits(options.permits, context),
      vad: captureVad(options.vad, context),
      health: {
        ...options.health,
        isHealthy(key) {
          const healthy = options.health.isHealthy(key);
          add({ k: 'health', key, healthy });
          return healthy;
        },
      },
      reporter: {
        ...options.reporter,
        report(type, message, more = {}) {
          const { level = 'info', latency_ms = null, data = {} } = more;
          add({ k: 'timeline_event', type, level, message, latency_ms, data: redactEventData(data) });
          options.reporter.report(type, message, more);
        },
      },
    },
  };
}

const toMicroseconds = (ms: number) => Math.round(ms * 1_000) / 1_000;

type AddEntry = (entry: UntimedCaptureEntry, ms?: number) => void;

interface CaptureContext {
  add: AddEntry;
  /** Milliseconds since the start of the call. */
  at(ms: number): number;
  /** The returned function gives the milliseconds since the timer was started. */
  startTimer(): () => number;
}

/** Captures what comes from a carrier or browser. */
export function captureLeg(add: AddEntry): LegCapture {
  const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
    Buffer.from(buffer, byteOffset, byteLength).toString('base64');
  return {
    message(message, nowMs) {
      switch (message.type) {
        case 'audio':
          return add({ k: 'audio', sequence: message.sequence, audio: base64(message.payload) }, nowMs);
        case 'mark':
          return add({ k: 'mark', name: message.name }, nowMs);
        case 'digit':
          return add({ k: 'digit', digit: message.digit }, nowMs);
        case 'hold':
          return add({ k: 'hold', held: message.full }, nowMs);
        case 'invalid':
          return add({ k: 'invalid', reason: message.reason }, nowMs);
        case 'cleared':
        case 'stop':
          return add({ k: message.type }, nowMs);
        case 'start':
        case 'ignored':
          return;
      }
    },
    closed: (code, broken, nowMs) => add({ k: 'closed', code, broken }, nowMs),
    writable: (writable) => add({ k: 'socket', writable }),
    nextStream: (nowMs) => add({ k: 'stream' }, nowMs),
    packet({ sequence, timestamp, payload }, nowMs) {
      const [ms, pause] = [packetMs(payload), isDtx(payload)];
      add({ k: 'packet', sequence, timestamp, ms, pause, audio: base64(payload) }, nowMs);
    },
    muted: (muted, nowMs) => add({ k: 'mute', muted }, nowMs),
    roundTrip: (round_trip_ms, nowMs) => add({ k: 'connection_report', round_trip_ms }, nowMs),
    finished: (cause, detail, nowMs) => add({ k: 'ended', cause, detail }, nowMs),
  };
}

function captureProviders(factory: ProviderFactory, context: CaptureContext): ProviderFactory {
  const { add, startTimer } = context;
  let transcribers = 0;
  let synthesizers = 0;
  let llmRequests = 0;
  const models = new Map<LanguageModel, LanguageModel>();
  return {
    ...factory,
    transcriber(agent, input, listener) {
      const n = transcribers++;
      const transcriber = factory.transcriber(agent, input, (event) => {
        const captured = event.type === 'failed' ? { type: event.type, failure: failureOf(event.error) } : { ...event };
        add({ k: 'transcriber_event', n, event: captured });
        listener(event);
      });
      const { provider, model, input: format, decidesTurns: decides_turns } = transcriber;
      add({ k: 'created', component: 'transcriber', n, provider, model, format, decides_turns });
      return withMethods(transcriber, { open: captureOpen(transcriber, 'transcriber', n, context) });
    },
    synthesizer(agent, output, listener) {
      const n = synthesizers++;
      const contexts = new Map<string, { c: number; elapsed: () => number }>();
      const synthesizer = factory.synthesizer(agent, output, (event) => {
        const known = event.type === 'failed' && event.contextId === null ? null : contexts.get(event.contextId!);
        if (known)
          add({ k: 'synthesizer_event', n, c: known.c, after: known.elapsed(), event: synthesizerEvent(event) });
        else if (event.type === 'failed') add({ k: 'synthesizer_failed', n, failure: failureOf(event.error) });
        listener(event);
      });
      const { provider, model, output: format } = synthesizer;
      add({ k: 'created', component: 'synthesizer', n, provider, model, format, decides_turns: false });
      return withMethods(synthesizer, {
        open: captureOpen(synthesizer, 'synthesizer', n, context),
        speak(contextId: string, text: string) {
          if (!contexts.has(contextId)) contexts.set(contextId, { c: contexts.size, elapsed: startTimer() });
          synthesizer.speak(contextId, text);
        },
      });
    },
    model(agent) {
      const model = factory.model(agent);
      const known = models.get(model);
      if (known) return known;
      const captured: LanguageModel = {
        provider: model.provider,
        model: model.model,
        warm: () => model.warm(),
        async *stream(request, signal) {
          const n = llmRequests++;
          const elapsed = startTimer();
          add({ k: 'llm_request', n });
          try {
            for await (const part of model.stream(request, signal)) {
              add({ k: 'llm_part', n, after: elapsed(), part: { ...part }, failure: null });
              yield part;
            }
          } catch (error) {
            add({ k: 'llm_part', n, after: elapsed(), part: null, failure: failureOf(error) });
            throw error;
          }
        },
      };
      models.set(model, captured);
      return captured;
    },
    safeFetch: captureFetch(factory.safeFetch, context),
    turnDetector: factory.turnDetector && captureTurnDetector(factory.turnDetector, context),
  };
}

/** The same object with these of its methods replaced; it may have state and methods of its own. */
function withMethods<Component extends Transcriber | Synthesizer>(
  component: Component,
  methods: Partial<Component>,
): Component {
  return new Proxy(component, {
    get(target, name) {
      const replaced = Reflect.get(methods, name) as unknown;
      if (replaced !== undefined) return replaced;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function captureOpen(
  opened: Transcriber | Synthesizer,
  component: CapturedComponent,
  n: number,
  { add, startTimer }: CaptureContext,
) {
  return async () => {
    const elapsed = startTimer();
    try {
      await opened.open();
      add({ k: 'opened', component, n, after: elapsed(), failure: null });
    } catch (error) {
      add({ k: 'opened', component, n, after: elapsed(), failure: failureOf(error) });
      throw error;
    }
  };
}

function captureFetch(fetch: SafeFetch, { add, startTimer }: CaptureContext): SafeFetch {
  let requests = 0;
  return async (url, request) => {
    const n = requests++;
    const elapsed = startTimer();
    try {
      const response = await fetch(url, request);
      const { 'content-type': type = '' } = response.headers;
      const captured = { ...response, headers: { 'content-type': type } };
      add({ k: 'tool_response', n, after: elapsed(), response: captured, failure: null });
      return response;
    } catch (error) {
      add({ k: 'tool_response', n, after: elapsed(), response: null, failure: failureOf(error) });
      throw error;
    }
  };
}

function captureTurnDetector(detector: TurnDetector, { add, startTimer }: CaptureContext): TurnDetector {
  let requests = 0;
  return {
    stats: detector.stats,
    close: () => detector.close(),
    open() {
      const stream = detector.open();
      return {
        push: (samples, atMs) => stream.push(samples, atMs),
        close: () => stream.close(),
        predict(turnStartMs, onResult) {
          const n = requests++;
          const elapsed = startTimer();
          stream.predict(turnStartMs, (p) => {
            add({ k: 'turn_prediction', n, after: elapsed(), p });
            onResult(p);
          });
        },
      };
    },
  };
}

/** Captures the replies to the call's requests, and the commands to it. */
function captureBus(bus: Bus, { add, startTimer }: CaptureContext): Bus {
  let requests = 0;
  const captureReply =
    <Request, Reply>(name: string, send: (request: Request, timeoutMs: number) => Promise<Reply>) =>
    async (request: Request, timeoutMs: number): Promise<Reply> => {
      const n = requests++;
      const elapsed = startTimer();
      try {
        const reply = await send(request, timeoutMs);
        add({ k: 'bus_reply', request: name, n, after: elapsed(), reply, failure: null });
        return reply;
      } catch (error) {
        add({ k: 'bus_reply', request: name, n, after: elapsed(), reply: null, failure: errorText(error) });
        throw error;
      }
    };
  return {
    ...bus,
    startTransfer: captureReply('transfer', bus.startTransfer),
    searchKnowledge: captureReply('knowledge', bus.searchKnowledge),
    bookCallback: captureReply('callback', bus.bookCallback),
    serveCommands: (callId, handle) =>
      bus.serveCommands(callId, (command) => {
        add({ k: 'command', command: { ...command } });
        return handle(command);
      }),
    serveTransferOutcomes: (callId, handle) =>
      bus.serveTransferOutcomes(callId, (outcome) => {
        add({ k: 'transfer_outcome', outcome: { ...outcome } });
        return handle(outcome);
      }),
  };
}

function capturePermits(permits: ConcurrencyPermits, { add, startTimer }: CaptureContext): ConcurrencyPermits {
  let requests = 0;
  return {
    tryAcquire(account) {
      const permit = permits.tryAcquire(account);
      add({ k: 'permit', account, n: requests++, after: 0, granted: permit !== null });
      return permit;
    },
    async acquire(account, waitMs) {
      const n = requests++;
      const elapsed = startTimer();
      const permit = await permits.acquire(account, waitMs);
      add({ k: 'permit', account, n, after: elapsed(), granted: permit !== null });
      return permit;
    },
    reportRefusal: (account) => permits.reportRefusal(account),
    inUse: (account) => permits.inUse(account),
    close: () => permits.close(),
  };
}

function captureVad(vad: Vad, { add, at }: CaptureContext): Vad {
  return {
    stats: vad.stats,
    close: () => vad.close(),
    open: (listener, rateHz) =>
      vad.open((p, endMs, periodicity) => {
        add({ k: 'vad', p: Math.round(p * 1e6) / 1e6, end: at(endMs), periodicity });
        listener(p, endMs, periodicity);
      }, rateHz),
  };
}

function synthesizerEvent(event: SynthesizerEvent): CapturedSynthesizerEvent {
  switch (event.type) {
    case 'audio':
      return { type: 'audio', bytes: event.bytes.length };
    case 'timing':
      return { type: 'timing', text: event.text, startMs: event.startMs };
    case 'done':
      return { type: 'done' };
    case 'failed':
      return { type: 'failed', failure: failureOf(event.error) };
  }
}

function failureOf(error: unknown): CapturedFailure {
  if (error instanceof ProviderError) {
    return { provider: error.provider, kind: error.kind, message: error.message };
  }
  if (error instanceof LanguageModelError) {
    const { kind, message, status, retryAfterMs } = error;
    return { provider: '', kind, message, status, retry_after_ms: retryAfterMs };
  }
  const kind = error instanceof SafeFetchError ? error.kind : '';
  return { provider: '', kind, message: errorText(error) };
}
