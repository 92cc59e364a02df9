import { boundsOf } from '../db/bucket-bounds.ts';
import type { AnySql } from '../db/connect.ts';
import type { CallRow } from './call-row.ts';

/** Counts of calls, for the workspace's statistics and for operators. */

export interface CallTotals {
  /** Number of the bucket, from 1; null for the whole period. */
  bucket: number | null;
  calls: number;
  /** Answered calls. */
  connected: number;
  /** Calls that have ended, with any status. */
  over: number;
  completed: number;
  failed: number;
  no_answer: number;
  busy: number;
  canceled: number;
  voicemail: number;
  /** Of connected calls that have ended. */
  duration_seconds: number;
  measured: number;
  cost_paise: number;
}

export interface FirstAudio {
  bucket: number | null;
  p50: number;
  p95: number;
}

export interface Period {
  agent_id?: string | undefined;
  /** On created_at; `until` is exclusive. */
  since: Date;
  until: Date;
}

/** Reading the timelines of more calls takes the database too long; the newest are a sufficient sample. */
const MAX_MEASURED_CALLS = 50_000;
const MAX_REASONS = 50;

/** @param starts of the buckets, ascending; the first is not after `since`. */
export async function callTotals(
  sql: AnySql,
  workspaceId: string,
  period: Period,
  starts: readonly Date[],
): Promise<CallTotals[]> {
  return sql<CallTotals[]>`
    select bucket, count(*)::integer as calls,
      count(*) filter (where started_at is not null)::integer as connected,
      count(*) filter (where status not in ('queued', 'ringing', 'in-progress'))::integer as over,
      count(*) filter (where status = 'completed')::integer as completed,
      count(*) filter (where status = 'failed')::integer as failed,
      count(*) filter (where status = 'no-answer')::integer as no_answer,
      count(*) filter (where status = 'busy')::integer as busy,
      count(*) filter (where status = 'canceled')::integer as canceled,
      count(*) filter (where answered_by = 'machine')::integer as voicemail,
      coalesce(sum(duration_seconds) filter (where started_at is not null), 0)::float8 as duration_seconds,
      count(*) filter (where started_at is not null and ended_at is not null)::integer as measured,
      coalesce(sum(cost_paise), 0)::float8 as cost_paise
    from (
      select status, started_at, ended_at, answered_by, duration_seconds, cost_paise,
        width_bucket(created_at, ${boundsOf(sql, starts)}) as bucket
      from calls where ${inPeriod(sql, workspaceId, period)}
    ) as counted
    group by grouping sets ((), (bucket))`;
}

/** Percentiles of the time from the caller's last word to the agent's first audio. */
export async function firstAudioOfCalls(
  sql: AnySql,
  workspaceId: string,
  period: Period,
  starts: readonly Date[],
): Promise<FirstAudio[]> {
  return sql<FirstAudio[]>`
    select bucket, percentile_disc(0.5) within group (order by latency_ms) as p50,
      percentile_disc(0.95) within group (order by latency_ms) as p95
    from (
      select e.latency_ms, width_bucket(c.created_at, ${boundsOf(sql, starts)}) as bucket
      from (
        select id, created_at from calls where ${inPeriod(sql, workspaceId, period)}
        order by created_at desc limit ${MAX_MEASURED_CALLS}
      ) c join call_events e on e.workspace_id = ${workspaceId} and e.call_id = c.id
      where e.latency_stage = 'first_audio'
    ) measured
    group by grouping sets ((), (bucket))
    having count(*) > 0`;
}

/** Hangup reasons, the most frequent first. */
export async function hangupReasons(
  sql: AnySql,
  workspaceId: string,
  period: Period,
): Promise<{ reason: string; count: number }[]> {
  return sql<{ reason: string; count: number }[]>`
    select hangup_reason as reason, count(*)::integer as count
    from calls where ${inPeriod(sql, workspaceId, period)} and hangup_reason <> ''
    group by hangup_reason order by count(*) desc, hangup_reason limit ${MAX_REASONS}`;
}

export type LiveCall = Pick<
  CallRow,
  | 'id'
  | 'agent_id'
  | 'agent_name'
  | 'direction'
  | 'channel'
  | 'to_number'
  | 'from_number'
  | 'status'
  | 'started_at'
  | 'batch_id'
>;

/** Ringing and connected calls, newest first; a workspace has a hundred slots at most. */
export async function liveCalls(sql: AnySql, workspaceId: string): Promise<LiveCall[]> {
  return sql<LiveCall[]>`
    select id, agent_id, agent_name, direction, channel, to_number, from_number, status, started_at, batch_id
    from calls where workspace_id = ${workspaceId} and status in ('ringing', 'in-progress')
    order by created_at desc, id desc limit 200`;
}

export async function queueState(
  sql: AnySql,
  workspaceId: string,
): Promise<{ queued: number; oldest_queued_at: Date | null }> {
  const [row] = await sql<{ queued: number; oldest_queued_at: Date | null }[]>`
    select count(*)::integer as queued, min(queued_at) as oldest_queued_at
    from calls where workspace_id = ${workspaceId} and status = 'queued'`;
  return row!;
}

function inPeriod(sql: AnySql, workspaceId: string, { agent_id, since, until }: Period) {
  return sql`
    workspace_id = ${workspaceId} and created_at >= ${since} and created_at < ${until}
    ${agent_id === undefined ? sql`` : sql`and agent_id = ${agent_id}`}`;
}

export interface CallCounts {
  ringing: number;
  in_progress: number;
  /** Queued and due. */
  waiting: number;
  /** Queued for a later time. */
  scheduled: number;
  /** Ended, with post-call processing still to be done. */
  completing: number;
  /** When the first queued call became due; may be in the future. */
  oldest_queued_at: Date | null;
}

/** Counts the calls of all workspaces, each state in an index of its own and up to `max`. */
export async function countCalls(sql: AnySql, nowMs: number, max: number): Promise<CallCounts> {
  const now = new Date(nowMs);
  const [row] = await sql<CallCounts[]>`
    select
      (select count(*)::integer from (select from calls where status = 'ringing' limit ${max}) as c) as ringing,
      (select count(*)::integer from (select from calls where status = 'in-progress' limit ${max}) as c) as in_progress,
      (select count(*)::integer from (
        select from calls where status = 'queued' and queued_at <= ${now} limit ${max}) as c) as waiting,
      (select count(*)::integer from (
        select from calls where status = 'queued' and queued_at > ${now} limit ${max}) as c) as scheduled,
      (select count(*)::integer from (select from after_calls limit ${max}) as c) as completing,
      (select min(queued_at) from calls where status = 'queued') as oldest_queued_at`;
  return row!;
}
