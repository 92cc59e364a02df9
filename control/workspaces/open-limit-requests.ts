import type { AnySql } from '../db/connect.ts';

export interface OpenLimitRequest {
  workspace_id: string;
  workspace_name: string;
  id: string;
  requested_limit: number;
  concurrency_limit: number;
  reason: string;
  created_at: Date;
}

/** Of all workspaces, for the service's team: first come first. */
export async function openLimitRequests(sql: AnySql): Promise<OpenLimitRequest[]> {
  return sql<OpenLimitRequest[]>`
    select r.workspace_id, w.name as workspace_name, r.id, r.requested_limit, w.concurrency_limit, r.reason, r.created_at
    from limit_requests r join workspaces w on w.id = r.workspace_id
    where r.status = 'open' order by r.created_at, r.id limit 200`;
}

/** Whose open request it is: the team knows one by its id alone. */
export async function workspaceOfLimitRequest(sql: AnySql, id: string): Promise<string | null> {
  const [row] = await sql<{ workspace_id: string }[]>`
    select workspace_id from limit_requests where status = 'open' and id = ${id}`;
  return row?.workspace_id ?? null;
}
