import type { AnySql, Sql, Transaction } from '../db/connect.ts';
import type { WorkspaceState } from '../http/authenticate.ts';
import type { Scope } from '../http/scopes.ts';

/** The SQL of API keys. */

const SHOWN_AFTER_END_MS = 30 * 24 * 3_600_000;

export interface KeyLimits {
  /** Null: everything that keys may do. */
  scopes: Scope[] | null;
  /** Null: no end. */
  expires_at: Date | null;
  /** Addresses and networks (CIDR) it may be used from; empty: any. */
  allowed_addresses: string[];
}

export interface ApiKeyRow extends KeyLimits {
  workspace_id: string;
  id: string;
  name: string;
  prefix: string;
  created_by: string;
  created_at: Date;
  last_used_at: Date | null;
  last_used_address: string;
  /** The key that was made when this one was rotated. */
  replaced_by: string | null;
  /** The connection of the app that made it, and with which it ends. */
  grant_id: string | null;
}

const COLUMNS = (sql: AnySql) => sql`
  workspace_id, id, name, prefix, created_by, created_at, last_used_at, last_used_address, scopes, expires_at,
  allowed_addresses, replaced_by, grant_id`;

export async function insertKey(sql: AnySql, key: ApiKeyRow, hash: Buffer): Promise<void> {
  const { workspace_id, id, name, prefix, created_by, created_at, scopes, expires_at, allowed_addresses, grant_id } =
    key;
  await sql`
    insert into api_keys
      (workspace_id, id, name, prefix, hash, created_by, created_at, scopes, expires_at, allowed_addresses, grant_id)
    values (${workspace_id}, ${id}, ${name}, ${prefix}, ${hash}, ${created_by}, ${created_at}, ${scopes}::text[],
      ${expires_at}, ${allowed_addresses}::text[], ${grant_id})`;
}

export interface KeyOwner extends KeyLimits {
  id: string;
  name: string;
  last_used_at: Date | null;
  grant_id: string | null;
  workspace_id: string;
  workspace_state: WorkspaceState;
  keys_may_make_keys: boolean;
  requests_per_minute: number;
}

/** Finds keys that were not revoked, by hash in hex. */
export async function findKeysByHash(sql: AnySql, hashes: readonly string[]): Promise<Map<string, KeyOwner>> {
  const rows = await sql<(KeyOwner & { hash: Buffer })[]>`
    select k.hash, k.id, k.name, k.last_used_at, k.scopes, k.expires_at, k.allowed_addresses, k.grant_id, k.workspace_id,
      w.state as workspace_state, w.keys_may_make_keys, w.api_requests_per_minute as requests_per_minute
    from api_keys k join workspaces w on w.id = k.workspace_id
    where k.hash = any(array(select decode(h, 'hex') from unnest(${[...hashes]}::text[]) as h)) and k.revoked_at is null
  `;
  return new Map(rows.map((row) => [row.hash.toString('hex'), row]));
}

/** Counts the keys that go on: neither those whose time is over nor those that were rotated. */
export async function countKeys(sql: AnySql, workspaceId: string, now: Date): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from api_keys
    where workspace_id = ${workspaceId} and revoked_at is null and replaced_by is null
      and (expires_at is null or expires_at > ${now})`;
  return row!.count;
}

/** Writes at most once a minute, whichever process is first. */
export async function markKeyUsed(
  sql: Sql,
  { workspace_id, id, address, now }: { workspace_id: string; id: string; address: string; now: Date },
): Promise<void> {
  await sql`
    update api_keys set last_used_at = ${now}, last_used_address = ${address}
    where workspace_id = ${workspace_id} and id = ${id}
      and (last_used_at is null or last_used_at < ${new Date(now.getTime() - 60_000)})
  `;
}

/** Lists keys that were not revoked, newest first; those whose time is over for 30 days more. */
export async function listKeys(sql: AnySql, workspaceId: string, now: Date): Promise<ApiKeyRow[]> {
  return sql<ApiKeyRow[]>`
    select ${COLUMNS(sql)} from api_keys
    where workspace_id = ${workspaceId} and revoked_at is null
      and (expires_at is null or expires_at > ${new Date(now.getTime() - SHOWN_AFTER_END_MS)})
    order by id desc`;
}

/** Locks a key that works. */
export async function lockKey(tx: Transaction, workspaceId: string, id: string, now: Date): Promise<ApiKeyRow | null> {
  const [row] = await tx<ApiKeyRow[]>`
    select ${COLUMNS(tx)} from api_keys
    where workspace_id = ${workspaceId} and id = ${id} and revoked_at is null
      and (expires_at is null or expires_at > ${now})
    for no key update`;
  return row ?? null;
}

/** The key ends with the overlap, or at its own end when that is sooner. */
export async function markKeyReplaced(
  tx: Transaction,
  { workspace_id, id, replaced_by, ends }: { workspace_id: string; id: string; replaced_by: string; ends: Date },
): Promise<void> {
  await tx`
    update api_keys set replaced_by = ${replaced_by}, expires_at = least(expires_at, ${ends})
    where workspace_id = ${workspace_id} and id = ${id}`;
}

/** @returns the name of the key; null when there is no such key, or it was revoked before. */
export async function revokeKeyRow(
  tx: Transaction,
  workspaceId: string,
  keyId: string,
  at: Date,
): Promise<string | null> {
  const [row] = await tx<{ name: string }[]>`
    update api_keys set revoked_at = ${at}
    where workspace_id = ${workspaceId} and id = ${keyId} and revoked_at is null returning name`;
  return row?.name ?? null;
}
