import type { AnySql, Transaction } from '../db/connect.ts';
import type { WorkspaceState } from '../http/authenticate.ts';

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

/** As the API shows it; without what other modules know. */
export interface WorkspaceDetails extends WorkspaceRow {
  plan_id: string;
  plan_name: string;
  plan_limit: number;
  member_limit: number | null;
  extra_lines: number;
  api_requests_per_minute: number;
  /** The longest-standing owner, when none were set. */
  alert_emails: string[];
  profile: Record<string, string>;
  system_logs: { enabled: boolean; level: 'info' | 'warning' | 'error' };
}

export async function findDetails(sql: AnySql, workspaceId: string): Promise<WorkspaceDetails | null> {
  const [row] = await sql<WorkspaceDetails[]>`
    select w.id, w.name, w.state, w.timezone, w.currency, w.concurrency_limit, w.created_at, w.plan_id, w.extra_lines,
      w.api_requests_per_minute, w.profile, p.name as plan_name, p.concurrency_limit as plan_limit, p.member_limit,
      jsonb_build_object('enabled', w.system_logs_enabled, 'level', w.system_logs_level) as system_logs,
      case when w.alert_emails <> '{}' then w.alert_emails else array(
        select u.email from memberships m join users u on u.id = m.user_id
        where m.workspace_id = w.id and m.role = 'owner' order by m.joined_at, m.user_id limit 1
      ) end as alert_emails
    from workspaces w join plans p on p.id = w.plan_id
    where w.id = ${workspaceId}`;
  return row ?? null;
}

export interface WorkspaceColumns {
  name?: string | undefined;
  timezone?: string | undefined;
  alert_emails?: string[] | undefined;
  system_logs_enabled?: boolean | undefined;
  system_logs_level?: 'info' | 'warning' | 'error' | undefined;
  profile?: Record<string, string> | undefined;
}

/** Fields that are left out stay, also in the profile. */
export async function updateWorkspace(tx: Transaction, workspaceId: string, change: WorkspaceColumns): Promise<void> {
  const { name, timezone, alert_emails, system_logs_enabled, system_logs_level, profile } = change;
  await tx`
    update workspaces set
      name = coalesce(${name ?? null}, name),
      timezone = coalesce(${timezone ?? null}, timezone),
      alert_emails = coalesce(${alert_emails ?? null}::text[], alert_emails),
      system_logs_enabled = coalesce(${system_logs_enabled ?? null}::boolean, system_logs_enabled),
      system_logs_level = coalesce(${system_logs_level ?? null}, system_logs_level),
      profile = profile || ${tx.json(profile ?? {})}
    where id = ${workspaceId}`;
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
  requests_per_minute: number;
}

/** Finds keys that were not revoked, by hash in hex. */
export async function findKeysByHash(sql: AnySql, hashes: readonly string[]): Promise<Map<string, KeyOwner>> {
  const rows = await sql<(KeyOwner & { hash: Buffer })[]>`
    select k.hash, k.id, k.name, k.last_used_at, k.workspace_id, w.state as workspace_state,
      w.api_requests_per_minute as requests_per_minute
    from api_keys k join workspaces w on w.id = k.workspace_id
    where k.hash = any(array(select decode(h, 'hex') from unnest(${[...hashes]}::text[]) as h)) and k.revoked_at is null
  `;
  return new Map(rows.map((row) => [row.hash.toString('hex'), row]));
}

export async function countKeys(sql: AnySql, workspaceId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from api_keys where workspace_id = ${workspaceId} and revoked_at is null
  `;
  return row!.count;
}

/** Writes at most once a minute, whichever process is first. */
export async function markKeyUsed(sql: AnySql, workspaceId: string, keyId: string, now: Date): Promise<void> {
  await sql`
    update api_keys set last_used_at = ${now}
    where workspace_id = ${workspaceId} and id = ${keyId}
      and (last_used_at is null or last_used_at < ${new Date(now.getTime() - 60_000)})
  `;
}

/** Keys that were not revoked, newest first. */
export async function listKeys(sql: AnySql, workspaceId: string): Promise<ApiKeyRow[]> {
  return sql<ApiKeyRow[]>`
    select workspace_id, id, name, prefix, created_by, created_at, last_used_at from api_keys
    where workspace_id = ${workspaceId} and revoked_at is null order by id desc`;
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
