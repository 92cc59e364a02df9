import type { AgentConfig } from '../../../shared/agent.ts';
import { isTimeZone } from '../../../shared/time-zone.ts';
import { DEFAULT_ZONE, offsetMinutes, readTime } from '../../http/times.ts';

/** The hours of the day in which an agent may call, in its own zone. */
export type CallingHours = Pick<
  AgentConfig['call'],
  'calling_hours' | 'call_start_hour' | 'call_end_hour' | 'timezone'
>;

/** Whether an outbound call of this agent may start at that time. */
export function isWithinCallingHours(hours: CallingHours, wallMs: number): boolean {
  return nextCallingTime(hours, wallMs) === wallMs;
}

/** The same time, or the next one at which the agent may call. */
export function nextCallingTime(hours: CallingHours, wallMs: number): number {
  const { calling_hours, call_start_hour, call_end_hour } = hours;
  if (!calling_hours) return wallMs;
  const zone = zoneOf(hours);
  const local = new Date(wallMs + offsetMinutes(zone, wallMs) * 60_000);
  const hour = local.getUTCHours();
  if (hour >= call_start_hour && hour < call_end_hour) return wallMs;
  const daysAhead = hour < call_start_hour ? 0 : 1;
  const start = Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate() + daysAhead, call_start_hour);
  return readTime(new Date(start).toISOString().slice(0, 16), zone)!.getTime();
}

export const zoneOf = ({ timezone }: Pick<CallingHours, 'timezone'>) =>
  isTimeZone(timezone) ? timezone : DEFAULT_ZONE;
