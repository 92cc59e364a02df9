import { boundsOf } from '../db/bucket-bounds.ts';
import type { AnySql } from '../db/connect.ts';

/** The SQL of latency statistics. The column `latency_stage` is set when an event is stored. */

export type LatencyStage = 'first_audio' | 'llm_first_token' | 'welcome' | 'tool';

export interface LatencyRow {
  stage: LatencyStage;
  /** Position of the day among `dayStarts`, from 1; null: all of them together. */
  day: number | null;
  count: number;
  p50: number;
  p90: number;
  p95: number;
}

/** Ninety days of a busy agent would take the database too long; this many calls take seconds. */
const MAX_CALLS = 50_000;

/**
 * Percentiles of what was measured in the newest 50,000 calls that started since the first of the days. A call counts for the
 * day it started in. Reads timelines by an index only.
 *
 * @param dayStarts ascending; the last day has no end.
 */
export async function latencyPercentiles(
  sql: AnySql,
  workspaceId: string,
  agentId: string,
  dayStarts: readonly Date[],
): Promise<LatencyRow[]> {
  return sql<LatencyRow[]>`
    select stage, day, count(*)::integer as count,
      percentile_disc(0.5) within group (order by latency_ms) as p50,
      percentile_disc(0.9) within group (order by latency_ms) as p90,
      percentile_disc(0.95) within group (order by latency_ms) as p95
    from (
      select e.latency_stage as stage, e.latency_ms,
        width_bucket(c.started_at, ${boundsOf(sql, dayStarts)}) as day
      from (
        select id, started_at from calls
        where workspace_id = ${workspaceId} and agent_id = ${agentId} and started_at >= ${dayStarts[0]!}
        order by started_at desc limit ${MAX_CALLS}
      ) c join call_events e on e.workspace_id = ${workspaceId} and e.call_id = c.id
      where e.latency_stage is not null
    ) measured
    group by grouping sets ((stage), (stage, day))
  `;
}

/** The number of calls answered since then. */
export async function countStartedCalls(
  sql: AnySql,
  workspaceId: string,
  agentId: string,
  since: Date,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from calls
    where workspace_id = ${workspaceId} and agent_id = ${agentId} and started_at >= ${since}
  `;
  return row!.count;
}
