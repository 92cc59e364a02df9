import type { AnySql } from '../db/connect.ts';
import type { WorkspaceState } from '../http/authenticate.ts';
import type { MemberRole } from '../http/permissions.ts';
import type { Scope } from '../http/scopes.ts';

/** The SQL of connected apps. A grant connects an app, a user and a workspace. */

export interface OauthApp {
  id: string;
  name: string;
  redirect_uris: string[];
  secret_hash: Buffer | null;
  /** Null: all that keys may do. */
  scopes: Scope[] | null;
  /** Of the workspace that registered it; null: the operator did. */
  workspace_name: string | null;
}

export interface OauthCode {
  workspace_id: string;
  grant_id: string;
  app_id: string;
  redirect_uri: string;
  code_challenge: string;
  used_at: Date | null;
}

export interface NewOauthApp extends Omit<OauthApp, 'workspace_name'> {
  workspace_id: string | null;
  created_by: string;
  created_at: Date;
}

export async function insertApp(sql: AnySql, app: NewOauthApp): Promise<void> {
  const { id, name, redirect_uris, secret_hash, scopes, workspace_id, created_by, created_at } = app;
  await sql`
    insert into oauth_apps (id, name, redirect_uris, secret_hash, scopes, workspace_id, created_by, created_at)
    values (${id}, ${name}, ${redirect_uris}, ${secret_hash}, ${scopes}::text[], ${workspace_id}, ${created_by},
      ${created_at})`;
}

/** An app of a workspace works while that workspace may: not when it is suspended or closed. */
export async function findApp(sql: AnySql, appId: string): Promise<OauthApp | null> {
  const [row] = await sql<OauthApp[]>`
    select a.id, a.name, a.redirect_uris, a.secret_hash, a.scopes, w.name as workspace_name
    from oauth_apps a left join workspaces w on w.id = a.workspace_id
    where a.id = ${appId} and a.disabled_at is null and (a.workspace_id is null or w.state = 'active')`;
  return row ?? null;
}

/** Ends all connections of the app as well. @returns its name and the workspaces it was connected to; null when it was disabled. */
export async function disableApp(
  sql: AnySql,
  appId: string,
  now: Date,
): Promise<{ name: string; connected_to: string[] } | null> {
  const [row] = await sql<{ name: string; connected_to: string[] }[]>`
    with app as (
      update oauth_apps set disabled_at = ${now} where id = ${appId} and disabled_at is null returning id, name
    ), ended as (
      update oauth_grants g set revoked_at = ${now} from app where g.app_id = app.id and g.revoked_at is null
      returning g.workspace_id, g.id
    )
    select name, array(
      select distinct workspace_id from ended
      where exists (select 1 from oauth_tokens t where t.workspace_id = ended.workspace_id and t.grant_id = ended.id)
    ) as connected_to from app`;
  return row ?? null;
}

export async function insertGrant(
  sql: AnySql,
  grant: { workspace_id: string; id: string; app_id: string; user_id: string; created_at: Date },
): Promise<void> {
  await sql`insert into oauth_grants ${sql(grant, 'workspace_id', 'id', 'app_id', 'user_id', 'created_at')}`;
}

export async function insertCode(
  sql: AnySql,
  hash: Buffer,
  code: Omit<OauthCode, 'app_id' | 'used_at'> & { created_at: Date; expires_at: Date },
): Promise<void> {
  const { workspace_id, grant_id, redirect_uri, code_challenge, created_at, expires_at } = code;
  await sql`
    insert into oauth_codes
      (code_hash, workspace_id, grant_id, redirect_uri, code_challenge, created_at, expires_at)
    values (${hash}, ${workspace_id}, ${grant_id}, ${redirect_uri}, ${code_challenge}, ${created_at}, ${expires_at})`;
}

/** Locks the code, also a used one: a second use revokes the grant. */
export async function lockCode(sql: AnySql, hash: Buffer, now: Date): Promise<OauthCode | null> {
  const [row] = await sql<OauthCode[]>`
    select c.workspace_id, c.grant_id, g.app_id, c.redirect_uri, c.code_challenge, c.used_at
    from oauth_codes c join oauth_grants g on g.workspace_id = c.workspace_id and g.id = c.grant_id
    where c.code_hash = ${hash} and c.expires_at > ${now} and g.revoked_at is null
    for no key update of c`;
  return row ?? null;
}

export async function markCodeUsed(sql: AnySql, hash: Buffer, now: Date): Promise<void> {
  await sql`update oauth_codes set used_at = ${now} where code_hash = ${hash}`;
}

export async function insertOauthToken(
  sql: AnySql,
  hash: Buffer,
  token: { workspace_id: string; grant_id: string; kind: 'access' | 'refresh'; created_at: Date; expires_at: Date },
): Promise<void> {
  const { workspace_id, grant_id, kind, created_at, expires_at } = token;
  await sql`
    insert into oauth_tokens (token_hash, workspace_id, grant_id, kind, created_at, expires_at)
    values (${hash}, ${workspace_id}, ${grant_id}, ${kind}, ${created_at}, ${expires_at})`;
}

export interface OauthToken {
  workspace_id: string;
  grant_id: string;
  app_id: string;
  user_id: string;
  kind: 'access' | 'refresh';
  used_at: Date | null;
}

/** Locks any token that has not expired or been revoked. */
export async function lockToken(sql: AnySql, hash: Buffer, now: Date): Promise<OauthToken | null> {
  const [row] = await sql<OauthToken[]>`
    select t.workspace_id, t.grant_id, g.app_id, g.user_id, t.kind, t.used_at
    from oauth_tokens t join oauth_grants g on g.workspace_id = t.workspace_id and g.id = t.grant_id
    where t.token_hash = ${hash} and t.expires_at > ${now} and t.revoked_at is null and g.revoked_at is null
    for no key update of t`;
  return row ?? null;
}

export async function markTokenUsed(sql: AnySql, hash: Buffer, now: Date): Promise<void> {
  await sql`update oauth_tokens set used_at = ${now} where token_hash = ${hash}`;
}

export async function revokeToken(sql: AnySql, hash: Buffer, now: Date): Promise<void> {
  await sql`update oauth_tokens set revoked_at = ${now} where token_hash = ${hash} and revoked_at is null`;
}

/** Revokes one grant, those of a user in one workspace, or of a user everywhere. @returns how many */
export async function revokeGrantsOf(
  sql: AnySql,
  whose: { user_id: string; workspace_id?: string; grant_id?: string },
  now: Date,
): Promise<number> {
  const { user_id, workspace_id = null, grant_id = null } = whose;
  const { count } = await sql`
    update oauth_grants set revoked_at = ${now}
    where user_id = ${user_id} and revoked_at is null
      and (${workspace_id}::text is null or workspace_id = ${workspace_id})
      and (${grant_id}::text is null or id = ${grant_id})`;
  return count;
}

export interface FoundOauthToken {
  workspace_id: string;
  workspace_state: WorkspaceState;
  role: MemberRole;
  app_id: string;
  app_name: string;
  /** Null: all that keys may do. */
  scopes: Scope[] | null;
  user_id: string;
  grant_id: string;
  last_used_at: Date | null;
  email_verified: boolean;
  keys_may_make_keys: boolean;
  requests_per_minute: number;
}

/** Finds an access token whose app, with the workspace that registered it, grant, user and membership are all valid. */
export async function findAccessToken(sql: AnySql, hash: Buffer, now: Date): Promise<FoundOauthToken | null> {
  const [row] = await sql<FoundOauthToken[]>`
    select t.workspace_id, w.state as workspace_state, m.role, a.id as app_id, a.name as app_name, a.scopes,
      g.user_id, g.id as grant_id, g.last_used_at, u.email_verified_at is not null as email_verified, w.keys_may_make_keys,
      w.api_requests_per_minute as requests_per_minute
    from oauth_tokens t
    join oauth_grants g on g.workspace_id = t.workspace_id and g.id = t.grant_id and g.revoked_at is null
    join oauth_apps a on a.id = g.app_id and a.disabled_at is null
    left join workspaces registered_by on registered_by.id = a.workspace_id
    join users u on u.id = g.user_id and u.deleted_at is null
    join memberships m on m.workspace_id = g.workspace_id and m.user_id = g.user_id
    join workspaces w on w.id = g.workspace_id
    where t.token_hash = ${hash} and t.kind = 'access' and t.revoked_at is null and t.expires_at > ${now}
      and (a.workspace_id is null or registered_by.state = 'active')`;
  return row ?? null;
}

export async function markGrantUsed(sql: AnySql, workspaceId: string, grantId: string, now: Date): Promise<void> {
  await sql`
    update oauth_grants set last_used_at = ${now}
    where workspace_id = ${workspaceId} and id = ${grantId}
      and (last_used_at is null or last_used_at <= ${new Date(now.getTime() - 60_000)})`;
}

export interface ConnectedApp {
  id: string;
  app_id: string;
  name: string;
  workspace_id: string;
  workspace_name: string;
  created_at: Date;
  last_used_at: Date | null;
}

/** Lists the grants that ever got a token, newest first. */
export async function connectedApps(sql: AnySql, userId: string): Promise<ConnectedApp[]> {
  return sql<ConnectedApp[]>`
    select g.id, g.app_id, a.name, g.workspace_id, w.name as workspace_name, g.created_at, g.last_used_at
    from oauth_grants g join oauth_apps a on a.id = g.app_id join workspaces w on w.id = g.workspace_id
    where g.user_id = ${userId} and g.revoked_at is null
      and exists (select 1 from oauth_tokens t where t.workspace_id = g.workspace_id and t.grant_id = g.id)
    order by g.created_at desc, g.id desc limit 200`;
}
