import type { AnySql } from '../db/connect.ts';
import { hashOfToken, looksLikeToken, newToken } from './secret-token.ts';

/**
 * Browsers in which a user signed in, known by a cookie of their own that outlives the session (OWASP, "Slow Down Online Guessing
 * Attacks with Device Cookies"). A token is stored hashed, belongs to a user, and is worth nothing without the password.
 */

export const DEVICE_TTL_MS = 180 * 24 * 3_600_000;
const MAX_DEVICES = 20;

/** Whether the user of this email signed in with this device. */
export async function isKnownDevice(sql: AnySql, token: string, email: string, now: Date): Promise<boolean> {
  if (!looksLikeToken('svcd_', token)) return false;
  const rows = await sql`
    select 1 from devices d join users u on u.id = d.user_id and u.deleted_at is null
    where u.email = ${email} and d.token_hash = ${hashOfToken(token)} and d.expires_at > ${now}`;
  return rows.length > 0;
}

/** Notes that the user signed in with this device; the 20 used last are kept. @returns its token, a new one if it had none of ours. */
export async function rememberDevice(sql: AnySql, userId: string, sent: string, now: Date): Promise<string> {
  const token = (await isOurs(sql, sent, now)) ? sent : newToken('svcd_');
  await sql`
    insert into devices (token_hash, user_id, last_used_at, expires_at)
    values (${hashOfToken(token)}, ${userId}, ${now}, ${new Date(now.getTime() + DEVICE_TTL_MS)})
    on conflict (user_id, token_hash) do update
    set last_used_at = excluded.last_used_at, expires_at = excluded.expires_at`;
  await sql`
    delete from devices where user_id = ${userId} and token_hash in (
      select token_hash from devices where user_id = ${userId} order by last_used_at desc offset ${MAX_DEVICES})`;
  return token;
}

/** After a reset of the password nobody's device is known any more. */
export async function forgetDevices(sql: AnySql, userId: string): Promise<void> {
  await sql`delete from devices where user_id = ${userId}`;
}

/** A token that somebody made up is not taken over. */
async function isOurs(sql: AnySql, token: string, now: Date): Promise<boolean> {
  if (!looksLikeToken('svcd_', token)) return false;
  const rows = await sql`
    select 1 from devices where token_hash = ${hashOfToken(token)} and expires_at > ${now} limit 1`;
  return rows.length > 0;
}
