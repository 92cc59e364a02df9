import { join } from 'node:path';
import type { Bus } from '../../shared/bus/bus.ts';
import type { CapturedFailure, CapturedSynthesizerEvent, CaptureEntry, CaptureHeader } from '../../shared/capture.ts';
import { redactEventData, redactSecrets } from '../../shared/capture-secrets.ts';
import type { Clock } from '../../shared/clock.ts';
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

/** An entry whose moment is known elsewhere. */
export type UntimedCaptureEntry = CaptureEntry extends infer Each
  ? Each extends { t: number }
    ? Omit<Each, 't'>
    : never
  : never;

/** A call with everything it is given from outside listened to. */
export interface CapturedCall {
  /** For the call itself, which knows nothing of the tape. */
  options: CallOptions;
  tap: LegCapture;
  /** After the call is over. */
  close(): Promise<void>;
}

/** Begins `<call id>.tape.gz` in the folder. */
export function captureCall(options: CallOptions, folder: string): CapturedCall {
  const { clock, log, session, leg } = options;
  const head: CaptureHeader = {
    k: 'tape',
    version: 2,
    call_id: session.call_id,
    wall_ms: clock.wall(),
    words: true,
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
  const tape = createCallCapture({ path: join(folder, `${session.call_id}.tape.gz`), header: head, log });
  const zeroMs = clock.now();
  const at = (ms: number) => Math.round((ms - zeroMs) * 1_000) / 1_000;
  const note = (entry: UntimedCaptureEntry, ms = clock.now()) => tape.add({ t: at(ms), ...entry } as CaptureEntry);
  const since = (ms: number) => Math.round((clock.now() - ms) * 1_000) / 1_000;
  return {
    tap: captureLeg(note),
    close: () => tape.close(),
    options: {
      ...options,
      bus: captureBus(options.bus, clock, note, since),
      providerFactory: captureProviders(options.providerFactory, clock, note, since),
      permits: capturePermits(options.permits, clock, note, since),
      vad: captureVad(options.vad, at, note),
      health: {
        ...options.health,
        isHealthy(key) {
          const well = options.health.isHealthy(key);
          note({ k: 'well', key, well });
          return well;
        },
      },
      reporter: {
        ...options.reporter,
        report(type, message, more = {}) {
          const { level = 'info', latency_ms = null, data = {} } = more;
          note({ k: 'told', type, level, message, latency_ms, data: redactEventData(data) });
          options.reporter.report(type, message, more);
        },
      },
    },
  };
}

type AddEntry = (entry: UntimedCaptureEntry, ms?: number) => void;
type ElapsedSince = (ms: number) => number;

/** What comes from the line, as entries of a tape. */
export function captureLeg(note: AddEntry): LegCapture {
  return {
    message(message, nowMs) {
      switch (message.type) {
        case 'audio': {
          const { buffer, byteOffset, byteLength } = message.payload;
          const sound = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
          return note({ k: 'sound', order: message.sequence, sound }, nowMs);
        }
        case 'mark':
          return note({ k: 'mark', name: message.name }, nowMs);
        case 'digit':
          return note({ k: 'digit', digit: message.digit }, nowMs);
        case 'hold':
          return note({ k: 'hold', held: message.full }, nowMs);
        case 'invalid':
          return note({ k: 'invalid', why: message.reason }, nowMs);
        case 'cleared':
        case 'stop':
          return note({ k: message.type }, nowMs);
        case 'start':
        case 'ignored':
          return;
      }
    },
    closed: (code, broken, nowMs) => note({ k: 'closed', code, broken }, nowMs),
    writable: (takes) => note({ k: 'socket', takes }),
    nextStream: (nowMs) => note({ k: 'stream' }, nowMs),
    packet({ sequence, timestamp, payload }, nowMs) {
      const sound = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('base64');
      const [ms, pause] = [packetMs(payload), isDtx(payload)];
      note({ k: 'packet', sequence, timestamp, ms, pause, sound }, nowMs);
    },
    muted: (muted, nowMs) => note({ k: 'mute', muted }, nowMs),
    roundTrip: (round_trip_ms, nowMs) => note({ k: 'reported', round_trip_ms }, nowMs),
    finished: (cause, detail, nowMs) => note({ k: 'ended', cause, detail }, nowMs),
  };
}

function captureProviders(
  equipment: ProviderFactory,
  clock: Clock,
  note: AddEntry,
  since: ElapsedSince,
): ProviderFactory {
  let transcribers = 0;
  let voices = 0;
  let questions = 0;
  const models = new Map<LanguageModel, LanguageModel>();
  return {
    ...equipment,
    transcriber(agent, line, listener) {
      const n = transcribers++;
      const made = equipment.transcriber(agent, line, (event) => {
        const told =
          event.type === 'failed' ? { type: event.type, failure: capturedFailure(event.error) } : { ...event };
        note({ k: 'heard', n, event: told });
        listener(event);
      });
      const { provider, model, input: sound, decidesTurns: decides_turns } = made;
      note({ k: 'made', part: 'transcriber', n, provider, model, sound, decides_turns });
      return withMethods(made, { open: captureOpen(made, 'transcriber', n, clock, note, since) });
    },
    synthesizer(agent, line, listener) {
      const n = voices++;
      const contexts = new Map<string, { c: number; sinceMs: number }>();
      const made = equipment.synthesizer(agent, line, (event) => {
        const context = event.type === 'failed' && event.contextId === null ? null : contexts.get(event.contextId!);
        if (context)
          note({ k: 'spoken', n, c: context.c, after: since(context.sinceMs), event: synthesizedEvent(event) });
        else if (event.type === 'failed') note({ k: 'speechless', n, failure: capturedFailure(event.error) });
        listener(event);
      });
      const { provider, model, output: sound } = made;
      note({ k: 'made', part: 'speech', n, provider, model, sound, decides_turns: false });
      return withMethods(made, {
        open: captureOpen(made, 'speech', n, clock, note, since),
        speak(contextId: string, text: string) {
          if (!contexts.has(contextId)) contexts.set(contextId, { c: contexts.size, sinceMs: clock.now() });
          made.speak(contextId, text);
        },
      });
    },
    model(agent) {
      const made = equipment.model(agent);
      const known = models.get(made);
      if (known) return known;
      const taped: LanguageModel = {
        ...modelIdentity(made),
        async *stream(request, signal) {
          const n = questions++;
          const askedMs = clock.now();
          note({ k: 'asked', n });
          try {
            for await (const part of made.stream(request, signal)) {
              note({ k: 'thought', n, after: since(askedMs), part: { ...part }, failure: null });
              yield part;
            }
          } catch (error) {
            note({ k: 'thought', n, after: since(askedMs), part: null, failure: capturedFailure(error) });
            throw error;
          }
        },
      };
      models.set(made, taped);
      return taped;
    },
    safeFetch: captureFetch(equipment.safeFetch, clock, note, since),
    turnDetector: equipment.turnDetector && captureTurnDetector(equipment.turnDetector, clock, note, since),
  };
}

/** The same part, but for these of its methods: a part may have state and methods of its own. */
function withMethods<Part extends Transcriber | Synthesizer>(made: Part, methods: Partial<Part>): Part {
  return new Proxy(made, {
    get(target, name) {
      const own = Reflect.get(methods, name) as unknown;
      if (own !== undefined) return own;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function captureOpen(
  made: Transcriber | Synthesizer,
  part: 'transcriber' | 'speech',
  n: number,
  clock: Clock,
  note: AddEntry,
  since: ElapsedSince,
) {
  return async () => {
    const askedMs = clock.now();
    try {
      await made.open();
      note({ k: 'opened', part, n, after: since(askedMs), failure: null });
    } catch (error) {
      note({ k: 'opened', part, n, after: since(askedMs), failure: capturedFailure(error) });
      throw error;
    }
  };
}

const modelIdentity = (made: LanguageModel) => ({
  provider: made.provider,
  model: made.model,
  warm: () => made.warm(),
});

function captureFetch(fetch: SafeFetch, clock: Clock, note: AddEntry, since: ElapsedSince): SafeFetch {
  let fetches = 0;
  return async (url, request) => {
    const n = fetches++;
    const askedMs = clock.now();
    try {
      const answer = await fetch(url, request);
      const { 'content-type': type = '' } = answer.headers;
      const kept = { ...answer, headers: { 'content-type': type } };
      note({ k: 'fetched', n, after: since(askedMs), answer: kept, failure: null });
      return answer;
    } catch (error) {
      note({ k: 'fetched', n, after: since(askedMs), answer: null, failure: capturedFailure(error) });
      throw error;
    }
  };
}

function captureTurnDetector(model: TurnDetector, clock: Clock, note: AddEntry, since: ElapsedSince): TurnDetector {
  let questions = 0;
  return {
    stats: model.stats,
    close: () => model.close(),
    open() {
      const ear = model.open();
      return {
        push: (samples, atMs) => ear.push(samples, atMs),
        close: () => ear.close(),
        predict(sinceMs, answer) {
          const n = questions++;
          const askedMs = clock.now();
          ear.predict(sinceMs, (p) => {
            note({ k: 'turn', n, after: since(askedMs), p });
            answer(p);
          });
        },
      };
    },
  };
}

/** Questions to control that a call may ask, and what is told to it. */
function captureBus(bus: Bus, clock: Clock, note: AddEntry, since: ElapsedSince): Bus {
  let asked = 0;
  const question =
    <Request, Reply>(name: string, ask: (request: Request, withinMs: number) => Promise<Reply>) =>
    async (request: Request, withinMs: number): Promise<Reply> => {
      const n = asked++;
      const askedMs = clock.now();
      try {
        const answer = await ask(request, withinMs);
        note({ k: 'answered', question: name, n, after: since(askedMs), answer, failure: null });
        return answer;
      } catch (error) {
        const failure = errorText(error);
        note({ k: 'answered', question: name, n, after: since(askedMs), answer: null, failure });
        throw error;
      }
    };
  return {
    ...bus,
    startTransfer: question('transfer', bus.startTransfer),
    searchKnowledge: question('knowledge', bus.searchKnowledge),
    bookCallBack: question('call_back', bus.bookCallBack),
    serveCommands: (callId, answer) =>
      bus.serveCommands(callId, (order) => {
        note({ k: 'ordered', order: { ...order } });
        return answer(order);
      }),
    serveTransferOutcomes: (callId, answer) =>
      bus.serveTransferOutcomes(callId, (outcome) => {
        note({ k: 'outcome', outcome: { ...outcome } });
        return answer(outcome);
      }),
  };
}

function capturePermits(
  places: ConcurrencyPermits,
  clock: Clock,
  note: AddEntry,
  since: ElapsedSince,
): ConcurrencyPermits {
  let taken = 0;
  return {
    tryAcquire(account) {
      const place = places.tryAcquire(account);
      note({ k: 'place', account, n: taken++, after: 0, got: place !== null });
      return place;
    },
    async acquire(account, waitMs) {
      const n = taken++;
      const askedMs = clock.now();
      const place = await places.acquire(account, waitMs);
      note({ k: 'place', account, n, after: since(askedMs), got: place !== null });
      return place;
    },
    reportRefusal: (account) => places.reportRefusal(account),
    inUse: (account) => places.inUse(account),
    close: () => places.close(),
  };
}

function captureVad(vad: Vad, at: (ms: number) => number, note: AddEntry): Vad {
  return {
    stats: vad.stats,
    close: () => vad.close(),
    open: (listener, rateHz) =>
      vad.open((p, endMs, periodicity) => {
        note({ k: 'voice', p: Math.round(p * 1e6) / 1e6, end: at(endMs), periodicity });
        listener(p, endMs, periodicity);
      }, rateHz),
  };
}

function synthesizedEvent(event: SynthesizerEvent): CapturedSynthesizerEvent {
  switch (event.type) {
    case 'audio':
      return { type: 'audio', bytes: event.bytes.length };
    case 'timing':
      return { type: 'timing', text: event.text, startMs: event.startMs };
    case 'done':
      return { type: 'done' };
    case 'failed':
      return { type: 'failed', failure: capturedFailure(event.error) };
  }
}

function capturedFailure(error: unknown): CapturedFailure {
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
