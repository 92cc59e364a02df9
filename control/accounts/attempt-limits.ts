import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { AnySql } from '../db/connect.ts';
import { HttpError } from '../http/errors.ts';

/** Counts attempts, to throttle guessing. Stored in PostgreSQL, so that all processes agree and a restart forgets nothing. */
export interface Limit {
  count: number;
  withinMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const FAILED_SIGN_INS: Limit = { count: 5, withinMs: 5 * MINUTE_MS };
/** Of one account, from all networks together: OWASP ASVS 4.0.3, 2.2.1, allows at most 100 an hour. */
export const FAILED_SIGN_INS_EVERYWHERE: Limit = { count: 50, withinMs: HOUR_MS };
export const WARNINGS_OF_GUESSING: Limit = { count: 1, withinMs: 24 * HOUR_MS };
export const SIGN_UPS_PER_ADDRESS: Limit = { count: 5, withinMs: HOUR_MS };
export const SIGN_UPS_PER_DOMAIN: Limit = { count: 20, withinMs: 24 * HOUR_MS };
/** Emails with links that a client asks for, per address of the client and per recipient. */
export const EMAIL_REQUESTS: Limit = { count: 5, withinMs: HOUR_MS };

/** An IPv6 client usually has a whole /64, so that counts as one. */
export function addressSubject(kind: string, address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return `${kind} address ${isIPv6(plain) ? network64(plain) : plain}`;
}

/** The network of a client as one: /24 of IPv4, /48 of IPv6, which one customer has as a rule (RFC 6177). */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(plain)) return plain.split('.').slice(0, 3).join('.');
  return network64(plain).split(':').slice(0, 3).join(':');
}

/** Hashed, because most addresses that are tried belong to strangers. */
export function emailSubject(kind: string, email: string): string {
  return `${kind} email ${createHash('sha256').update(email).digest('hex').slice(0, 32)}`;
}

function network64(address: string): string {
  const [head = '', tail] = address.split('%')[0]!.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : new Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** Returns the milliseconds until each of the subjects is allowed once more; 0 now. */
export async function retryAfterMs(sql: AnySql, subjects: string[], limit: Limit, nowMs: number): Promise<number> {
  const rows = await sql<{ happened_at: Date[] }[]>`
    select happened_at from attempts where subject = any(${subjects})`;
  return Math.max(0, ...rows.map((row) => remainingMs(row.happened_at, limit, nowMs, limit.count)));
}

/**
 * Counts one attempt. Of many at the same moment exactly `limit.count` are allowed.
 *
 * @returns 0, or the milliseconds until the next is allowed: this one was too many.
 */
export async function countAttempt(sql: AnySql, subject: string, limit: Limit, nowMs: number): Promise<number> {
  const now = new Date(nowMs);
  const since = new Date(nowMs - limit.withinMs);
  const forget = new Date(nowMs + limit.withinMs);
  const [row] = await sql<{ happened_at: Date[] }[]>`
    insert into attempts as a (subject, happened_at, expires_at) values (${subject}, array[${now}::timestamptz], ${forget})
    on conflict (subject) do update set expires_at = ${forget}, happened_at = array(
      select t from unnest(a.happened_at || ${now}::timestamptz) t where t > ${since} order by t desc limit ${limit.count + 1})
    returning happened_at`;
  return remainingMs(row!.happened_at, limit, nowMs, limit.count + 1);
}

function remainingMs(happened: Date[], { count, withinMs }: Limit, nowMs: number, tooMany: number): number {
  const recent = happened.map((at) => at.getTime()).filter((at) => at > nowMs - withinMs);
  if (recent.length < tooMany) return 0;
  // The next is allowed when the oldest of the last `count` is no longer counted.
  const oldest = recent.sort((a, b) => b - a)[count - 1]!;
  return Math.max(1, oldest + withinMs - nowMs);
}

export function tooManyFailures(waitMs: number): HttpError {
  const minutes = Math.ceil(waitMs / MINUTE_MS);
  return tooMany(`too many failed sign-ins; try again in ${minutes} minutes`, waitMs);
}

export const tooManySignUps = (waitMs: number) => tooMany('too many sign-ups; try again later', waitMs);
export const rateLimited = (waitMs: number) => tooMany('rate limit exceeded; slow down', waitMs);

function tooMany(detail: string, waitMs: number): HttpError {
  return new HttpError(429, detail, { headers: { 'Retry-After': String(Math.ceil(waitMs / 1000)) } });
}
