import type { AgentLatency, CallsSummary } from '../generated/api.ts';

/** The periods of an agent's figures, and how their times are asked for and written. */

export const RANGES = [
  { name: '24h', days: 1 },
  { name: '7', days: 7 },
  { name: '30', days: 30 },
  { name: '90', days: 90 },
] as const;

export type Range = (typeof RANGES)[number];

const DAY_MS = 86_400_000;

/** The range that the address names; seven days when it names none. */
export const rangeIn = ({ range }: Readonly<Record<string, string>>): Range =>
  RANGES.find(({ name }) => name === range) ?? RANGES[1];

/** Returns what the summary is asked for: the last 24 hours by hour, or days with today as the last. */
export function periodOf({ name, days }: Range, nowMs: number): { since: string; bucket: 'day' | 'hour' } {
  if (name === '24h') return { since: new Date(nowMs - DAY_MS).toISOString(), bucket: 'hour' };
  const first = new Date(nowMs);
  first.setDate(first.getDate() - (days - 1));
  const parts = [first.getMonth() + 1, first.getDate()].map((part) => String(part).padStart(2, '0'));
  return { since: [first.getFullYear(), ...parts].join('-'), bucket: 'day' };
}

/** Returns such as `24 Nov` for a day, `14:00` for an hour, which both name their own zone. */
export function pointText(day: string, locale?: string): string {
  if (day.length > 10) return day.slice(11, 16);
  const options: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', timeZone: 'UTC' };
  return new Date(`${day}T00:00:00Z`).toLocaleDateString(locale, options);
}

export type Measured = AgentLatency['first_audio_ms'];

/** Whether there is anything to draw. */
export const hasCalls = ({ totals }: CallsSummary): boolean => totals.calls > 0;

/** Returns what the calls cost that were answered, in the smallest unit; null without one. */
export const costOfAnswered = ({ cost_paise, connected }: { cost_paise: number; connected: number }): number | null =>
  connected === 0 ? null : Math.round(cost_paise / connected);
