import { locale, tn } from '../texts/texts.ts';

/** What was used on one day. */
export interface DayOfUsage {
  day: string;
  calls: number;
  minutes: number;
  spent_paise: number;
}

/** Every month from the first to the present one, newest first; `YYYY-MM`. */
export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  for (let month = last; month >= first && months.length < 240; month = monthBefore(month)) months.push(month);
  return months;
}

function monthBefore(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return number === 1 ? `${year - 1}-12` : `${year}-${String(number - 1).padStart(2, '0')}`;
}

/** The first day of a month, and the first day after it. */
export function daysAround(month: string): { since: string; until: string } {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return { since: `${month}-01`, until: new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 10) };
}

export const monthText = (month: string): string =>
  new Date(`${month}-15T12:00:00Z`).toLocaleDateString(locale(), { month: 'long', year: 'numeric' });

export const dayText = (day: string): string =>
  new Date(`${day}T12:00:00Z`).toLocaleDateString(locale(), { day: 'numeric', month: 'short', timeZone: 'UTC' });

export const minutesText = (minutes: number): string =>
  tn('{{count}} minute', '{{count}} minutes', Math.round(minutes * 10) / 10);
