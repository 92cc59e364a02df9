import { newId } from '../../shared/ids.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { AnySql, Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, validationError } from '../http/errors.ts';
import { lockWorkspace } from './lock-workspace.ts';
import { notifyWorkspace, quoted } from './notify-workspace.ts';
import { updateConcurrencyLimit } from './plan.ts';

/** Requests for more live calls, which the service's team decides. */

export interface LimitRequestRow {
  id: string;
  requested_limit: number;
  reason: string;
  status: 'open' | 'approved' | 'declined';
  answer: string;
  requested_by: string;
  created_at: Date;
  decided_at: Date | null;
}

const MAX_LISTED = 50;

const columns = (sql: AnySql) => sql`
  id, requested_limit, reason, status, answer, requested_by, created_at, decided_at`;

/** The last 50, newest first. */
export async function listLimitRequests(sql: AnySql, workspaceId: string): Promise<LimitRequestRow[]> {
  return sql<LimitRequestRow[]>`
    select ${columns(sql)} from limit_requests where workspace_id = ${workspaceId} order by id desc limit ${MAX_LISTED}`;
}

export async function findOpenRequest(sql: AnySql, workspaceId: string): Promise<LimitRequestRow | null> {
  const [row] = await sql<LimitRequestRow[]>`
    select ${columns(sql)} from limit_requests where workspace_id = ${workspaceId} and status = 'open'`;
  return row ?? null;
}

export interface NewLimitRequest {
  workspace_id: string;
  actor: Actor;
  /** Live calls, 1 to 100. */
  requested_limit: number;
  reason: string;
  at_ms: number;
}

/** @throws HttpError 422 when it is not above the present limit, 409 while another one is open. */
export async function requestLimit(sql: Sql, request: NewLimitRequest): Promise<LimitRequestRow> {
  const { workspace_id, actor, requested_limit, reason, at_ms } = request;
  return sql.begin(async (tx) => {
    const workspace = await lockWorkspace(tx, workspace_id);
    const present = workspace?.concurrency_limit ?? 0;
    if (requested_limit <= present) {
      const msg = `requested_limit must be above the present limit (${present})`;
      throw validationError(msg, ['requested_limit'], requested_limit);
    }
    const [row] = await tx<LimitRequestRow[]>`
      insert into limit_requests (workspace_id, id, requested_limit, reason, requested_by, created_at)
      values (${workspace_id}, ${newId(at_ms)}, ${requested_limit}, ${reason}, ${actor.name}, ${new Date(at_ms)})
      on conflict (workspace_id) where status = 'open' do nothing
      returning ${columns(tx)}`;
    if (!row) throw conflict('a limit request is already open');
    const target = { kind: 'limit_request', id: row.id, name: '' };
    const data = { requested_limit };
    await writeAudit(tx, { workspace_id, actor, action: 'limit_request.created', target, data, at_ms });
    return row;
  });
}

export interface LimitDecision {
  workspace_id: string;
  request_id: string;
  approved: boolean;
  /** For the workspace to read. */
  answer: string;
  /** A member of the service's team. */
  actor: Actor;
  at_ms: number;
}

/**
 * Decides a request, for the service's team. An approved request is the workspace's limit from now on. @returns null when it is
 * not open.
 */
export async function decideLimitRequest(tx: Transaction, decision: LimitDecision): Promise<LimitRequestRow | null> {
  const { workspace_id, request_id, approved, answer, actor, at_ms } = decision;
  const workspace = await lockWorkspace(tx, workspace_id);
  const [row] = await tx<LimitRequestRow[]>`
    update limit_requests set
      status = ${approved ? 'approved' : 'declined'}, answer = ${answer}, decided_at = ${new Date(at_ms)}
    where workspace_id = ${workspace_id} and id = ${request_id} and status = 'open'
    returning ${columns(tx)}`;
  if (!row || !workspace) return null;
  const changes: Record<string, [unknown, unknown]> = { status: ['open', row.status] };
  if (approved) {
    // Granted in addition to the lines that were bought; without effect when the plan grants more by now.
    await tx`
      update workspaces set own_concurrency_limit = greatest(1, ${row.requested_limit} - extra_lines)
      where id = ${workspace_id}`;
    await updateConcurrencyLimit(tx, workspace_id);
    const after = await lockWorkspace(tx, workspace_id);
    changes.concurrency_limit = [workspace.concurrency_limit, after!.concurrency_limit];
  }
  const target = { kind: 'limit_request', id: row.id, name: '' };
  await writeAudit(tx, { workspace_id, actor, action: `limit_request.${row.status}`, target, changes, at_ms });
  const asked = `Your request for ${row.requested_limit} live calls at once`;
  const text = `${asked} ${approved ? 'is approved, and holds from now on.' : 'was declined. The limit stays as it is.'}`;
  const subject = approved ? 'Your limit of live calls is raised' : 'Your limit of live calls stays';
  await notifyWorkspace(tx, { workspace_id, subject, text: text + quoted('The answer:', answer), at_ms });
  return row;
}

export interface OpenLimitRequest {
  workspace_id: string;
  workspace_name: string;
  id: string;
  requested_limit: number;
  concurrency_limit: number;
  reason: string;
  created_at: Date;
}

/** Open requests of all workspaces, for the service's team; oldest first. */
export async function openLimitRequests(sql: AnySql): Promise<OpenLimitRequest[]> {
  return sql<OpenLimitRequest[]>`
    select r.workspace_id, w.name as workspace_name, r.id, r.requested_limit, w.concurrency_limit, r.reason, r.created_at
    from limit_requests r join workspaces w on w.id = r.workspace_id
    where r.status = 'open' order by r.created_at, r.id limit 200`;
}

/** Returns the workspace of an open request, which the team names by its id alone. */
export async function workspaceOfLimitRequest(sql: AnySql, id: string): Promise<string | null> {
  const [row] = await sql<{ workspace_id: string }[]>`
    select workspace_id from limit_requests where status = 'open' and id = ${id}`;
  return row?.workspace_id ?? null;
}
