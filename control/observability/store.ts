import { type BoundedTotal, boundedTotal } from '../db/bounded-total.ts';
import type { AnySql, Sql } from '../db/connect.ts';
import type { AuditRecord, LogRecord } from './log-records.ts';

export interface AuditFilters {
  /** The beginning of the action. */
  action?: string | undefined;
  actor_id?: string | undefined;
  target_id?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

export interface Page<Item> extends BoundedTotal {
  items: Item[];
}

/** So many events of an action are read to find the newest of them; of a more frequent one a page is found by reading the newest events. */
const FEW = 1_000;

/** Newest first. */
export async function listAuditEvents(
  sql: Sql,
  workspaceId: string,
  filters: AuditFilters,
  limit: number,
  skip: number,
): Promise<Page<AuditRecord>> {
  const { action, ...others } = filters;
  const where = sql`where ${auditMatching(sql, workspaceId, filters)}`;
  const byAction = action !== undefined && Object.values(others).every((value) => value === undefined);
  // In the order of the index that has the filter: then PostgreSQL reads no more of it than are counted.
  const matches = sql`select id, at from audit_events ${where} ${byAction ? sql`order by action` : NEWEST(sql)}`;
  let listed = sql`select id, at from audit_events ${where}`;
  if (byAction) {
    const few = sql`${matches} limit ${sql.unsafe(`${FEW + 1}`)}`;
    const [found] = await sql<{ few: boolean }[]>`select count(*) <= ${FEW} as few from (${few}) as matching`;
    // Not as a range of the index of actions: the newest are wanted, and every one of these would be read and sorted.
    const inOrder = sql`
      select id, at from audit_events where workspace_id = ${workspaceId} and left(action, length(${action})) = ${action}`;
    listed = found!.few ? few : inOrder;
  }
  const ids = await sql<{ id: string }[]>`
    select id from (${listed}) as matching ${NEWEST(sql)} limit ${limit} offset ${skip}`;
  const items = await sql<AuditRecord[]>`
    select id, at, action, jsonb_build_object('kind', actor_kind, 'id', actor_id, 'name', actor_name) as actor,
      jsonb_build_object('kind', target_kind, 'id', target_id, 'name', target_name) as target,
      changes, data, address, request_id
    from audit_events where workspace_id = ${workspaceId} and id = any(${ids.map(({ id }) => id)}) ${NEWEST(sql)}`;
  return { items: [...items], ...(await boundedTotal(sql, { rows: items.length, limit, skip }, matches)) };
}

const NEWEST = (sql: AnySql) => sql`order by at desc, id desc`;

function auditMatching(sql: AnySql, workspaceId: string, { action, actor_id, target_id, since, until }: AuditFilters) {
  return sql`
    workspace_id = ${workspaceId}
    ${action === undefined ? sql`` : sql`and action >= ${action} and action < ${`${action}\u{10ffff}`}`}
    ${actor_id === undefined ? sql`` : sql`and actor_id = ${actor_id}`}
    ${target_id === undefined ? sql`` : sql`and target_id = ${target_id}`}
    ${since === undefined ? sql`` : sql`and at >= ${since}`}
    ${until === undefined ? sql`` : sql`and at <= ${until}`}`;
}

export interface NewLogRow extends Omit<LogRecord, 'at'> {
  workspace_id: string;
  at: string;
}

/** Writes the lines that the workspaces want: those whose logging is on, from their level upward. */
export async function insertServerLogs(sql: AnySql, rows: readonly NewLogRow[]): Promise<void> {
  await sql`
    insert into server_logs (
      workspace_id, id, at, level, message, source, request_id, call_id, agent_id, method, path, status, duration_ms, data
    )
    select l.workspace_id, l.id, l.at, l.level, l.message, l.source, l.request_id, l.call_id, l.agent_id, l.method, l.path,
      l.status, l.duration_ms, l.data
    from jsonb_to_recordset(${sql.json(rows as never)}) as l (
      workspace_id text, id text, at timestamptz, level text, message text, source text, request_id text, call_id text,
      agent_id text, method text, path text, status integer, duration_ms integer, data jsonb
    )
    join workspaces w on w.id = l.workspace_id
    where w.system_logs_enabled
      and array_position(array['info', 'warning', 'error'], l.level)
        >= array_position(array['info', 'warning', 'error'], w.system_logs_level)`;
}

/** Deletes in small batches, so that nobody waits for a lock. @returns true when there may be more. */
export async function deleteLogsBefore(sql: Sql, before: Date, max: number): Promise<boolean> {
  const { count } = await sql`
    delete from server_logs where (workspace_id, id) in (
      select workspace_id, id from server_logs where at < ${before} order by at limit ${max}
    )`;
  return count === max;
}

export async function deleteAuditBefore(sql: Sql, before: Date, max: number): Promise<boolean> {
  const { count } = await sql`
    delete from audit_events where (workspace_id, id) in (
      select workspace_id, id from audit_events where at < ${before} order by at limit ${max}
    )`;
  return count === max;
}
