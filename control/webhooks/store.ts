import type { AnySql, Transaction } from '../db/connect.ts';

/** The tables of endpoints and secrets. */

/** An endpoint as in the API, without its secret. */
export interface EndpointRow {
  id: string;
  url: string;
  description: string;
  events: string[];
  active: boolean;
  secret_hint: string;
  created_at: Date;
  created_by: string;
}

export interface SealedSecret {
  secret: Uint8Array;
  secret_hint: string;
}

const COLUMNS = (sql: AnySql) => sql`id, url, description, events, active, secret_hint, created_at, created_by`;

export async function listEndpoints(sql: AnySql, workspaceId: string): Promise<EndpointRow[]> {
  return sql<EndpointRow[]>`
    select ${COLUMNS(sql)} from webhook_endpoints where workspace_id = ${workspaceId} order by id desc`;
}

export async function findEndpoint(
  sql: AnySql,
  workspaceId: string,
  id: string,
): Promise<(EndpointRow & { secret: Uint8Array }) | null> {
  const [row] = await sql<(EndpointRow & { secret: Uint8Array })[]>`
    select ${COLUMNS(sql)}, secret from webhook_endpoints where workspace_id = ${workspaceId} and id = ${id}`;
  return row ?? null;
}

export async function lockEndpoint(tx: Transaction, workspaceId: string, id: string): Promise<EndpointRow | null> {
  const [row] = await tx<EndpointRow[]>`
    select ${COLUMNS(tx)} from webhook_endpoints where workspace_id = ${workspaceId} and id = ${id} for update`;
  return row ?? null;
}

/** Counts under the lock of the workspace, so that concurrent requests cannot exceed the limit. */
export async function countEndpointsLocked(tx: Transaction, workspaceId: string): Promise<number> {
  await tx`select id from workspaces where id = ${workspaceId} for no key update`;
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from webhook_endpoints where workspace_id = ${workspaceId}`;
  return row!.count;
}

export async function insertEndpoint(
  tx: Transaction,
  workspace_id: string,
  endpoint: EndpointRow & SealedSecret & { grant_id: string | null },
): Promise<void> {
  await tx`insert into webhook_endpoints ${tx({ workspace_id, ...endpoint } as never)}`;
}

export type EndpointChange = Pick<EndpointRow, 'url' | 'description' | 'events' | 'active'>;

export async function updateEndpoint(
  tx: Transaction,
  workspaceId: string,
  id: string,
  { url, description, events, active }: EndpointChange,
): Promise<void> {
  await tx`
    update webhook_endpoints set url = ${url}, description = ${description}, events = ${events}, active = ${active}
    where workspace_id = ${workspaceId} and id = ${id}`;
}

export async function replaceSecret(
  tx: Transaction,
  workspaceId: string,
  id: string,
  { secret, secret_hint }: SealedSecret,
): Promise<void> {
  await tx`
    update webhook_endpoints set secret = ${secret}, secret_hint = ${secret_hint}
    where workspace_id = ${workspaceId} and id = ${id}`;
}

export async function deleteEndpoint(tx: Transaction, workspaceId: string, id: string): Promise<void> {
  await tx`delete from webhook_endpoints where workspace_id = ${workspaceId} and id = ${id}`;
}

export interface DefaultSecretRow extends SealedSecret {
  created_at: Date;
}

export async function findDefaultSecret(sql: AnySql, workspaceId: string): Promise<DefaultSecretRow | null> {
  const [row] = await sql<DefaultSecretRow[]>`
    select secret, secret_hint, created_at from webhook_default_secrets where workspace_id = ${workspaceId}`;
  return row ?? null;
}

/** Inserts the default secret unless there is one. */
export async function insertDefaultSecret(
  sql: AnySql,
  workspaceId: string,
  { secret, secret_hint, created_at }: DefaultSecretRow,
): Promise<void> {
  await sql`
    insert into webhook_default_secrets (workspace_id, secret, secret_hint, created_at)
    values (${workspaceId}, ${secret}, ${secret_hint}, ${created_at}) on conflict do nothing`;
}

export async function replaceDefaultSecret(
  tx: Transaction,
  workspaceId: string,
  { secret, secret_hint, created_at }: DefaultSecretRow,
): Promise<void> {
  await tx`
    insert into webhook_default_secrets (workspace_id, secret, secret_hint, created_at)
    values (${workspaceId}, ${secret}, ${secret_hint}, ${created_at})
    on conflict (workspace_id) do update set
      secret = excluded.secret, secret_hint = excluded.secret_hint, created_at = excluded.created_at`;
}
