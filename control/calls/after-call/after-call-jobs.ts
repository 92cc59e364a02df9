import { newId } from '../../../shared/ids.ts';
import type { AnySql, Sql, Transaction } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';

/** The jobs of `after_calls`: the processing between a call's `ended` and its `completed`. */

export interface AfterCallJob {
  workspace_id: string;
  call_id: string;
  created_at: Date;
  due_at: Date;
  lease_id: string;
  tries: number;
}

/** The longest time from `ended` to `completed` (API specification). */
export const MAX_COMPLETION_MS = 120_000;
/** PostgreSQL's notification channel that wakes the workers. */
export const AFTER_CALL_CHANNEL = 'after_call';

/** Adds the job of a call, in the transaction of its `ended`. */
export async function insertAfterCallJob(tx: Transaction, call: CallRow, nowMs: number): Promise<void> {
  const { workspace_id, id } = call;
  await tx`
    insert into after_calls (workspace_id, call_id, created_at, due_at)
    values (${workspace_id}, ${id}, ${new Date(nowMs)}, ${new Date(nowMs + MAX_COMPLETION_MS)})`;
  await tx`select pg_notify(${AFTER_CALL_CHANNEL}, ${workspace_id})`;
}

/** Whether the call's processing is not done yet. */
export async function hasAfterCallJob(tx: Transaction, callId: string): Promise<boolean> {
  const [row] = await tx`select 1 from after_calls where call_id = ${callId}`;
  return row !== undefined;
}

/**
 * Leases at most `limit` free jobs, fairly over workspaces: first of the workspace with the fewest leased jobs, and of each the
 * oldest call.
 */
export async function leaseAfterCallJobs(
  sql: Sql,
  limit: number,
  leaseMs: number,
  nowMs: number,
): Promise<AfterCallJob[]> {
  const now = new Date(nowMs);
  return sql<AfterCallJob[]>`
    with busy as (
      select workspace_id, count(*) as rows from after_calls where leased_until > ${now} group by workspace_id
    ), waiting as (
      select after_calls.call_id, after_calls.created_at, coalesce(busy.rows, 0) + row_number() over (
        partition by after_calls.workspace_id order by after_calls.created_at, after_calls.call_id
      ) as turn
      from after_calls left join busy using (workspace_id)
      where leased_until is null or leased_until <= ${now}
    ), taken as (
      select after_calls.call_id from after_calls join waiting using (call_id)
      where leased_until is null or leased_until <= ${now}
      order by waiting.turn, waiting.created_at, waiting.call_id limit ${limit}
      for update of after_calls skip locked
    )
    update after_calls
    set leased_until = ${new Date(nowMs + leaseMs)}, lease_id = ${newId(nowMs)} || after_calls.call_id, tries = tries + 1
    from taken where after_calls.call_id = taken.call_id
    returning workspace_id, after_calls.call_id, created_at, due_at, lease_id, tries`;
}

/** False when the lease is lost or the job is done. */
export async function renewLease(sql: AnySql, { call_id, lease_id }: AfterCallJob, untilMs: number): Promise<boolean> {
  const rows = await sql`
    update after_calls set leased_until = ${new Date(untilMs)}
    where call_id = ${call_id} and lease_id = ${lease_id} returning 1`;
  return rows.length > 0;
}

/** Releases an unfinished job for another worker. */
export async function releaseJob(sql: AnySql, { call_id, lease_id }: AfterCallJob): Promise<void> {
  await sql`
    update after_calls set leased_until = null, lease_id = ''
    where call_id = ${call_id} and lease_id = ${lease_id}`;
  await sql`select pg_notify(${AFTER_CALL_CHANNEL}, '')`;
}

/** Deletes a job in the transaction that writes its results. False when the lease is lost: nothing may be written. */
export async function deleteJob(tx: Transaction, { call_id, lease_id }: AfterCallJob): Promise<boolean> {
  const rows = await tx`delete from after_calls where call_id = ${call_id} and lease_id = ${lease_id} returning 1`;
  return rows.length > 0;
}
