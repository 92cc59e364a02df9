import type { AgentConfig } from '../../shared/agent.ts';

type Hours = Pick<AgentConfig['call'], 'calling_hours' | 'call_start_hour' | 'call_end_hour' | 'timezone'>;

const formats = new Map<string, Intl.DateTimeFormat>();

/** May an outbound call of this agent start at that moment? Hours are those of the agent's zone. */
export function insideCallingHours(call: Hours, wallMs: number): boolean {
  if (!call.calling_hours) return true;
  const hour = Number(formatOf(call.timezone).format(wallMs));
  return hour >= call.call_start_hour && hour < call.call_end_hour;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' });
    formats.set(timeZone, format);
  }
  return format;
}
