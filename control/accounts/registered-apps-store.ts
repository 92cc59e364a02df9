import type { AnySql, Transaction } from '../db/connect.ts';
import type { Scope } from '../http/scopes.ts';

/** The SQL of apps that a workspace registered. Those that were deleted stay as rows, for the records that name them. */

export interface RegisteredApp {
  id: string;
  name: string;
  redirect_uris: string[];
  /** It has a secret; else it is public, as on a phone or in a page. */
  confidential: boolean;
  scopes: Scope[] | null;
  created_by: string;
  created_at: Date;
  /** Connections of people that go on. */
  connections: number;
}

const COLUMNS = (sql: AnySql) => sql`
  a.id, a.name, a.redirect_uris, a.secret_hash is not null as confidential, a.scopes, a.created_by, a.created_at, (
    select count(*)::integer from oauth_grants g where g.app_id = a.id and g.revoked_at is null
      and exists (select 1 from oauth_tokens t where t.workspace_id = g.workspace_id and t.grant_id = g.id)
  ) as connections`;

/** Newest first. */
export const listRegisteredApps = (sql: AnySql, workspaceId: string): Promise<RegisteredApp[]> =>
  sql<RegisteredApp[]>`
    select ${COLUMNS(sql)} from oauth_apps a
    where a.workspace_id = ${workspaceId} and a.disabled_at is null order by a.id desc`;

export async function lockRegisteredApp(
  tx: Transaction,
  workspaceId: string,
  appId: string,
): Promise<RegisteredApp | null> {
  const [row] = await tx<RegisteredApp[]>`
    select ${COLUMNS(tx)} from oauth_apps a
    where a.workspace_id = ${workspaceId} and a.id = ${appId} and a.disabled_at is null for no key update of a`;
  return row ?? null;
}

/** Counts under a lock of the workspace, so that two cannot both register the last. */
export async function countAppsUnderLock(tx: Transaction, workspaceId: string): Promise<number> {
  await tx`select id from workspaces where id = ${workspaceId} for no key update`;
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from oauth_apps where workspace_id = ${workspaceId} and disabled_at is null`;
  return row!.count;
}

export async function updateApp(
  tx: Transaction,
  workspaceId: string,
  { id, name, redirect_uris }: Pick<RegisteredApp, 'id' | 'name' | 'redirect_uris'>,
): Promise<void> {
  await tx`
    update oauth_apps set name = ${name}, redirect_uris = ${redirect_uris}
    where workspace_id = ${workspaceId} and id = ${id}`;
}

export async function updateAppSecret(
  tx: Transaction,
  workspaceId: string,
  appId: string,
  secretHash: Buffer,
): Promise<void> {
  await tx`update oauth_apps set secret_hash = ${secretHash} where workspace_id = ${workspaceId} and id = ${appId}`;
}
