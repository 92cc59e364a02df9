import { type AnySql, type Sql, type Transaction, wakeAfterCommit } from '../../db/connect.ts';
import { lockWorkspace } from '../../workspaces/lock-workspace.ts';

/**
 * The rows of fees that are taken every 30 days. Who starts, stops or retries one holds the lock of the workspace, taken before
 * any other row.
 */

export type RenewalKind = 'plan' | 'lines' | 'number' | 'caller_id';

export interface RenewalKey {
  workspace_id: string;
  kind: RenewalKind;
  /** What is renewed: a plan's id, a number, a caller-id request; of lines `all`. */
  subject_id: string;
}

export interface Renewal extends RenewalKey {
  /** Until then it is paid; the cycle that begins then is charged next. */
  cycle_end: Date;
  next_attempt_at: Date;
  /** Since the fee could not be taken. */
  past_due_since: Date | null;
}

/** Takes the fee every 30 days from the end of the cycle that is paid already. Started again, it begins anew. */
export async function startRenewal(
  tx: Transaction,
  { workspace_id, kind, subject_id, cycle_end }: RenewalKey & Pick<Renewal, 'cycle_end'>,
): Promise<void> {
  await tx`
    insert into renewals (workspace_id, kind, subject_id, cycle_end, next_attempt_at)
    values (${workspace_id}, ${kind}, ${subject_id}, ${cycle_end}, ${cycle_end})
    on conflict (workspace_id, kind, subject_id)
    do update set cycle_end = excluded.cycle_end, next_attempt_at = excluded.next_attempt_at, past_due_since = null`;
}

/** Takes no further fee. Does nothing when there is no such renewal. */
export async function stopRenewal(tx: Transaction, { workspace_id, kind, subject_id }: RenewalKey): Promise<void> {
  await tx`
    delete from renewals where workspace_id = ${workspace_id} and kind = ${kind} and subject_id = ${subject_id}`;
}

export async function findRenewal(
  sql: AnySql,
  { workspace_id, kind, subject_id }: RenewalKey,
): Promise<Renewal | null> {
  const [row] = await sql<Renewal[]>`
    select * from renewals where workspace_id = ${workspace_id} and kind = ${kind} and subject_id = ${subject_id}`;
  return row ?? null;
}

export async function lockRenewal(
  tx: Transaction,
  { workspace_id, kind, subject_id }: RenewalKey,
): Promise<Renewal | null> {
  const [row] = await tx<Renewal[]>`
    select * from renewals where workspace_id = ${workspace_id} and kind = ${kind} and subject_id = ${subject_id}
    for update`;
  return row ?? null;
}

/** All renewals of a workspace. */
export async function listRenewals(sql: AnySql, workspaceId: string): Promise<Renewal[]> {
  return sql<Renewal[]>`select * from renewals where workspace_id = ${workspaceId} order by kind, subject_id`;
}

export async function updateRenewal(
  tx: Transaction,
  { workspace_id, kind, subject_id, cycle_end, next_attempt_at, past_due_since }: Renewal,
): Promise<void> {
  await tx`
    update renewals set cycle_end = ${cycle_end}, next_attempt_at = ${next_attempt_at}, past_due_since = ${past_due_since}
    where workspace_id = ${workspace_id} and kind = ${kind} and subject_id = ${subject_id}`;
}

/** What is due, of any workspace, put off until `leaseMs` later for every other process. */
export async function leaseDueRenewals(sql: Sql, limit: number, nowMs: number, leaseMs: number): Promise<Renewal[]> {
  return sql<Renewal[]>`
    update renewals r set next_attempt_at = ${new Date(nowMs + leaseMs)}
    from (
      select workspace_id, kind, subject_id from renewals where next_attempt_at <= ${new Date(nowMs)}
      order by next_attempt_at limit ${limit} for update skip locked
    ) due
    where r.workspace_id = due.workspace_id and r.kind = due.kind and r.subject_id = due.subject_id returning r.*`;
}

/** When the next fee of any workspace is due; null: none is. */
export async function nextDueTime(sql: AnySql): Promise<Date | null> {
  const [row] = await sql<{ at: Date | null }[]>`select min(next_attempt_at) as at from renewals`;
  return row!.at;
}

/**
 * Tries unpaid fees of a workspace again now instead of once a day, because credits are added in this transaction: call it before
 * they are, so that the workspace is locked before the wallet. @returns how many.
 */
export async function retryPastDue(tx: Transaction, workspaceId: string, nowMs: number): Promise<number> {
  await lockWorkspace(tx, workspaceId);
  const rows = await tx`
    update renewals set next_attempt_at = ${new Date(nowMs)}
    where workspace_id = ${workspaceId} and past_due_since is not null and next_attempt_at > ${new Date(nowMs)}
    returning 1`;
  if (rows.length > 0) wakeAfterCommit(tx, 'renewals', workspaceId);
  return rows.length;
}
