/** Which part of a period totals cover, and which calls at its ends are counted one by one. Times in milliseconds since 1970. */

export interface Span {
  fromMs: number;
  /** Exclusive. */
  untilMs: number;
}

const MINUTE_MS = 60_000;
export const QUARTER_MS = 15 * MINUTE_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Splits a period at multiples of the step; without a whole step in it, `whole` is empty and the period is one end. */
export function splitPeriod({ fromMs, untilMs }: Span, stepMs: number): { whole: Span; ends: Span[] } {
  const whole = { fromMs: Math.ceil(fromMs / stepMs) * stepMs, untilMs: Math.floor(untilMs / stepMs) * stepMs };
  if (!(whole.fromMs < whole.untilMs)) return { whole: { fromMs, untilMs: fromMs }, ends: [{ fromMs, untilMs }] };
  const ends = [
    { fromMs, untilMs: whole.fromMs },
    { fromMs: whole.untilMs, untilMs },
  ];
  return { whole, ends: ends.filter(isSpan) };
}

/** Splits whole days into months of UTC and the days before and after them. Both may have no end: ±Infinity. */
export function splitMonths({ fromMs, untilMs }: Span): { months: Span[]; days: Span[] } {
  const months = { fromMs: startOfMonth(fromMs, true), untilMs: startOfMonth(untilMs, false) };
  if (!(months.fromMs < months.untilMs)) return { months: [], days: [{ fromMs, untilMs }].filter(isSpan) };
  const days = [
    { fromMs, untilMs: months.fromMs },
    { fromMs: months.untilMs, untilMs },
  ];
  return { months: [months], days: days.filter(isSpan) };
}

const isSpan = ({ fromMs, untilMs }: Span) => fromMs < untilMs;

/** Of the month that has begun, or of the next one when it did not begin just now. */
function startOfMonth(ms: number, orNext: boolean): number {
  if (!Number.isFinite(ms)) return ms;
  const date = new Date(ms);
  const startMs = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  return orNext && startMs < ms ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) : startMs;
}
