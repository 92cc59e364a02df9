import type { AnySql } from '../db/connect.ts';

export type WorkspaceState = 'onboarding' | 'active' | 'suspended' | 'closed';

export interface WorkspaceRow {
  id: string;
  name: string;
  state: WorkspaceState;
  timezone: string;
  currency: 'INR' | 'USD';
  concurrency_limit: number;
  created_at: Date;
}

export interface ApiKeyRow {
  workspace_id: string;
  id: string;
  name: string;
  prefix: string;
  created_by: string;
  created_at: Date;
  last_used_at: Date | null;
}

export async function insertWorkspace(
  sql: AnySql,
  workspace: Pick<WorkspaceRow, 'id' | 'name' | 'state' | 'created_at'>,
): Promise<void> {
  await sql`insert into workspaces ${sql(workspace, 'id', 'name', 'state', 'created_at')}`;
}

export async function findWorkspace(sql: AnySql, workspaceId: string): Promise<WorkspaceRow | null> {
  const [row] = await sql<WorkspaceRow[]>`
    select id, name, state, timezone, currency, concurrency_limit, created_at from workspaces where id = ${workspaceId}
  `;
  return row ?? null;
}

export async function insertKey(sql: AnySql, key: Omit<ApiKeyRow, 'last_used_at'>, hash: Buffer): Promise<void> {
  const { workspace_id, id, name, prefix, created_by, created_at } = key;
  await sql`
    insert into api_keys (workspace_id, id, name, prefix, hash, created_by, created_at)
    values (${workspace_id}, ${id}, ${name}, ${prefix}, ${hash}, ${created_by}, ${created_at})
  `;
}

export interface KeyOwner {
  id: string;
  name: string;
  last_used_at: Date | null;
  workspace_id: string;
  workspace_state: WorkspaceState;
}

export async function findKeyByHash(sql: AnySql, hash: Buffer): Promise<KeyOwner | null> {
  const [row] = await sql<KeyOwner[]>`
    select k.id, k.name, k.last_used_at, k.workspace_id, w.state as workspace_state
    from api_keys k join workspaces w on w.id = k.workspace_id
    where k.hash = ${hash} and k.revoked_at is null
  `;
  return row ?? null;
}

export async function countKeys(sql: AnySql, workspaceId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from api_keys where workspace_id = ${workspaceId} and revoked_at is null
  `;
  return row!.count;
}

/** Written only when the last time is a minute old, whoever asks first. */
export async function markKeyUsed(sql: AnySql, workspaceId: string, keyId: string, now: Date): Promise<void> {
  await sql`
    update api_keys set last_used_at = ${now}
    where workspace_id = ${workspaceId} and id = ${keyId}
      and (last_used_at is null or last_used_at < ${new Date(now.getTime() - 60_000)})
  `;
}
