import type { AnySql, Sql } from '../db/connect.ts';

/** The SQL of passkeys and of the challenges that they sign. */

export interface PasskeyRow {
  id: string;
  user_id: string;
  credential_id: Buffer;
  public_key: Buffer;
  sign_count: number;
  transports: string[];
  synced: boolean;
  name: string;
  created_at: Date;
  last_used_at: Date | null;
}

export interface Challenge {
  purpose: 'registration' | 'sign_in' | 'confirmation';
  /** The id of the session, or the hash of the login token in hex. */
  bound_to: string;
  user_id: string;
  challenge: string;
  expires_at: Date;
}

/** @returns false when this credential is registered already. */
export async function insertPasskey(sql: AnySql, passkey: PasskeyRow): Promise<boolean> {
  const { count } = await sql`insert into passkeys ${sql({ ...passkey })} on conflict (credential_id) do nothing`;
  return count > 0;
}

/** Lists the user's passkeys, oldest first. */
export async function listPasskeys(sql: AnySql, userId: string): Promise<PasskeyRow[]> {
  return sql<PasskeyRow[]>`
    select id, user_id, credential_id, public_key, sign_count::float8 as sign_count, transports, synced, name, created_at,
      last_used_at
    from passkeys where user_id = ${userId} order by created_at, id`;
}

export async function renamePasskey(sql: AnySql, userId: string, id: string, name: string): Promise<string | null> {
  const [row] = await sql<{ old_name: string }[]>`
    update passkeys set name = ${name} from (select name as old_name from passkeys where id = ${id} for update) before
    where user_id = ${userId} and id = ${id} returning old_name`;
  return row?.old_name ?? null;
}

/** @returns the name of the passkey that was deleted, or null. */
export async function deletePasskey(sql: AnySql, userId: string, id: string): Promise<string | null> {
  const [row] = await sql<{ name: string }[]>`
    delete from passkeys where user_id = ${userId} and id = ${id} returning name`;
  return row?.name ?? null;
}

/**
 * Writes the use of a passkey. @returns false when the authenticator's counter did not grow, as that of a copy does not; one that
 * stays 0 is not counted (Web Authentication level 3, section 6.1.1).
 */
export async function countPasskeyUse(sql: AnySql, id: string, signCount: number, now: Date): Promise<boolean> {
  const { count } = await sql`
    update passkeys set sign_count = ${signCount}, last_used_at = ${now}
    where id = ${id} and (sign_count < ${signCount} or (sign_count = 0 and ${signCount} = 0))`;
  return count > 0;
}

/** Stores a challenge in place of the one before it. */
export async function saveChallenge(sql: Sql, given: Challenge): Promise<void> {
  const { purpose, bound_to, user_id, challenge, expires_at } = given;
  await sql`
    insert into passkey_challenges (purpose, bound_to, user_id, challenge, expires_at)
    values (${purpose}, ${bound_to}, ${user_id}, ${challenge}, ${expires_at})
    on conflict (purpose, bound_to) do update
    set user_id = excluded.user_id, challenge = excluded.challenge, expires_at = excluded.expires_at`;
}

/** Takes the challenge out: of two requests at once one gets it. */
export async function takeChallenge(
  sql: AnySql,
  { purpose, bound_to, user_id }: Pick<Challenge, 'purpose' | 'bound_to' | 'user_id'>,
  now: Date,
): Promise<string | null> {
  const [row] = await sql<{ challenge: string; expires_at: Date }[]>`
    delete from passkey_challenges where purpose = ${purpose} and bound_to = ${bound_to} and user_id = ${user_id}
    returning challenge, expires_at`;
  return row && row.expires_at > now ? row.challenge : null;
}
