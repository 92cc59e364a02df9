import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase, isDatabaseReachable, type Sql } from '../../../control/db/connect.ts';
import { migrate } from '../../../control/db/migrate.ts';
import { startPostgres } from '../../../dev/postgres.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'antiphon-migrations-'));
const migrations = pathToFileURL(`${folder}/`);
let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connectDatabase({ url: database.url, max: 4 });
});
afterAll(async () => {
  await sql.end({ timeout: 5 });
  rmSync(folder, { recursive: true, force: true });
});

describe('numbers from the database', () => {
  it('are JavaScript numbers, also bigint', async () => {
    const [row] = await sql<{ n: number; max: number }[]>`select 5::bigint as n, ${2 ** 53 - 1}::bigint as max`;
    expect(row).toEqual({ n: 5, max: Number.MAX_SAFE_INTEGER });
  });

  it('that do not fit are rejected', async () => {
    await expect(sql`select 9007199254740993::bigint as n`).rejects.toThrow('does not fit');
  });
});

describe('migrations', () => {
  it('of this program are applied', async () => {
    expect(await migrate(sql)).toEqual([]);
  });

  it('are each applied once by concurrent processes', async () => {
    await sql`drop table migrations`;
    writeFileSync(join(folder, '0001_one.sql'), 'create table one (n integer); insert into one values (1);');
    writeFileSync(join(folder, '0002_two.sql'), 'insert into one values (2);');
    writeFileSync(join(folder, 'README.md'), 'not one of them');
    const answers = await Promise.all([1, 2, 3].map(() => migrate(sql, migrations)));
    expect(answers.flat().sort()).toEqual(['0001_one.sql', '0002_two.sql']);
    expect(await sql`select n from one order by n`).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('that fail leave nothing behind', async () => {
    writeFileSync(join(folder, '0003_bad.sql'), 'create table three (n integer); select nothing from nowhere;');
    await expect(migrate(sql, migrations)).rejects.toThrow('nowhere');
    rmSync(join(folder, '0003_bad.sql'));
    expect(await sql`select to_regclass('three') as found`).toEqual([{ found: null }]);
    expect(await migrate(sql, migrations)).toEqual([]);
  });

  it('of a newer program are an error', async () => {
    rmSync(join(folder, '0002_two.sql'));
    await expect(migrate(sql, migrations)).rejects.toThrow('newer than this program: it has migration 0002_two.sql');
  });
});

it('connections are opened again after an outage of PostgreSQL', async () => {
  const folderOfServer = mkdtempSync(join(tmpdir(), 'antiphon-restart-'));
  const server = await startPostgres({ dataDir: join(folderOfServer, 'postgres'), unsafeButFast: true });
  const connection = connectDatabase({ url: server.url, max: 3 });
  try {
    await Promise.all([1, 2, 3].map(() => connection`select pg_sleep(0.05)`));
    await server.stop();
    expect(await isDatabaseReachable(connection, 1_000)).toBe(false);
    await server.restart();
    await expect.poll(() => isDatabaseReachable(connection, 3_000), { timeout: 20_000 }).toBe(true);
    expect(await connection`select 1 as one`).toEqual([{ one: 1 }]);
  } finally {
    await connection.end({ timeout: 2 });
    await server.stop();
    rmSync(folderOfServer, { recursive: true, force: true });
  }
});
