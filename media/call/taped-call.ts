import { join } from 'node:path';
import type { Bus } from '../../shared/bus/bus.ts';
import type { Clock } from '../../shared/clock.ts';
import { type LanguageModel, LanguageModelError } from '../../shared/llm/language-model.ts';
import { errorText } from '../../shared/log.ts';
import { type SafeFetch, SafeFetchError } from '../../shared/safe-fetch.ts';
import type { SpokenEvent, TapedFailure, TapeEntry, TapeHead } from '../../shared/tape.ts';
import { dataWithoutSecrets, withoutSecrets } from '../../shared/tape-secrets.ts';
import { isDtx, packetMs } from '../audio/opus.ts';
import type { LegTap } from '../leg/leg-tap.ts';
import type { Places } from '../provider/places.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { createCallTape } from '../report/tape.ts';
import type { Transcriber } from '../stt/transcriber.ts';
import type { Voice, VoiceEvent } from '../tts/voice.ts';
import type { TurnModel } from '../turn/turn-model.ts';
import type { Vad } from '../turn/vad.ts';
import type { CallOptions } from './call.ts';
import type { Equipment } from './equipment.ts';

/** An entry whose moment is known elsewhere. */
export type Entry = TapeEntry extends infer Each ? (Each extends { t: number } ? Omit<Each, 't'> : never) : never;

/** A call with everything it is given from outside listened to. */
export interface TapedCall {
  /** For the call itself, which knows nothing of the tape. */
  options: CallOptions;
  tap: LegTap;
  /** After the call is over. */
  close(): Promise<void>;
}

/** Begins `<call id>.tape.gz` in the folder. */
export function tapeCall(options: CallOptions, folder: string): TapedCall {
  const { clock, log, session, leg } = options;
  const head: TapeHead = {
    k: 'tape',
    version: 2,
    call_id: session.call_id,
    wall_ms: clock.wall(),
    words: true,
    session: {
      direction: session.direction,
      channel: session.channel,
      ...withoutSecrets(session),
      max_duration_seconds: session.max_duration_seconds,
      capped_by_credits: session.capped_by_credits ?? false,
      llm_fallbacks: session.llm_fallbacks,
      knowledge: session.knowledge ?? null,
    },
    leg: { carrier: leg.carrier, caller: leg.callerFormat, agent: leg.format },
  };
  const tape = createCallTape({ path: join(folder, `${session.call_id}.tape.gz`), head, log });
  const zeroMs = clock.now();
  const at = (ms: number) => Math.round((ms - zeroMs) * 1_000) / 1_000;
  const note = (entry: Entry, ms = clock.now()) => tape.note({ t: at(ms), ...entry } as TapeEntry);
  const since = (ms: number) => Math.round((clock.now() - ms) * 1_000) / 1_000;
  return {
    tap: legTap(note),
    close: () => tape.close(),
    options: {
      ...options,
      bus: tapedBus(options.bus, clock, note, since),
      equipment: tapedEquipment(options.equipment, clock, note, since),
      places: tapedPlaces(options.places, clock, note, since),
      vad: tapedVad(options.vad, at, note),
      health: {
        ...options.health,
        isWell(key) {
          const well = options.health.isWell(key);
          note({ k: 'well', key, well });
          return well;
        },
      },
      reporter: {
        ...options.reporter,
        tell(type, message, more = {}) {
          const { level = 'info', latency_ms = null, data = {} } = more;
          note({ k: 'told', type, level, message, latency_ms, data: dataWithoutSecrets(data) });
          options.reporter.tell(type, message, more);
        },
      },
    },
  };
}

type Note = (entry: Entry, ms?: number) => void;
type Since = (ms: number) => number;

/** What comes from the line, as entries of a tape. */
export function legTap(note: Note): LegTap {
  return {
    message(message, nowMs) {
      switch (message.type) {
        case 'audio': {
          const { buffer, byteOffset, byteLength } = message.payload;
          const sound = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
          return note({ k: 'sound', order: message.order, sound }, nowMs);
        }
        case 'mark':
          return note({ k: 'mark', name: message.name }, nowMs);
        case 'digit':
          return note({ k: 'digit', digit: message.digit }, nowMs);
        case 'hold':
          return note({ k: 'hold', held: message.held }, nowMs);
        case 'invalid':
          return note({ k: 'invalid', why: message.why }, nowMs);
        case 'cleared':
        case 'stop':
          return note({ k: message.type }, nowMs);
        case 'start':
        case 'ignored':
          return;
      }
    },
    closed: (code, broken, nowMs) => note({ k: 'closed', code, broken }, nowMs),
    takes: (takes) => note({ k: 'socket', takes }),
    nextStream: (nowMs) => note({ k: 'stream' }, nowMs),
    packet({ sequence, timestamp, payload }, nowMs) {
      const sound = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('base64');
      const [ms, pause] = [packetMs(payload), isDtx(payload)];
      note({ k: 'packet', sequence, timestamp, ms, pause, sound }, nowMs);
    },
    muted: (muted, nowMs) => note({ k: 'mute', muted }, nowMs),
    reported: (round_trip_ms, nowMs) => note({ k: 'reported', round_trip_ms }, nowMs),
    finished: (cause, detail, nowMs) => note({ k: 'ended', cause, detail }, nowMs),
  };
}

function tapedEquipment(equipment: Equipment, clock: Clock, note: Note, since: Since): Equipment {
  let transcribers = 0;
  let voices = 0;
  let questions = 0;
  const models = new Map<LanguageModel, LanguageModel>();
  return {
    ...equipment,
    transcriber(agent, line, listener) {
      const n = transcribers++;
      const made = equipment.transcriber(agent, line, (event) => {
        const told = event.type === 'failed' ? { type: event.type, failure: failureOf(event.error) } : { ...event };
        note({ k: 'heard', n, event: told });
        listener(event);
      });
      const { provider, model, input: sound, decidesTurns: decides_turns } = made;
      note({ k: 'made', part: 'transcriber', n, provider, model, sound, decides_turns });
      return instead(made, { open: tapedOpening(made, 'transcriber', n, clock, note, since) });
    },
    voice(agent, line, listener) {
      const n = voices++;
      const contexts = new Map<string, { c: number; sinceMs: number }>();
      const made = equipment.voice(agent, line, (event) => {
        const context = event.type === 'failed' && event.contextId === null ? null : contexts.get(event.contextId!);
        if (context) note({ k: 'spoken', n, c: context.c, after: since(context.sinceMs), event: spokenOf(event) });
        else if (event.type === 'failed') note({ k: 'speechless', n, failure: failureOf(event.error) });
        listener(event);
      });
      const { provider, model, output: sound } = made;
      note({ k: 'made', part: 'speech', n, provider, model, sound, decides_turns: false });
      return instead(made, {
        open: tapedOpening(made, 'speech', n, clock, note, since),
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
        ...theModel(made),
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
            note({ k: 'thought', n, after: since(askedMs), part: null, failure: failureOf(error) });
            throw error;
          }
        },
      };
      models.set(made, taped);
      return taped;
    },
    safeFetch: tapedFetch(equipment.safeFetch, clock, note, since),
    turnModel: equipment.turnModel && tapedTurnModel(equipment.turnModel, clock, note, since),
  };
}

/** The same part, but for these of its methods: a part may have state and methods of its own. */
function instead<Part extends Transcriber | Voice>(made: Part, methods: Partial<Part>): Part {
  return new Proxy(made, {
    get(target, name) {
      const own = Reflect.get(methods, name) as unknown;
      if (own !== undefined) return own;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function tapedOpening(
  made: Transcriber | Voice,
  part: 'transcriber' | 'speech',
  n: number,
  clock: Clock,
  note: Note,
  since: Since,
) {
  return async () => {
    const askedMs = clock.now();
    try {
      await made.open();
      note({ k: 'opened', part, n, after: since(askedMs), failure: null });
    } catch (error) {
      note({ k: 'opened', part, n, after: since(askedMs), failure: failureOf(error) });
      throw error;
    }
  };
}

const theModel = (made: LanguageModel) => ({
  provider: made.provider,
  model: made.model,
  warm: () => made.warm(),
});

function tapedFetch(fetch: SafeFetch, clock: Clock, note: Note, since: Since): SafeFetch {
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
      note({ k: 'fetched', n, after: since(askedMs), answer: null, failure: failureOf(error) });
      throw error;
    }
  };
}

function tapedTurnModel(model: TurnModel, clock: Clock, note: Note, since: Since): TurnModel {
  let questions = 0;
  return {
    stats: model.stats,
    close: () => model.close(),
    open() {
      const ear = model.open();
      return {
        push: (samples, atMs) => ear.push(samples, atMs),
        close: () => ear.close(),
        ask(sinceMs, answer) {
          const n = questions++;
          const askedMs = clock.now();
          ear.ask(sinceMs, (p) => {
            note({ k: 'turn', n, after: since(askedMs), p });
            answer(p);
          });
        },
      };
    },
  };
}

/** Questions to control that a call may ask, and what is told to it. */
function tapedBus(bus: Bus, clock: Clock, note: Note, since: Since): Bus {
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
    serveOrders: (callId, answer) =>
      bus.serveOrders(callId, (order) => {
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

function tapedPlaces(places: Places, clock: Clock, note: Note, since: Since): Places {
  let taken = 0;
  return {
    tryTake(account) {
      const place = places.tryTake(account);
      note({ k: 'place', account, n: taken++, after: 0, got: place !== null });
      return place;
    },
    async take(account, waitMs) {
      const n = taken++;
      const askedMs = clock.now();
      const place = await places.take(account, waitMs);
      note({ k: 'place', account, n, after: since(askedMs), got: place !== null });
      return place;
    },
    refused: (account) => places.refused(account),
    inUse: (account) => places.inUse(account),
    close: () => places.close(),
  };
}

function tapedVad(vad: Vad, at: (ms: number) => number, note: Note): Vad {
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

function spokenOf(event: VoiceEvent): SpokenEvent {
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

function failureOf(error: unknown): TapedFailure {
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
