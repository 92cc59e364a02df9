import type { AnySql } from '../db/connect.ts';
import { readTime, timeIn } from '../http/times.ts';
import { countStartedCalls, type LatencyRow, type LatencyStage, latencyPercentiles } from './latency-store.ts';

/** An agent's latency over the last days of a time zone, today included, in milliseconds. */

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
  const rows = await latencyPercentiles(sql, workspaceId, agentId, starts);
  const find = (stage: LatencyStage, day: number | null) => rows.find((row) => row.stage === stage && row.day === day);
  return {
    days,
    calls: await countStartedCalls(sql, workspaceId, agentId, starts[0]!),
    turns: find('first_audio', null)?.count ?? 0,
    first_audio_ms: percentiles(find('first_audio', null)),
    llm_first_token_ms: percentiles(find('llm_first_token', null)),
    welcome_ms: percentiles(find('welcome', null)),
    tool_ms: percentiles(find('tool', null)),
    by_day: names.map((day, index) => {
      const row = find('first_audio', index + 1);
      return {
        day,
        turns: row?.count ?? 0,
        first_audio_p50_ms: row?.p50 ?? null,
        first_audio_p95_ms: row?.p95 ?? null,
      };
    }),
  };
}

const percentiles = (row: LatencyRow | undefined): Percentiles => ({
  p50: row?.p50 ?? null,
  p90: row?.p90 ?? null,
  p95: row?.p95 ?? null,
});

/** The dates of the last days in the zone, oldest first, today last. */
export function lastDays(zone: string, wallMs: number, days: number): string[] {
  // From noon in UTC, stepping by whole days never skips a date.
  const noonMs = Date.parse(`${timeIn(zone, wallMs).slice(0, 10)}T12:00:00Z`);
  return Array.from({ length: days }, (_, index) =>
    new Date(noonMs - (days - 1 - index) * 86_400_000).toISOString().slice(0, 10),
  );
}
