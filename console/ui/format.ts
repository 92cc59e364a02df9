import { locale } from '../texts/texts.ts';

/** How times, lengths and numbers are written: in the zone and the manner of the person who looks. */

const DAY_AND_TIME: Intl.DateTimeFormatOptions = {
  ...{ day: 'numeric', month: 'short' },
  ...{ hour: '2-digit', minute: '2-digit' },
};

/** Returns such as `24 Nov, 14:05`, with the year when it is not this one. */
export function timeText(at: string, nowMs: number, zone?: string): string {
  const time = new Date(at);
  const thisYear = time.getFullYear() === new Date(nowMs).getFullYear();
  return formatFor(thisYear, zone).format(time);
}

/** To make one costs more than to draw the row of a list. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatFor(thisYear: boolean, zone: string | undefined): Intl.DateTimeFormat {
  const name = `${thisYear} ${zone ?? ''}`;
  let format = formats.get(name);
  if (!format) {
    const options = { ...DAY_AND_TIME, ...(thisYear ? {} : { year: 'numeric' as const }) };
    format = new Intl.DateTimeFormat(locale(), { ...options, ...(zone ? { timeZone: zone } : {}) });
    formats.set(name, format);
  }
  return format;
}

/** Returns a length such as `0:42`, `12:03` or `1:00:00`. */
export function lengthText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, at) => (at === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

/** Returns such as `640 ms` or `1.2 s`. */
export const latencyText = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;

/** Returns such as `87 %` of a share from 0 to 1. */
export const percentText = (share: number): string =>
  share.toLocaleString(locale(), { style: 'percent', maximumFractionDigits: 0 });

/** Returns a size such as `640 B` or `2.4 MB`; a KB is 1,000 bytes. */
export function sizeText(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const at = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1_000 ** at;
  const digits = at > 0 && value < 10 ? 1 : 0;
  const number = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return `${value.toLocaleString(locale(), number)} ${units[at]}`;
}
