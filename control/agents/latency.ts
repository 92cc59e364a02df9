import { callFigures } from '../call-totals/call-figures.ts';
import type { LatencyHistogram } from '../call-totals/latency-histogram.ts';
import type { AnySql } from '../db/connect.ts';
import { readTime, timeIn } from '../http/times.ts';

/**
 * An agent's latency over the last days of a time zone, today included, in milliseconds: at most 2.5 % off. A call counts for the day
 * it was created in.
 */

const DAY_MS = 86_400_000;

export interface Percentiles {
  p50: number | null;
  p90: number | null;
  p95: number | null;
}

export interface Latency {
  days: number;
  /** Answered calls. */
  calls: number;
  /** Replies whose first audio was measured. */
  turns: number;
  first_audio_ms: Percentiles;
  llm_first_token_ms: Percentiles;
  welcome_ms: Percentiles;
  tool_ms: Percentiles;
  /** Every day, oldest first. */
  by_day: DayLatency[];
}

export interface DayLatency {
  /** `YYYY-MM-DD` */
  day: string;
  turns: number;
  first_audio_p50_ms: number | null;
  first_audio_p95_ms: number | null;
}

export async function latencyOf(
  sql: AnySql,
  {
    workspaceId,
    agentId,
    days,
    zone,
    wallMs,
  }: {
    workspaceId: string;
    agentId: string;
    days: number;
    zone: string;
    wallMs: number;
  },
): Promise<Latency> {
  const names = lastDays(zone, wallMs, days);
  const starts = names.map((day) => readTime(day, zone)!);
  const period = { agent_id: agentId, since: starts[0]!, until: new Date(wallMs + DAY_MS) };
  const figures = await callFigures(sql, workspaceId, period, starts);
  const total = figures.find(({ bucket }) => bucket === null);
  const byDay = new Map(figures.map(({ bucket, first_audio }) => [bucket, first_audio]));
  return {
    days,
    calls: total?.connected ?? 0,
    turns: total?.first_audio.count ?? 0,
    first_audio_ms: percentiles(total?.first_audio),
    llm_first_token_ms: percentiles(total?.llm_first_token),
    welcome_ms: percentiles(total?.welcome),
    tool_ms: percentiles(total?.tool),
    by_day: names.map((day, index) => {
      const firstAudio = byDay.get(index + 1);
      return {
        day,
        turns: firstAudio?.count ?? 0,
        first_audio_p50_ms: firstAudio?.percentile(0.5) ?? null,
        first_audio_p95_ms: firstAudio?.percentile(0.95) ?? null,
      };
    }),
  };
}

const percentiles = (histogram: LatencyHistogram | undefined): Percentiles => ({
  p50: histogram?.percentile(0.5) ?? null,
  p90: histogram?.percentile(0.9) ?? null,
  p95: histogram?.percentile(0.95) ?? null,
});

/** The dates of the last days in the zone, oldest first, today last. */
export function lastDays(zone: string, wallMs: number, days: number): string[] {
  // From noon in UTC, stepping by whole days never skips a date.
  const noonMs = Date.parse(`${timeIn(zone, wallMs).slice(0, 10)}T12:00:00Z`);
  return Array.from({ length: days }, (_, index) =>
    new Date(noonMs - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}
