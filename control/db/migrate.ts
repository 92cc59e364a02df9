import { readdir, readFile } from 'node:fs/promises';
import type { Sql } from './connect.ts';

const FILE_PATTERN = /^(\d{4})_[a-z0-9_]+\.sql$/;
/** Any number, the same in every process that migrates. */
const LOCK = 7_080_001;

/**
 * Applies every `migrations/NNNN_name.sql` that was not applied yet, in order, one transaction each. Several processes may
 * start at once; the others wait for the first.
 *
 * @returns the names applied now.
 * @throws when the database holds a migration that this program does not have, because a newer one made it.
 */
export async function migrate(sql: Sql, folder = new URL('./migrations/', import.meta.url)): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => FILE_PATTERN.test(name)).sort();
  const applied: string[] = [];
  for (const name of files) {
    const text = await readFile(new URL(name, folder), 'utf8');
    const isNew = await sql.begin(async (tx) => {
      await tx`set local lock_timeout = '60s'`;
      await tx`set local statement_timeout = '600s'`;
      await tx`select pg_advisory_xact_lock(${LOCK})`;
      await tx`create table if not exists migrations (
        name text primary key,
        applied_at timestamptz not null default now()
      )`;
      const [row] = await tx`insert into migrations (name) values (${name}) on conflict do nothing returning name`;
      if (!row) return false;
      await tx.unsafe(text);
      return true;
    });
    if (isNew) applied.push(name);
  }
  const unknown = await sql<{ name: string }[]>`select name from migrations where name != all(${files}) order by name`;
  if (unknown[0]) throw new Error(`the database is newer than this program: it has migration ${unknown[0].name}`);
  return applied;
}
