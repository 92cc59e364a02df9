import type { AnySql, Sql } from '../db/connect.ts';
import type { WorkspaceState } from '../http/authenticate.ts';
import type { MemberRole } from '../http/permissions.ts';

/** The SQL of sessions. */

export const SESSION_TTL_MS = 30 * 24 * 3_600_000;
/** How long a session counts as confirmed after its password or second factor was entered. */
export const CONFIRMED_FOR_MS = 15 * 60_000;
const MAX_LISTED = 50;

export interface SessionRow {
  id: string;
  user_id: string;
  client: string;
  address: string;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
}

export interface FoundSession {
  session_id: string;
  created_at: Date;
  last_seen_at: Date;
  user_id: string;
  user_name: string;
  email_verified: boolean;
  /** When the password or second factor was entered last. */
  confirmed_at: Date | null;
  /** Whether the workspace asks for it again where an endpoint does; null without a workspace. */
  confirm_password: boolean | null;
  /** Null when the user has no workspace, or is no member of the chosen one. */
  workspace_id: string | null;
  workspace_state: WorkspaceState | null;
  role: MemberRole | null;
}

/** Without a choice the workspace is the one joined first; closed ones come last. */
export async function findSessionByHash(
  sql: AnySql,
  hash: Buffer,
  now: Date,
  choice: string | null,
): Promise<FoundSession | null> {
  const [row] = await sql<FoundSession[]>`
    select s.id as session_id, s.created_at, s.last_seen_at, s.confirmed_at, u.id as user_id, u.name as user_name,
      u.email_verified_at is not null as email_verified,
      m.workspace_id, m.role, m.state as workspace_state, m.confirm_password
    from sessions s
    join users u on u.id = s.user_id and u.deleted_at is null
    left join lateral (
      select m.workspace_id, m.role, w.state, w.confirm_password
      from memberships m join workspaces w on w.id = m.workspace_id
      where m.user_id = u.id and (${choice}::text is null or m.workspace_id = ${choice})
      order by w.state = 'closed', m.joined_at, m.workspace_id
      limit 1
    ) m on true
    where s.token_hash = ${hash} and s.revoked_at is null and s.expires_at > ${now}`;
  return row ?? null;
}

/** Writes at most once a minute, whichever process is first. */
export async function markSessionSeen(sql: Sql, session: FoundSession, now: Date, expires: Date): Promise<void> {
  const minuteAgo = new Date(now.getTime() - 60_000);
  await sql`
    update sessions set last_seen_at = ${now}, expires_at = ${expires}
    where id = ${session.session_id} and revoked_at is null and last_seen_at <= ${minuteAgo}`;
  if (session.workspace_id === null) return;
  await sql`
    update memberships set last_seen_at = ${now}
    where workspace_id = ${session.workspace_id} and user_id = ${session.user_id}
      and (last_seen_at is null or last_seen_at <= ${minuteAgo})`;
}

/** Inserts a session whose password was just entered. */
export async function insertSession(sql: AnySql, session: SessionRow, hash: Buffer): Promise<void> {
  const { id, user_id, client, address, created_at, last_seen_at, expires_at } = session;
  await sql`
    insert into sessions (id, user_id, token_hash, client, address, created_at, last_seen_at, expires_at, confirmed_at)
    values (${id}, ${user_id}, ${hash}, ${client}, ${address}, ${created_at}, ${last_seen_at}, ${expires_at},
      ${created_at})`;
}

/** Notes that the password or second factor was entered. */
export async function markSessionConfirmed(sql: AnySql, sessionId: string, now: Date): Promise<void> {
  await sql`update sessions set confirmed_at = ${now} where id = ${sessionId} and revoked_at is null`;
}

/** Lists open sessions, newest first. */
export async function listSessions(sql: AnySql, userId: string, now: Date): Promise<SessionRow[]> {
  return sql<SessionRow[]>`
    select id, user_id, client, address, created_at, last_seen_at, expires_at from sessions
    where user_id = ${userId} and revoked_at is null and expires_at > ${now}
    order by created_at desc, id desc limit ${MAX_LISTED}`;
}

/** @returns whether there was one to end. */
export async function revokeSession(sql: AnySql, userId: string, sessionId: string, now: Date): Promise<boolean> {
  const { count } = await sql`
    update sessions set revoked_at = ${now}
    where id = ${sessionId} and user_id = ${userId} and revoked_at is null and expires_at > ${now}`;
  return count > 0;
}

/** Ends all but one, or all of them. @returns how many. */
export async function revokeSessions(sql: AnySql, userId: string, except: string | null, now: Date): Promise<number> {
  const { count } = await sql`
    update sessions set revoked_at = ${now}
    where user_id = ${userId} and (${except}::text is null or id != ${except})
      and revoked_at is null and expires_at > ${now}`;
  return count;
}
