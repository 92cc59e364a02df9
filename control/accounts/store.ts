import type { AnySql, Transaction } from '../db/connect.ts';
import type { WorkspaceState } from '../http/authenticate.ts';
import type { MemberRole } from '../http/permissions.ts';

/** The SQL of users and their credentials. */

export interface UserRow {
  id: string;
  name: string;
  email: string;
  pending_email: string;
  email_verified_at: Date | null;
  password_hash: string;
  timezone: string;
  avatar: number | string | null;
  two_factor_secret: string | null;
  two_factor_enabled_at: Date | null;
  two_factor_last_step: number;
  two_factor_offered_secret: string | null;
  two_factor_offered_until: Date | null;
  created_at: Date;
}

/** All columns that are read of users who were not deleted. */
const COLUMNS = [
  'id',
  'name',
  'email',
  'pending_email',
  'email_verified_at',
  'password_hash',
  'timezone',
  'avatar',
  'two_factor_secret',
  'two_factor_enabled_at',
  'two_factor_last_step',
  'two_factor_offered_secret',
  'two_factor_offered_until',
  'created_at',
] as const;

export interface WorkspaceOfUser {
  id: string;
  name: string;
  role: MemberRole;
  state: WorkspaceState;
}

/** @returns false when a user has this email. */
export async function insertUser(
  sql: AnySql,
  user: Pick<UserRow, 'id' | 'name' | 'email' | 'email_verified_at' | 'password_hash' | 'timezone' | 'created_at'>,
): Promise<boolean> {
  const { count } = await sql`
    insert into users ${sql(user, 'id', 'name', 'email', 'email_verified_at', 'password_hash', 'timezone', 'created_at')}
    on conflict (email) where deleted_at is null do nothing`;
  return count > 0;
}

export async function insertMembership(
  sql: AnySql,
  member: { workspace_id: string; user_id: string; role: MemberRole; joined_at: Date },
): Promise<void> {
  await sql`insert into memberships ${sql(member, 'workspace_id', 'user_id', 'role', 'joined_at')}`;
}

export async function findUser(sql: AnySql, userId: string): Promise<UserRow | null> {
  const [row] = await sql<UserRow[]>`
    select ${sql(COLUMNS)} from users where id = ${userId} and deleted_at is null`;
  return row ?? null;
}

/** Locks the user until the end of the transaction. */
export async function lockUser(tx: Transaction, userId: string): Promise<UserRow | null> {
  const [row] = await tx<UserRow[]>`
    select ${tx(COLUMNS)} from users where id = ${userId} and deleted_at is null for no key update`;
  return row ?? null;
}

export async function findUserByEmail(sql: AnySql, email: string): Promise<UserRow | null> {
  const [row] = await sql<UserRow[]>`
    select ${sql(COLUMNS)} from users where email = ${email} and deleted_at is null`;
  return row ?? null;
}

export async function updateUser(
  sql: AnySql,
  userId: string,
  { avatar, ...fields }: Partial<Omit<UserRow, 'id' | 'created_at'>>,
): Promise<void> {
  const columns = { ...fields, ...(avatar === undefined ? {} : { avatar: avatar === null ? null : sql.json(avatar) }) };
  if (Object.keys(columns).length === 0) return;
  await sql`update users set ${sql(columns)} where id = ${userId} and deleted_at is null`;
}

/** @returns false when the hash was changed meanwhile. */
export async function replacePasswordHash(
  sql: AnySql,
  { id, password_hash }: Pick<UserRow, 'id' | 'password_hash'>,
  replacement: string,
): Promise<boolean> {
  const { count } = await sql`
    update users set password_hash = ${replacement} where id = ${id} and password_hash = ${password_hash}`;
  return count > 0;
}

/** Removes everything personal; the row stays for the records that refer to it. */
export async function anonymiseUser(sql: AnySql, userId: string, now: Date): Promise<void> {
  await sql`
    update users set name = 'Deleted user', email = '', pending_email = '', email_verified_at = null,
      password_hash = '', avatar = null, two_factor_secret = null, two_factor_enabled_at = null,
      two_factor_offered_secret = null, two_factor_offered_until = null, deleted_at = ${now}
    where id = ${userId}`;
  await sql`delete from recovery_codes where user_id = ${userId}`;
  await sql`delete from login_tokens where user_id = ${userId}`;
  await sql`delete from devices where user_id = ${userId}`;
  await sql`delete from email_links where user_id = ${userId}`;
}

/** The workspace that a session without a choice acts in comes first. */
export async function workspacesOfUser(sql: AnySql, userId: string): Promise<WorkspaceOfUser[]> {
  return sql<WorkspaceOfUser[]>`
    select w.id, w.name, m.role, w.state
    from memberships m join workspaces w on w.id = m.workspace_id
    where m.user_id = ${userId}
    order by w.state = 'closed', m.joined_at, m.workspace_id`;
}

/** @returns whether the step was not used before; of two requests at the same moment one succeeds. */
export async function consumeTotpStep(sql: AnySql, userId: string, step: number): Promise<boolean> {
  const { count } = await sql`
    update users set two_factor_last_step = ${step} where id = ${userId} and two_factor_last_step < ${step}`;
  return count > 0;
}

export async function consumeRecoveryCode(sql: AnySql, userId: string, hash: Buffer): Promise<boolean> {
  const { count } = await sql`delete from recovery_codes where user_id = ${userId} and hash = ${hash}`;
  return count > 0;
}

/** Replaces all recovery codes. */
export async function replaceRecoveryCodes(sql: AnySql, userId: string, hashes: Buffer[]): Promise<void> {
  await sql`delete from recovery_codes where user_id = ${userId}`;
  for (const hash of hashes) await sql`insert into recovery_codes (user_id, hash) values (${userId}, ${hash})`;
}

export async function countRecoveryCodes(sql: AnySql, userId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from recovery_codes where user_id = ${userId}`;
  return row!.count;
}

export async function insertLoginToken(
  sql: AnySql,
  token: { user_id: string; hash: Buffer; tries: number; created_at: Date; expires_at: Date },
): Promise<void> {
  const { user_id, hash, tries, created_at, expires_at } = token;
  await sql`
    insert into login_tokens (token_hash, user_id, tries_left, created_at, expires_at)
    values (${hash}, ${user_id}, ${tries}, ${created_at}, ${expires_at})`;
}

/** Uses up one of the token's tries. @returns the user, or null when it is unknown, expired or used up. */
export async function consumeLoginTokenTry(sql: AnySql, hash: Buffer, now: Date): Promise<string | null> {
  const [row] = await sql<{ user_id: string }[]>`
    update login_tokens set tries_left = tries_left - 1
    where token_hash = ${hash} and tries_left > 0 and expires_at > ${now} returning user_id`;
  return row?.user_id ?? null;
}

/** @returns the user of a token that is still good, or null. */
export async function findLoginToken(sql: AnySql, hash: Buffer, now: Date): Promise<string | null> {
  const [row] = await sql<{ user_id: string }[]>`
    select user_id from login_tokens where token_hash = ${hash} and tries_left > 0 and expires_at > ${now}`;
  return row?.user_id ?? null;
}

/** @returns whether it was still there: of two requests at once one succeeds. */
export async function deleteLoginToken(sql: AnySql, hash: Buffer): Promise<boolean> {
  const { count } = await sql`delete from login_tokens where token_hash = ${hash}`;
  return count > 0;
}

export async function deleteLoginTokensOf(sql: AnySql, userId: string): Promise<void> {
  await sql`delete from login_tokens where user_id = ${userId}`;
}

/** Locks the user's workspaces in order, and returns them with the numbers of their members and owners. */
export async function lockWorkspacesOf(tx: Transaction, userId: string) {
  await tx`
    select id from workspaces where id in (select workspace_id from memberships where user_id = ${userId})
    order by id for no key update`;
  return tx<{ id: string; name: string; role: MemberRole; state: WorkspaceState; members: number; owners: number }[]>`
    select w.id, w.name, mine.role, w.state, count(*)::integer as members,
      (count(*) filter (where others.role = 'owner'))::integer as owners
    from memberships mine
    join workspaces w on w.id = mine.workspace_id
    join memberships others on others.workspace_id = mine.workspace_id
    where mine.user_id = ${userId}
    group by w.id, mine.role order by w.id`;
}

export async function deleteMembershipsOf(sql: AnySql, userId: string): Promise<void> {
  await sql`delete from memberships where user_id = ${userId}`;
}

export async function closeWorkspace(sql: AnySql, workspaceId: string): Promise<void> {
  await sql`update workspaces set state = 'closed' where id = ${workspaceId}`;
}
