import type { AnySql, Transaction } from '../db/connect.ts';

/** The SQL of the people who run the operator's commands. */

export type OperatorRole = 'read' | 'change';

export interface OperatorPerson {
  id: string;
  name: string;
  role: OperatorRole;
  created_at: Date;
  created_by: string;
  expires_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

/** Whether the schema has people at all: it may be that of an earlier program. */
export async function peopleExist(sql: AnySql): Promise<boolean> {
  const [table] = await sql<{ found: string | null }[]>`select to_regclass('operators')::text as found`;
  if (table!.found === null) return false;
  const [row] = await sql<{ found: boolean }[]>`select exists (select 1 from operators) as found`;
  return row!.found;
}

/** Whether somebody's key works who may run everything. */
export async function somebodyMayChange(sql: AnySql, now: Date): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select 1 from operators where role = 'change' and revoked_at is null and expires_at > ${now}
    ) as found`;
  return row!.found;
}

/** Keeps others from adding the first person at the same time, until the end of the transaction. */
export async function lockPeople(tx: Transaction): Promise<void> {
  await tx`lock table operators in share row exclusive mode`;
}

/** @returns false when somebody has this name. */
export async function insertPerson(sql: AnySql, person: OperatorPerson, keyHash: Buffer): Promise<boolean> {
  const { count } = await sql`
    insert into operators ${sql({ ...person, key_hash: keyHash })}
    on conflict (lower(name)) where revoked_at is null do nothing`;
  return count > 0;
}

/** Finds the person of a key, also of one that is over or revoked, and notes the use. */
export async function personOfKey(sql: AnySql, keyHash: Buffer, now: Date): Promise<OperatorPerson | null> {
  const [row] = await sql<OperatorPerson[]>`
    update operators set last_used_at = ${now} where key_hash = ${keyHash}
    returning id, name, role, created_at, created_by, expires_at, last_used_at, revoked_at`;
  return row ?? null;
}

/** Everybody, those whose key was revoked last. */
export async function listPeople(sql: AnySql): Promise<OperatorPerson[]> {
  return sql<OperatorPerson[]>`
    select id, name, role, created_at, created_by, expires_at, last_used_at, revoked_at
    from operators order by revoked_at nulls first, created_at, id`;
}

/** Gives a person another key. @returns the person; null when nobody has this name. */
export async function replaceKey(
  sql: AnySql,
  name: string,
  keyHash: Buffer,
  expiresAt: Date,
): Promise<OperatorPerson | null> {
  const [row] = await sql<OperatorPerson[]>`
    update operators set key_hash = ${keyHash}, expires_at = ${expiresAt}
    where lower(name) = lower(${name}) and revoked_at is null
    returning id, name, role, created_at, created_by, expires_at, last_used_at, revoked_at`;
  return row ?? null;
}

export async function revokeKey(sql: AnySql, name: string, now: Date): Promise<OperatorPerson | null> {
  const [row] = await sql<OperatorPerson[]>`
    update operators set revoked_at = ${now} where lower(name) = lower(${name}) and revoked_at is null
    returning id, name, role, created_at, created_by, expires_at, last_used_at, revoked_at`;
  return row ?? null;
}
