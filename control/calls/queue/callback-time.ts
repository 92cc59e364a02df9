import type { AgentConfig } from '../../../shared/agent.ts';
import { readTime } from '../../http/times.ts';
import { type CallingHours, nextCallingTime, zoneOf } from './calling-hours.ts';

/** The time of a callback: requested by a model, moved into the agent's calling hours. */

export type CallbackSettings = CallingHours & Pick<AgentConfig['call'], 'reschedule_max_days'>;

const DAY_MS = 24 * 3_600_000;
/** For a date without a time of day. */
const DEFAULT_HOUR = 10;

export type CallbackTime =
  | { at_ms: number }
  | { refused: string /** Null when it could not be parsed. */; at_ms: number | null };

/**
 * Resolves the time that a model requests for a callback.
 *
 * @param when local time in the agent's zone, or a time with an offset.
 * @returns the time to book, or a refusal as a text for the model.
 */
export function resolveCallbackTime(when: string, settings: CallbackSettings, nowMs: number): CallbackTime {
  const zone = zoneOf(settings);
  const dayOnly = /^\d{4}-\d{2}-\d{2}$/.test(when.trim());
  const hour = settings.calling_hours ? settings.call_start_hour : DEFAULT_HOUR;
  const requested = readTime(dayOnly ? `${when.trim()}T${String(hour).padStart(2, '0')}:00` : when, zone);
  if (!requested || Number.isNaN(requested.getTime())) {
    return { refused: 'the time cannot be read; write it as YYYY-MM-DDTHH:MM', at_ms: null };
  }
  const requestedMs = requested.getTime();
  if (requestedMs <= nowMs) return { refused: 'that time has passed', at_ms: requestedMs };
  const at_ms = nextCallingTime(settings, requestedMs);
  if (at_ms > nowMs + settings.reschedule_max_days * DAY_MS) {
    const days = settings.reschedule_max_days;
    return { refused: `that is too late: at most ${days} ${days === 1 ? 'day' : 'days'} ahead`, at_ms: requestedMs };
  }
  return { at_ms };
}

/** Answers a model as a booking would, and books nothing. */
export function answerCallback(
  settings: CallbackSettings & { timezone: string },
  { when }: { when: string },
  nowMs: number,
): { booked: boolean; message: string } {
  const time = resolveCallbackTime(when, settings, nowMs);
  return 'refused' in time
    ? { booked: false, message: time.refused }
    : { booked: true, message: describeCallbackTime(time.at_ms, settings) };
}

/** `Tuesday, 24 November 2026, 10:00 (Asia/Kolkata)`: for a model to say. */
export function describeCallbackTime(at_ms: number, settings: Pick<CallbackSettings, 'timezone'>): string {
  const timeZone = zoneOf(settings);
  const date = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  }).format(at_ms);
  const time = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  }).format(at_ms);
  return `${date}, ${time} (${timeZone})`;
}
