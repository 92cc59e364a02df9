import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectDatabase, type Sql } from '../../control/db/connect.ts';
import { migrate } from '../../control/db/migrate.ts';
import { startPostgres } from '../../dev/postgres.ts';

const ROOT = join(import.meta.dirname, '../..');
const DATABASE_CODE = join(ROOT, 'control/db');
const CACHE = join(ROOT, '.cache/test-postgres');
/** Older migrations' folders, which another run may just copy, are deleted after this. */
const KEPT_MS = 3_600_000;

/**
 * Puts a PostgreSQL data folder there whose database `antiphon` is migrated, with its password beside it: what `startPostgres`
 * takes as its own. It is made once for these migrations and copied, which saves initdb and every migration.
 */
export async function copyPreparedPostgres(dataDir: string): Promise<void> {
  const prepared = await preparedFolder();
  const copy = promisify(execFile);
  // Unlike Node's cp it keeps the owner, who is not root.
  await copy('cp', ['-a', join(prepared, 'postgres'), dataDir]);
  await copy('cp', ['-a', join(prepared, 'postgres.password'), `${dataDir}.password`]);
}

async function preparedFolder(): Promise<string> {
  const folder = join(CACHE, versionOf());
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const making = mkdtempSync(join(CACHE, 'making-'));
  try {
    await prepareIn(making);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    throw error;
  }
  for (const name of readdirSync(CACHE)) {
    const old = join(CACHE, name);
    if (old !== making && Date.now() - statSync(old).mtimeMs > KEPT_MS) rmSync(old, { recursive: true, force: true });
  }
  try {
    renameSync(making, folder);
  } catch {
    // Another run was faster.
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}

async function prepareIn(folder: string): Promise<void> {
  const server = await startPostgres({ dataDir: join(folder, 'postgres'), unsafeButFast: true });
  try {
    const sql = connectDatabase({ url: server.url, max: 1 });
    try {
      await migrate(sql);
      await makeConnectingCheap(sql, new URL(server.url));
    } finally {
      await sql.end({ timeout: 5 });
    }
  } finally {
    await server.stop();
  }
}

/**
 * Has the password checked by one round of hashing. A run of the tests opens thousands of connections, and the 4,096 rounds, the
 * default, are half of what the client spends on one (`scram_iterations`, https://www.postgresql.org/docs/18/runtime-config-connection.html).
 */
async function makeConnectingCheap(sql: Sql, { username, password }: URL): Promise<void> {
  await sql`set scram_iterations = 1`;
  // A utility statement takes no parameters; the password is of letters, digits, hyphens and underscores.
  await sql.unsafe(`alter role ${username} password '${password}'`);
}

/** Names the content of the migrations, of what applies them, and of what prepares and starts the server. */
function versionOf(): string {
  const hash = createHash('sha256');
  for (const name of ['dev/postgres.ts', 'package-lock.json', 'test/support/prepared-postgres.ts'])
    hash.update(readFileSync(join(ROOT, name)));
  for (const entry of readdirSync(DATABASE_CODE, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) hash.update(entry.name).update(readFileSync(join(entry.parentPath, entry.name)));
  }
  return hash.digest('hex').slice(0, 16);
}
