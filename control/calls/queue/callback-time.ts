import type { AgentConfig } from '../../../shared/agent.ts';
import { isTimeZone } from '../../../shared/time-zone.ts';
import { DEFAULT_ZONE, offsetMinutes, readTime } from '../../http/times.ts';

/** When a call back may be: a time in words, moved into the agent's calling hours. */

export type CallbackSettings = Pick<
  AgentConfig['call'],
  'reschedule_max_days' | 'calling_hours' | 'call_start_hour' | 'call_end_hour' | 'timezone'
>;

const DAY_MS = 24 * 3_600_000;
/** A day without a time of day. */
const DEFAULT_HOUR = 10;

export type CallbackTime =
  | { at_ms: number }
  | { refused: string /** Null where no time could be read. */; at_ms: number | null };

/**
 * @param when as the model wrote it: local time of the agent's zone, or one with an offset.
 * @returns the moment that can be booked, or why none can, in words for a model.
 */
export function resolveCallbackTime(when: string, settings: CallbackSettings, nowMs: number): CallbackTime {
  const zone = zoneOf(settings);
  const dayOnly = /^\d{4}-\d{2}-\d{2}$/.test(when.trim());
  const hour = settings.calling_hours ? settings.call_start_hour : DEFAULT_HOUR;
  const asked = readTime(dayOnly ? `${when.trim()}T${String(hour).padStart(2, '0')}:00` : when, zone);
  if (!asked || Number.isNaN(asked.getTime())) {
    return { refused: 'the time cannot be read; write it as YYYY-MM-DDTHH:MM', at_ms: null };
  }
  const askedMs = asked.getTime();
  if (askedMs <= nowMs) return { refused: 'that time has passed', at_ms: askedMs };
  const at_ms = moveIntoCallingHours(askedMs, settings);
  if (at_ms > nowMs + settings.reschedule_max_days * DAY_MS) {
    const days = settings.reschedule_max_days;
    return { refused: `that is too late: at most ${days} ${days === 1 ? 'day' : 'days'} ahead`, at_ms: askedMs };
  }
  return { at_ms };
}

/** The same moment, or the next one at which the agent may call. */
export function moveIntoCallingHours(wallMs: number, settings: Omit<CallbackSettings, 'reschedule_max_days'>): number {
  const { calling_hours, call_start_hour, call_end_hour } = settings;
  if (!calling_hours) return wallMs;
  const zone = zoneOf(settings);
  const local = new Date(wallMs + offsetMinutes(zone, wallMs) * 60_000);
  const hour = local.getUTCHours();
  if (hour >= call_start_hour && hour < call_end_hour) return wallMs;
  const daysOn = hour < call_start_hour ? 0 : 1;
  const opens = new Date(
    Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate() + daysOn, call_start_hour),
  );
  return readTime(opens.toISOString().slice(0, 16), zone)!.getTime();
}

/** `Tuesday, 24 November 2026, 10:00 (Asia/Kolkata)`: for a model, which says it to the caller. */
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

const zoneOf = ({ timezone }: Pick<CallbackSettings, 'timezone'>) => (isTimeZone(timezone) ? timezone : DEFAULT_ZONE);
