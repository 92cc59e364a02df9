import { createHash, randomBytes } from 'node:crypto';
import type { Sql, Transaction } from '../db/connect.ts';

/**
 * Keys of single numbers, in the addresses that a carrier without signatures calls. Numbers belong to one workspace each, so that the number is
 * enough to find them. Two are valid while one replaces the other.
 */

/** For so long the key before is valid beside a new one: the address at the carrier is changed by hand. */
export const KEY_OVERLAP_MS = 24 * 3_600_000;

export interface NumberCallbackKey {
  number: string;
  created_at: Date;
  expires_at: Date | null;
}

export const hashOfKey = (key: string): Buffer => createHash('sha256').update(key).digest();

/** The hashes of the number's keys; empty where it has none, so that the service's own key counts. */
export async function validKeyHashes(sql: Sql, number: string, nowMs: number): Promise<Buffer[]> {
  const rows = await sql<{ key_hash: Buffer }[]>`
    select key_hash from number_callback_keys
    where number = ${number} and (expires_at is null or expires_at > ${new Date(nowMs)})`;
  return rows.map(({ key_hash }) => key_hash);
}

/** Makes a key of the number. The one before ends after the overlap, older ones now. @returns the key, which is not stored. */
export async function newNumberKey(tx: Transaction, number: string, nowMs: number): Promise<string> {
  const key = randomBytes(32).toString('base64url');
  const now = new Date(nowMs);
  await tx`delete from number_callback_keys where number = ${number} and expires_at is not null`;
  await tx`
    update number_callback_keys set expires_at = ${new Date(nowMs + KEY_OVERLAP_MS)} where number = ${number}`;
  await tx`
    insert into number_callback_keys (number, key_hash, created_at) values (${number}, ${hashOfKey(key)}, ${now})`;
  return key;
}

/** Ends all keys of the number; the service's own key counts again. @returns how many there were. */
export async function endNumberKeys(tx: Transaction, number: string): Promise<number> {
  const { count } = await tx`delete from number_callback_keys where number = ${number}`;
  return count;
}

export async function listNumberKeys(sql: Sql, nowMs: number): Promise<NumberCallbackKey[]> {
  return sql<NumberCallbackKey[]>`
    select number, created_at, expires_at from number_callback_keys
    where expires_at is null or expires_at > ${new Date(nowMs)}
    order by number, created_at`;
}
