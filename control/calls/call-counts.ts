import type { AnySql } from '../db/connect.ts';

export interface CallCounts {
  ringing: number;
  in_progress: number;
  /** In the queue, and due. */
  waiting: number;
  /** In the queue for a later time. */
  scheduled: number;
  /** Over, but not analysed, checked and told yet. */
  completing: number;
  /** Since when the first of the queue waits; may lie ahead. */
  oldest_queued_at: Date | null;
}

/** Calls of all workspaces, each counted in an index of its own, up to `most`. */
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
