import { t } from '../texts/texts.ts';

/** The times whose figures can be looked at. */
export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

const HOUR_MS = 3_600_000;
const HOURS: Record<Period, number> = { day: 24, week: 7 * 24, month: 30 * 24 };

/** The period that an address names; the week where it names none. */
export const periodIn = (named: string | undefined): Period => PERIODS.find((each) => each === named) ?? 'week';

export const periodText = (period: Period): string =>
  period === 'day' ? t('24 hours') : period === 'week' ? t('7 days') : t('30 days');

/** From when and by what the API counts: by hour within a day, otherwise by day. The beginning is a full hour. */
export function countedBy(period: Period, nowMs: number): { since: string; bucket: 'hour' | 'day' } {
  const thisHourMs = nowMs - (nowMs % HOUR_MS);
  return {
    since: new Date(thisHourMs - (HOURS[period] - 1) * HOUR_MS).toISOString(),
    bucket: period === 'day' ? 'hour' : 'day',
  };
}

/** What stands below a point: `14:00` of an hour, `24 Nov` of a day. `at` is a bucket's name of the API. */
export function pointText(at: string, language: string): string {
  if (at.includes('T')) return at.slice(11, 16);
  const [year, month, day] = at.split('-').map(Number);
  const noon = new Date(year!, month! - 1, day!, 12);
  return noon.toLocaleDateString(language, { day: 'numeric', month: 'short' });
}
