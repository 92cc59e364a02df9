import { z } from 'zod';

/**
 * Times of requests and responses, in the zone that the client asked for. Only fields declared with `time()` are written in
 * that zone, so a customer's own data is never touched.
 */
export const DEFAULT_ZONE = 'Asia/Kolkata';

const QUARTER_HOUR_MS = 900_000;
const DAY_MS = 86_400_000;

/** How the times of a quarter of an hour are written in a zone. */
interface Quarter {
  offset_minutes: number;
  /** `YYYY-MM-DDThh:`; empty where it does not begin on a quarter of the zone's hours, as long ago. */
  hour: string;
  /** Of the hour, at which it begins. */
  minute: number;
  /** `±hh:mm` */
  offset: string;
}

/** Of all zones. */
const MAX_QUARTERS = 20_000;
/** `00` to `59` */
const TWO_DIGITS = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'));

const formats = new Map<string, Intl.DateTimeFormat>();
/** By zone and number of the quarter since 1970. */
const quarters = new Map<string, Map<number, Quarter>>();
let kept = 0;

/** Formats the instant as `YYYY-MM-DDThh:mm:ss±hh:mm` in the zone, whole seconds. */
export function timeIn(zone: string, wallMs: number): string {
  const number = Math.floor(wallMs / QUARTER_HOUR_MS);
  const { hour, minute, offset, offset_minutes } = quarterOf(zone, number);
  if (hour === '') return new Date(wallMs + offset_minutes * 60_000).toISOString().slice(0, -5) + offset;
  const seconds = Math.floor(wallMs / 1_000) - number * (QUARTER_HOUR_MS / 1_000);
  return `${hour}${TWO_DIGITS[minute + Math.floor(seconds / 60)]}:${TWO_DIGITS[seconds % 60]}${offset}`;
}

/** Returns the minutes that the zone is ahead of UTC at that instant. */
export function offsetMinutes(zone: string, wallMs: number): number {
  return quarterOf(zone, Math.floor(wallMs / QUARTER_HOUR_MS)).offset_minutes;
}

/** All zones have changed their offsets on a quarter of an hour since 2012, so it is worked out once for each. */
function quarterOf(zone: string, number: number): Quarter {
  const known = quarters.get(zone)?.get(number);
  if (known) return known;
  const startMs = number * QUARTER_HOUR_MS;
  const name =
    formatOf(zone)
      .formatToParts(startMs)
      .find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  const parts = /^GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(name);
  const minutes = parts?.[1] ? (parts[1] === '-' ? -1 : 1) * (Number(parts[2]) * 60 + Number(parts[3])) : 0;
  const local = new Date(startMs + minutes * 60_000).toISOString();
  const hour = minutes % 15 === 0 ? local.slice(0, -10) : '';
  const quarter = { offset_minutes: minutes, hour, minute: Number(local.slice(-10, -8)), offset: offsetText(minutes) };
  if (kept++ >= MAX_QUARTERS) {
    quarters.clear();
    kept = 1;
  }
  const ofZone = quarters.get(zone) ?? new Map<number, Quarter>();
  quarters.set(zone, ofZone.set(number, quarter));
  return quarter;
}

const TIME_TEXT = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/i;

/** Parses a time sent by a client, in `zone` when it has no offset. Returns null for anything else. */
export function readTime(text: string, zone: string): Date | null {
  const parts = TIME_TEXT.exec(text.trim());
  if (!parts) return null;
  const [, day, minute = '00:00', second = '00', fraction = '0', offset] = parts;
  const asUtcMs = Date.parse(`${day}T${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`);
  // `Date.parse` moves 31 February into March: the date must round-trip.
  if (Number.isNaN(asUtcMs) || new Date(asUtcMs).toISOString().slice(0, 10) !== day) return null;
  if (!offset) return new Date(instantOfLocal(asUtcMs, zone));
  if (offset.toUpperCase() === 'Z') return new Date(asUtcMs);
  const digits = offset.slice(1).replace(':', '');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  if (minutes > 18 * 60) return null;
  return new Date(asUtcMs - (offset.startsWith('-') ? -1 : 1) * minutes * 60_000);
}

/**
 * Returns the instant of a local time, given as if it were UTC. Around a change of clocks it is as in RFC 5545: the first of two,
 * and a time that is left out is as much later as the clocks moved.
 */
function instantOfLocal(localMs: number, zone: string): number {
  const before = offsetMinutes(zone, localMs - DAY_MS);
  const after = offsetMinutes(zone, localMs + DAY_MS);
  const [first, last] = [localMs - before * 60_000, localMs - after * 60_000];
  return offsetMinutes(zone, first) !== before && offsetMinutes(zone, last) === after ? last : first;
}

/**
 * The zone of the request being read or answered. Set only around synchronous parsing and encoding, so it can never be another
 * request's.
 */
let currentZone = DEFAULT_ZONE;

export function inZone<Result>(zone: string, run: () => Result): Result {
  const before = currentZone;
  currentZone = zone;
  try {
    return run();
  } finally {
    currentZone = before;
  }
}

const instant = z.custom<Date | number>(
  (value) => (value instanceof Date ? !Number.isNaN(value.getTime()) : Number.isFinite(value)),
  'a time must be a Date or milliseconds since 1970',
);

/**
 * Declares a time field of a response: the handler gives a Date or milliseconds since 1970, the client gets ISO 8601 in its
 * zone. `time().nullable()` for an optional time.
 */
export function time(description = 'ISO 8601 with the offset of the zone asked for') {
  return z
    .codec(z.string(), instant, {
      decode: (text) => new Date(text),
      encode: (value) => timeIn(currentZone, value instanceof Date ? value.getTime() : value),
    })
    .meta({ type: 'string', format: 'date-time', description });
}

/** The range of times that clients may send. PostgreSQL has no year 0, and years of five digits are written differently. */
const EARLIEST_MS = Date.UTC(1900, 0, 1);
const LATEST_MS = Date.UTC(10_000, 0, 1) - 1;

/** Declares a time in a body or query, in the request's zone when it has no offset. The handler gets a Date. */
export function timeInput(description = 'ISO 8601; without an offset it is read in the zone of the request') {
  return z
    .string()
    .max(40)
    .meta({ format: 'date-time', description })
    .transform((text, context) => {
      const date = readTime(text, currentZone);
      if (date && date.getTime() >= EARLIEST_MS && date.getTime() <= LATEST_MS) return date;
      context.addIssue({ code: 'custom', message: 'Input should be an ISO 8601 time', input: text });
      return z.NEVER;
    });
}

/** @throws RangeError for a name `isZone` refuses. */
function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    formats.set(zone, format);
  }
  return format;
}

function offsetText(minutes: number): string {
  const size = Math.abs(minutes);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
