import type { AgentConfig } from '../../../shared/agent.ts';

type CallingHours = Pick<AgentConfig['call'], 'calling_hours' | 'call_start_hour' | 'call_end_hour' | 'timezone'>;

const hourFormats = new Map<string, Intl.DateTimeFormat>();

/** May an outbound call of this agent start at that moment? Hours are those of the agent's zone. */
export function isWithinCallingHours(call: CallingHours, wallMs: number): boolean {
  if (!call.calling_hours) return true;
  const hour = Number(hourFormatOf(call.timezone).format(wallMs));
  return hour >= call.call_start_hour && hour < call.call_end_hour;
}

function hourFormatOf(timeZone: string): Intl.DateTimeFormat {
  let format = hourFormats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' });
    hourFormats.set(timeZone, format);
  }
  return format;
}
