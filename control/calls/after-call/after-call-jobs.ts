import { newId } from '../../../shared/ids.ts';
import { type AnySql, type Sql, type Transaction, wakeAfterCommit } from '../../db/connect.ts';
import type { JobItem } from '../../db/item-runner.ts';
import type { CallRow } from '../call-row.ts';

/**
 * The jobs of `after_calls`: the processing between a call's `ended` and its `completed`. A job that has waited too long is late: its
 * call is completed without it, and it waits on.
 */

export interface AfterCallJob {
  workspace_id: string;
  call_id: string;
  created_at: Date;
  due_at: Date;
  lease_id: string;
  tries: number;
  late: boolean;
}

/** The longest time from `ended` to `completed` (API specification). */
export const MAX_COMPLETION_MS = 120_000;

/** Adds the jobs of calls, in the transaction of their `ended`. */
export async function insertAfterCallJobs(
  tx: Transaction,
  calls: readonly Pick<CallRow, 'workspace_id' | 'id'>[],
  nowMs: number,
): Promise<void> {
  if (calls.length === 0) return;
  const [workspaceIds, ids] = [calls.map(({ workspace_id }) => workspace_id), calls.map(({ id }) => id)];
  await tx`
    insert into after_calls (workspace_id, call_id, created_at, due_at)
    select workspace_id, call_id, ${new Date(nowMs)}, ${new Date(nowMs + MAX_COMPLETION_MS)}
    from unnest(${workspaceIds}::text[], ${ids}::text[]) as call (workspace_id, call_id)`;
  for (const workspaceId of new Set(workspaceIds)) wakeAfterCommit(tx, 'after calls', workspaceId);
}

/** Whether the call's completion waits for its processing. */
export async function hasAfterCallJob(tx: Transaction, callId: string): Promise<boolean> {
  const [row] = await tx`select 1 from after_calls where call_id = ${callId} and not late`;
  return row !== undefined;
}

/** Whether the call's processing is not done yet, late or not. */
export async function isProcessingOutstanding(sql: AnySql, callId: string): Promise<boolean> {
  const [row] = await sql`select 1 from after_calls where call_id = ${callId}`;
  return row !== undefined;
}

/** Free jobs that are due: their calls can wait no longer. */
export async function dueAfterCallJobs(
  sql: AnySql,
  nowMs: number,
  dueMs: number,
  excluded: { ids: string[]; workspace_ids: string[] },
): Promise<JobItem[]> {
  return sql<JobItem[]>`
    select call_id as id, workspace_id from after_calls
    where not late and due_at <= ${new Date(dueMs)} and (leased_until is null or leased_until <= ${new Date(nowMs)})
      and call_id <> all(${excluded.ids}) and workspace_id <> all(${excluded.workspace_ids})
    order by due_at limit 100`;
}

/** False when it is late already or done. */
export async function markLate(tx: Transaction, callId: string): Promise<boolean> {
  const rows = await tx`update after_calls set late = true where call_id = ${callId} and not late returning 1`;
  return rows.length > 0;
}

/**
 * Leases at most `limit` free jobs, fairly over workspaces: first of the workspace with the fewest leased jobs, and of each the
 * oldest call. Late ones come after those that their calls wait for.
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
      select after_calls.call_id, after_calls.created_at, after_calls.late, coalesce(busy.rows, 0) + row_number() over (
        partition by after_calls.workspace_id
        order by after_calls.late, after_calls.created_at, after_calls.call_id
      ) as turn
      from after_calls left join busy using (workspace_id)
      where leased_until is null or leased_until <= ${now}
    ), taken as (
      select after_calls.call_id from after_calls join waiting using (call_id)
      where leased_until is null or leased_until <= ${now}
      order by waiting.late, waiting.turn, waiting.created_at, waiting.call_id limit ${limit}
      for update of after_calls skip locked
    )
    update after_calls
    set leased_until = ${new Date(nowMs + leaseMs)}, lease_id = ${newId(nowMs)} || after_calls.call_id, tries = tries + 1
    from taken where after_calls.call_id = taken.call_id
    returning workspace_id, after_calls.call_id, created_at, due_at, lease_id, tries, late`;
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
  wakeAfterCommit(sql, 'after calls', '');
}

/** Lets a job wait until then before it is tried again. */
export async function postponeJob(sql: AnySql, { call_id, lease_id }: AfterCallJob, untilMs: number): Promise<void> {
  await sql`
    update after_calls set leased_until = ${new Date(untilMs)}, lease_id = ''
    where call_id = ${call_id} and lease_id = ${lease_id}`;
}

/** Deletes a job in the transaction that writes its results. Null when the lease is lost: nothing may be written. */
export async function deleteJob(
  tx: Transaction,
  { call_id, lease_id }: AfterCallJob,
): Promise<Pick<AfterCallJob, 'late'> | null> {
  const [row] = await tx<Pick<AfterCallJob, 'late'>[]>`
    delete from after_calls where call_id = ${call_id} and lease_id = ${lease_id} returning late`;
  return row ?? null;
}
