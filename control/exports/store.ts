import { newId } from '../../shared/ids.ts';
import { type AnySql, type Sql, type Transaction, wakeAfterCommit } from '../db/connect.ts';
import type { ArchiveProgress } from './write-archive.ts';

/** The SQL of exports. A waiting export is a row; the process that makes its archive holds its lease. */

export interface ExportRow {
  workspace_id: string;
  id: string;
  status: 'queued' | 'running' | 'ready' | 'failed';
  recordings: boolean;
  records: number;
  recording_count: number;
  size_bytes: number;
  created_by: string;
  created_at: Date;
  finished_at: Date | null;
  expires_at: Date | null;
}

export type LeasedExport = ExportRow & { lease_id: string; tries: number };

const columns = (sql: AnySql) => sql`
  workspace_id, id, status, recordings, records, recording_count, size_bytes, created_by, created_at, finished_at, expires_at`;

const shown = (sql: AnySql, now: Date) => sql`removed_at is null and (expires_at is null or expires_at > ${now})`;

export async function insertExport(
  tx: Transaction,
  {
    workspace_id,
    recordings,
    created_by,
    at,
  }: Pick<ExportRow, 'workspace_id' | 'recordings' | 'created_by'> & { at: Date },
): Promise<ExportRow> {
  const [row] = await tx<ExportRow[]>`
    insert into workspace_exports (workspace_id, id, status, recordings, created_by, created_at, due_at)
    values (${workspace_id}, ${newId(at.getTime())}, 'queued', ${recordings}, ${created_by}, ${at}, ${at})
    returning ${columns(tx)}`;
  wakeAfterCommit(tx, 'exports', workspace_id);
  return row!;
}

/** Under the workspace's lock: how many were started since, and whether one is being made. */
export async function countExports(tx: Transaction, workspaceId: string, since: Date) {
  const [row] = await tx<{ recent: number; unfinished: number }[]>`
    select count(*) filter (where created_at > ${since})::integer as recent,
      count(*) filter (where status in ('queued', 'running') and removed_at is null)::integer as unfinished
    from workspace_exports where workspace_id = ${workspaceId}`;
  return row!;
}

/** Whether calls with a person are yet to be erased. */
export async function isErasing(tx: AnySql, workspaceId: string): Promise<boolean> {
  const rows = await tx`select 1 from call_erasures where workspace_id = ${workspaceId} limit 1`;
  return rows.length > 0;
}

/** Newest first. */
export async function listExports(sql: AnySql, workspaceId: string, now: Date): Promise<ExportRow[]> {
  return sql<ExportRow[]>`
    select ${columns(sql)} from workspace_exports
    where workspace_id = ${workspaceId} and ${shown(sql, now)} order by id desc`;
}

export async function findExport(sql: AnySql, workspaceId: string, id: string, now: Date): Promise<ExportRow | null> {
  const [row] = await sql<ExportRow[]>`
    select ${columns(sql)} from workspace_exports
    where workspace_id = ${workspaceId} and id = ${id} and ${shown(sql, now)}`;
  return row ?? null;
}

/** Null for all of the workspace. @returns how many; what is stored of them is removed by the worker. */
export async function markRemoved(tx: AnySql, workspaceId: string, id: string | null, now: Date): Promise<number> {
  const rows = await tx`
    update workspace_exports set removed_at = ${now}
    where workspace_id = ${workspaceId} and (${id}::text is null or id = ${id}) and ${shown(tx, now)} returning 1`;
  wakeAfterCommit(tx, 'exports', workspaceId);
  return rows.length;
}

export interface LeaseLimits {
  limit: number;
  leaseMs: number;
  maxTries: number;
  now: Date;
}

/** Leases what waits, and what a process that died had begun; what failed too often is given up. */
export async function leaseExports(sql: Sql, { limit, leaseMs, maxTries, now }: LeaseLimits): Promise<LeasedExport[]> {
  await sql`
    update workspace_exports set status = 'failed', finished_at = ${now}, leased_until = null
    where status = 'running' and removed_at is null and leased_until <= ${now} and tries >= ${maxTries}`;
  return sql<LeasedExport[]>`
    with free as (
      select workspace_id, id from workspace_exports
      where status in ('queued', 'running') and removed_at is null and due_at <= ${now}
        and (leased_until is null or leased_until <= ${now})
        and exists (select from workspaces where id = workspace_exports.workspace_id and state <> 'closed')
      order by due_at limit ${limit} for update skip locked
    )
    update workspace_exports set
      status = 'running', stored = true, leased_until = ${new Date(now.getTime() + leaseMs)},
      lease_id = ${newId(now.getTime())} || workspace_exports.id, tries = tries + 1,
      records = 0, recording_count = 0, size_bytes = 0
    where (workspace_id, id) in (select workspace_id, id from free)
    returning ${columns(sql)}, lease_id, tries`;
}

type Lease = Pick<LeasedExport, 'workspace_id' | 'id' | 'lease_id'>;

const held = (sql: AnySql, { workspace_id, id, lease_id }: Lease) => sql`
  workspace_id = ${workspace_id} and id = ${id} and lease_id = ${lease_id} and status = 'running' and removed_at is null
  and exists (select from workspaces where id = ${workspace_id} and state <> 'closed')`;

/** Writes how far it is and extends the lease. False when that is lost, or nobody wants the export any more. */
export async function renewExport(sql: AnySql, lease: Lease, progress: ArchiveProgress, until: Date): Promise<boolean> {
  const rows = await sql`
    update workspace_exports set
      records = ${progress.records}, recording_count = ${progress.recording_count}, leased_until = ${until}
    where ${held(sql, lease)} returning 1`;
  return rows.length > 0;
}

export async function finishExport(
  sql: AnySql,
  lease: Lease,
  {
    records,
    recording_count,
    size_bytes,
    now,
    expires_at,
  }: ArchiveProgress & { size_bytes: number; now: Date; expires_at: Date },
): Promise<void> {
  await sql`
    update workspace_exports set
      status = 'ready', records = ${records}, recording_count = ${recording_count}, size_bytes = ${size_bytes},
      finished_at = ${now}, expires_at = ${expires_at}, leased_until = null
    where ${held(sql, lease)}`;
}

/** Frees it for another process; it does not count as tried. Of a removed one, only the lease ends. */
export async function releaseExport(sql: AnySql, { workspace_id, id, lease_id }: Lease): Promise<void> {
  await sql`
    update workspace_exports set status = 'queued', leased_until = null, lease_id = '', tries = tries - 1
    where workspace_id = ${workspace_id} and id = ${id} and lease_id = ${lease_id} and status = 'running'`;
  wakeAfterCommit(sql, 'exports', workspace_id);
}

/** After a failure: again at `due`, or given up. */
export async function postponeExport(
  sql: AnySql,
  { workspace_id, id, lease_id }: Lease,
  { due, now, maxTries }: { due: Date; now: Date; maxTries: number },
): Promise<void> {
  await sql`
    update workspace_exports set
      status = case when tries >= ${maxTries} then 'failed' else 'queued' end,
      finished_at = case when tries >= ${maxTries} then ${now}::timestamptz end,
      due_at = ${due}, leased_until = null, lease_id = ''
    where workspace_id = ${workspace_id} and id = ${id} and lease_id = ${lease_id} and status = 'running'`;
}

/** Exports of which the store has something that nobody may have any more, and that no process works on. */
export async function storedInVain(sql: AnySql, now: Date, limit: number) {
  return sql<Pick<ExportRow, 'workspace_id' | 'id'>[]>`
    select workspace_id, id from workspace_exports
    where stored and (leased_until is null or leased_until <= ${now}) and (
      removed_at is not null or expires_at <= ${now} or status = 'failed'
      or exists (select from workspaces where id = workspace_exports.workspace_id and state = 'closed')
    ) limit ${limit}`;
}

/** Also ends those of closed workspaces. */
export async function forgetStored(sql: AnySql, workspaceId: string, id: string, now: Date): Promise<void> {
  await sql`
    update workspace_exports set
      stored = false, removed_at = case when status = 'failed' then removed_at else coalesce(removed_at, ${now}) end
    where workspace_id = ${workspaceId} and id = ${id}`;
}

/** Deletes rows whose archive is gone and that count for no limit. A failed one stays in the list as long as an archive would. */
export async function deleteOldExports(sql: AnySql, madeBefore: Date, failedBefore: Date): Promise<void> {
  await sql`
    delete from workspace_exports
    where not stored and created_at < ${madeBefore} and (removed_at is not null or finished_at < ${failedBefore})`;
}
