import type { Sql } from './connect.ts';
import { MIGRATIONS, readMigrationFiles } from './migration-files.ts';

/** Whether this program runs on the schema that the database has. */

/** The program does not run on this schema; the message says what to do. */
export class SchemaError extends Error {}

export interface SchemaState {
  applied: { name: string; applied_at: Date }[];
  /** Migrations of this program that the database lacks. */
  pending: string[];
  /** Migrations that the database has from a newer program. */
  newer: string[];
  /** Why this program does not run on the schema; null when it does. */
  refusal: string | null;
}

interface AppliedRow {
  name: string;
  applied_at: Date;
  /** Missing in a schema of the time before contracting migrations were marked. */
  needs_program?: number | null;
}

export async function schemaState(sql: Sql, folder = MIGRATIONS): Promise<SchemaState> {
  const files = await readMigrationFiles(folder);
  const [table] = await sql<{ found: string | null }[]>`select to_regclass('migrations')::text as found`;
  const rows = table!.found === null ? [] : await sql<AppliedRow[]>`select * from migrations order by name`;
  const own = new Set(files.map(({ name }) => name));
  const numbers = new Set(files.map(({ number }) => number));
  const applied = new Set(rows.map(({ name }) => name));
  const pending = files.filter(({ name }) => !applied.has(name)).map(({ name }) => name);
  const newer = rows.filter(({ name }) => !own.has(name));
  const barrier = newer.find(({ needs_program }) => needs_program != null && !numbers.has(needs_program));
  return {
    applied: rows.map(({ name, applied_at }) => ({ name, applied_at })),
    pending,
    newer: newer.map(({ name }) => name),
    refusal: barrier ? tooNew(barrier) : pending[0] !== undefined ? tooOld(pending) : null,
  };
}

/** @throws SchemaError when this program does not run on the schema. */
export async function checkSchema(sql: Sql): Promise<void> {
  const { refusal } = await schemaState(sql);
  if (refusal !== null) throw new SchemaError(refusal);
}

const tooOld = (pending: readonly string[]) =>
  `the database lacks ${pending.length} ${pending.length === 1 ? 'migration' : 'migrations'} of this program, from ${pending[0]} on: ` +
  'run `node control/operator.ts migrate` first';

const tooNew = ({ name, needs_program }: AppliedRow) =>
  `the database is newer than this program: ${name} needs a program that has migration ${String(needs_program).padStart(4, '0')}`;
