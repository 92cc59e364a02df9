import { callFigures, hangupReasons } from '../call-totals/call-figures.ts';
import { type CallStatistics, statisticsOf } from '../call-totals/call-statistics.ts';
import type { AnySql } from '../db/connect.ts';
import { validationErrorIn } from '../http/errors.ts';
import { offsetMinutes, readTime, timeIn } from '../http/times.ts';

export type Bucket = 'day' | 'hour';

export interface CallsSummary {
  totals: CallStatistics;
  /** Every bucket of the period, oldest first. */
  items: (CallStatistics & { day: string })[];
  hangup_reasons: { reason: string; count: number }[];
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const DEFAULT_DAYS = 7;
const MAX_BUCKETS: Record<Bucket, number> = { day: 366, hour: 24 * 31 };

/**
 * Summarises the calls of a workspace by the time they were created, in days or hours of the zone.
 * @throws HttpError 422 for a period that ends before it begins or has more than 366 days or 744 hours.
 */
export async function summariseCalls(
  sql: AnySql,
  workspaceId: string,
  asked: { agent_id?: string | undefined; since?: Date | undefined; until?: Date | undefined; bucket: Bucket },
  { zone, wallMs }: { zone: string; wallMs: number },
): Promise<CallsSummary> {
  const until = asked.until ?? new Date(wallMs);
  const since = asked.since ?? startOfDay(zone, until.getTime() - (DEFAULT_DAYS - 1) * DAY_MS);
  if (since >= until) refuse('since', 'the period ends before it begins');
  const starts = bucketStarts(zone, since.getTime(), until.getTime(), asked.bucket);
  if (starts === null) refuse('since', `the period has more than ${MAX_BUCKETS[asked.bucket]} ${asked.bucket}s`);

  const period = { agent_id: asked.agent_id, since, until };
  const [figures, hangup_reasons] = await Promise.all([
    callFigures(sql, workspaceId, period, starts, ['first_audio']),
    hangupReasons(sql, workspaceId, period),
  ]);
  const byBucket = new Map(figures.map((each) => [each.bucket, each]));
  const figuresOf = (bucket: number | null) => statisticsOf(byBucket.get(bucket));
  return {
    totals: figuresOf(null),
    items: starts.map((start, index) => ({ day: bucketName(zone, start, asked.bucket), ...figuresOf(index + 1) })),
    hangup_reasons,
  };
}

/** Returns null when there are too many. */
function bucketStarts(zone: string, sinceMs: number, untilMs: number, bucket: Bucket): Date[] | null {
  const starts: Date[] = [];
  let start = bucket === 'day' ? startOfDay(zone, sinceMs) : startOfHour(zone, sinceMs);
  while (start.getTime() < untilMs) {
    if (starts.length === MAX_BUCKETS[bucket]) return null;
    starts.push(start);
    // A day has 23 to 25 hours: 30 hours later is always the next one.
    start = bucket === 'day' ? startOfDay(zone, start.getTime() + 30 * HOUR_MS) : new Date(start.getTime() + HOUR_MS);
  }
  return starts;
}

/** The start of a day of a year with five digits, which cannot be parsed, is the time itself. */
const startOfDay = (zone: string, wallMs: number) =>
  readTime(timeIn(zone, wallMs).slice(0, 10), zone) ?? new Date(wallMs);

/** The start of the hour of the zone's clock, whose offset may be a quarter of an hour. */
function startOfHour(zone: string, wallMs: number): Date {
  const offsetMs = offsetMinutes(zone, wallMs) * 60_000;
  return new Date(Math.floor((wallMs + offsetMs) / HOUR_MS) * HOUR_MS - offsetMs);
}

const bucketName = (zone: string, start: Date, bucket: Bucket) => {
  const text = timeIn(zone, start.getTime());
  return bucket === 'day' ? text.slice(0, 10) : text;
};

function refuse(field: string, msg: string): never {
  throw validationErrorIn('query', msg, [field]);
}
