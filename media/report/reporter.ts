import type { Bus } from '../../shared/bus/bus.ts';
import type { CallEnding, CallEvent } from '../../shared/bus/messages.ts';
import { type Clock, pause } from '../../shared/clock.ts';
import type { EventLevel, EventType } from '../../shared/events.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { TranscriptItem } from '../../shared/transcript.ts';

/**
 * Reports a call's timeline events to control, in order and each once. The call never waits for it: events are buffered until
 * the stream has stored them, and publishing is retried while the bus is down or its stream is full.
 */
export interface Reporter {
  report(type: EventType, message: string, details?: EventDetails): void;
  /** Resolves when everything reported so far is stored. */
  flushed(): Promise<void>;
}

export interface EventDetails {
  level?: EventLevel;
  latency_ms?: number;
  data?: Record<string, unknown>;
  transcript?: TranscriptItem[];
  ending?: CallEnding;
  /** When it happened, milliseconds since 1970; now when not given. */
  at_ms?: number;
  /** The reply that it is about; not on the timeline. */
  reply_id?: string;
}

export interface ReporterOptions {
  callId: string;
  engineId: string;
  bus: Pick<Bus, 'publishEvent'>;
  clock: Clock;
  log: Logger;
}

/** Events of one call that may wait for the bus; beyond that the oldest droppable event is dropped and counted. */
const MAX_WAITING_EVENTS = 1_000;
/** Longer events (a megabyte in UTF-8 at most) would be refused by the bus for ever and block those behind them. */
const MAX_EVENT_CHARACTERS = 200_000;
const TRUNCATED_TEXT_CHARACTERS = 2_000;
const RETRY_MS = [100, 250, 500, 1_000, 2_000];
/** A call's record and bill need these. */
const NEVER_DROPPED: ReadonlySet<EventType> = new Set([
  'call.started',
  'call.ended',
  'user.turn',
  'agent.reply',
  'human_agent.turn',
  'welcome',
  'recording.notice',
  'error',
]);

type UnnumberedEvent = Omit<CallEvent, 'seq'> & { type: EventType };

export function createReporter({ callId, engineId, bus, clock, log }: ReporterOptions): Reporter {
  const waiting: UnnumberedEvent[] = [];
  const flushers: (() => void)[] = [];
  let seq = 0;
  let dropped = 0;
  let sending = false;

  async function send(): Promise<void> {
    if (sending) return;
    sending = true;
    let tries = 0;
    while (waiting.length > 0) {
      // Numbered only now, so that a dropped event leaves no gap. A retry keeps its number, and the stream drops duplicates.
      const event: CallEvent = { ...waiting[0]!, seq: seq + 1 };
      try {
        await bus.publishEvent(event);
        seq++;
        waiting.shift();
        if (tries > 0) {
          log.info({ call_id: callId, waiting: waiting.length, dropped }, 'call events can be published again');
        }
        tries = 0;
      } catch (error) {
        if (tries === 0) log.warn({ call_id: callId, error: errorText(error) }, 'call event publish failed, retrying');
        await pause(clock, RETRY_MS[Math.min(tries++, RETRY_MS.length - 1)]!);
      }
    }
    sending = false;
    for (const done of flushers.splice(0)) done();
  }

  function truncated(event: UnnumberedEvent): UnnumberedEvent {
    log.error({ call_id: callId, type: event.type, characters: charactersOf(event) }, 'call event too long, truncated');
    const short = (text: string) => text.slice(0, TRUNCATED_TEXT_CHARACTERS);
    return {
      ...event,
      message: short(event.message),
      data_json: '{}',
      transcript: event.transcript.map((line) => ({ ...line, text: short(line.text) })),
    };
  }

  return {
    report(type, message, { level = 'info', latency_ms, data = {}, transcript = [], ending, at_ms } = {}) {
      if (waiting.length >= MAX_WAITING_EVENTS) {
        // The first event is being sent and keeps its number.
        const index = waiting.findIndex(
          ({ type: waitingType }, position) => position > 0 && !NEVER_DROPPED.has(waitingType),
        );
        if (index > 0) {
          waiting.splice(index, 1);
          if (++dropped === 1) log.error({ call_id: callId }, 'bus unavailable too long, call events dropped');
        }
      }
      const event: UnnumberedEvent = {
        call_id: callId,
        engine_id: engineId,
        at_ms: at_ms ?? clock.wall(),
        type,
        level,
        message,
        latency_ms: latency_ms === undefined ? undefined : Math.max(0, Math.round(latency_ms)),
        data_json: JSON.stringify(data),
        transcript,
        ending,
      };
      waiting.push(charactersOf(event) <= MAX_EVENT_CHARACTERS ? event : truncated(event));
      void send();
    },
    flushed() {
      return waiting.length === 0 ? Promise.resolve() : new Promise((resolve) => flushers.push(resolve));
    },
  };
}

function charactersOf({ message, data_json, transcript }: UnnumberedEvent): number {
  return transcript.reduce((sum, { text }) => sum + text.length, message.length + data_json.length);
}
