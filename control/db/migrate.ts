import { setTimeout as sleep } from 'node:timers/promises';
import { runWithoutTransaction } from './concurrent-index.ts';
import { isPooled, type Sql } from './connect.ts';
import { type Connection, retryOnLockTimeout } from './lock-timeout.ts';
import { MIGRATIONS, type MigrationFile, readMigrationFiles, statementsOf } from './migration-files.ts';

/** Any number, the same in every process that migrates. */
const LOCK = 7_080_001;
const LOCK_POLL_MS = 200;
const PROGRESS_INTERVAL_MS = 2_000;

/**
 * Applies every migration that was not applied yet, in order: each in a transaction, those marked so statement by statement.
 * Several processes may do so at once; one of them works. The connection is the server's own, not a pooler's.
 *
 * @param onProgress gets a line every two seconds while something takes longer than that.
 * @returns the names applied now.
 */
export async function migrate(
  sql: Sql,
  folder = MIGRATIONS,
  onProgress: (line: string) => void = () => {},
): Promise<string[]> {
  if (isPooled(sql)) throw new Error("DATABASE_URL is a transaction pooler's: migrate needs the server's own address");
  const files = await readMigrationFiles(folder);
  const connection = await sql.reserve();
  try {
    // A migration takes as long as its tables are large.
    await connection.unsafe('set statement_timeout = 0; set lock_timeout = 0');
    await withProgress('waiting for another process that migrates', onProgress, () => takeLock(connection));
    return await applyPending(connection, files, onProgress);
  } finally {
    // Also after a broken connection, which has given up all of this by itself.
    await connection.unsafe(`select pg_advisory_unlock(${LOCK}); reset all`).catch(() => {});
    connection.release();
  }
}

/**
 * By polling: a session that waits for the lock inside of PostgreSQL has a snapshot, and an index that is built concurrently by the lock's holder
 * waits for all older snapshots.
 */
async function takeLock(connection: Connection): Promise<void> {
  for (;;) {
    const [row] = await connection<{ taken: boolean }[]>`select pg_try_advisory_lock(${LOCK}) as taken`;
    if (row!.taken) return;
    await sleep(LOCK_POLL_MS);
  }
}

async function applyPending(
  connection: Connection,
  files: readonly MigrationFile[],
  onProgress: (line: string) => void,
): Promise<string[]> {
  await connection`
    create table if not exists migrations (
      name text primary key,
      applied_at timestamptz not null default now()
    )`;
  // Only programs that have this migration run on the schema; null: it adds only.
  await connection`alter table migrations add column if not exists needs_program integer`;
  const rows = await connection<{ name: string; needs_program: number | null }[]>`
    select name, needs_program from migrations`;
  const known = new Map(rows.map(({ name, needs_program }) => [name, needs_program]));
  for (const { name, needsProgram } of files) {
    // It was applied by a program that did not know of this line.
    if (known.has(name) && known.get(name) !== needsProgram) {
      await connection`update migrations set needs_program = ${needsProgram} where name = ${name}`;
    }
  }
  const pending = files.filter(({ name }) => !known.has(name));
  for (const file of pending) await withProgress(file.name, onProgress, () => apply(connection, file, onProgress));
  return pending.map(({ name }) => name);
}

async function apply(connection: Connection, file: MigrationFile, onProgress: (line: string) => void): Promise<void> {
  const record = () => connection`
    insert into migrations (name, needs_program) values (${file.name}, ${file.needsProgram})`;
  if (!file.transaction) {
    for (const statement of statementsOf(file)) await runWithoutTransaction(connection, statement);
    await record();
    return;
  }
  const work = async () => {
    await connection`begin`;
    try {
      await connection.unsafe(file.text);
      await record();
      await connection`commit`;
    } catch (error) {
      await connection`rollback`.catch(() => {});
      throw error;
    }
  };
  await retryOnLockTimeout(connection, work, () => onProgress(`${file.name}: a table is in use; trying again`));
}

async function withProgress<Result>(
  what: string,
  onProgress: (line: string) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += PROGRESS_INTERVAL_MS / 1_000;
    onProgress(`${what}: ${seconds} s`);
  }, PROGRESS_INTERVAL_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
