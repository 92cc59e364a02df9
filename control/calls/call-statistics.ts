import type { AnySql } from '../db/connect.ts';
import type { CallRow } from './call-row.ts';

/** Counts of calls, for the workspace's statistics and for operators. */

export type LiveCall = Pick<
  CallRow,
  | 'id'
  | 'agent_id'
  | 'agent_name'
  | 'direction'
  | 'channel'
  | 'provider'
  | 'to_number'
  | 'from_number'
  | 'status'
  | 'started_at'
  | 'batch_id'
>;

/** Ringing and connected calls, newest first; a workspace has a hundred slots at most. */
export async function liveCalls(sql: AnySql, workspaceId: string): Promise<LiveCall[]> {
  return sql<LiveCall[]>`
    select id, agent_id, agent_name, direction, channel, provider, to_number, from_number, status, started_at, batch_id
    from live_calls where workspace_id = ${workspaceId} and status in ('ringing', 'in-progress')
    order by created_at desc, id desc limit 200`;
}

export async function queueState(
  sql: AnySql,
  workspaceId: string,
): Promise<{ queued: number; oldest_queued_at: Date | null }> {
  const [row] = await sql<{ queued: number; oldest_queued_at: Date | null }[]>`
    select count(*)::integer as queued, min(queued_at) as oldest_queued_at
    from live_calls where workspace_id = ${workspaceId} and status = 'queued'`;
  return row!;
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
      (select count(*)::integer from (select from live_calls where status = 'ringing' limit ${max}) as c) as ringing,
      (select count(*)::integer from (select from live_calls where status = 'in-progress' limit ${max}) as c) as in_progress,
      (select count(*)::integer from (
        select from live_calls where status = 'queued' and queued_at <= ${now} limit ${max}) as c) as waiting,
      (select count(*)::integer from (
        select from live_calls where status = 'queued' and queued_at > ${now} limit ${max}) as c) as scheduled,
      (select count(*)::integer from (select from after_calls limit ${max}) as c) as completing,
      (select min(queued_at) from live_calls where status = 'queued') as oldest_queued_at`;
  return row!;
}
