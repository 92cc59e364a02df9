import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase, isDatabaseReachable, type Sql } from '../../../control/db/connect.ts';
import { startPostgres } from '../../../dev/postgres.ts';
import { makeFastFolder } from '../../support/fast-folder.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { copyPreparedPostgres } from '../../support/prepared-postgres.ts';

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connectDatabase({ url: database.url, max: 4 });
});
afterAll(async () => {
  await sql.end({ timeout: 5 });
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

it('connections are opened again after an outage of PostgreSQL', async () => {
  const folderOfServer = makeFastFolder('antiphon-restart-');
  await copyPreparedPostgres(join(folderOfServer, 'postgres'));
  const server = await startPostgres({ dataDir: join(folderOfServer, 'postgres'), unsafeButFast: true });
  const connection = connectDatabase({ url: server.url, max: 3 });
  try {
    await Promise.all([1, 2, 3].map(() => connection`select pg_sleep(0.05)`));
    await server.stop();
    expect(await isDatabaseReachable(connection, 1_000)).toBe(false);
    await server.restart();
    await expect.poll(() => isDatabaseReachable(connection, 3_000)).toBe(true);
    expect(await connection`select 1 as one`).toEqual([{ one: 1 }]);
  } finally {
    await connection.end({ timeout: 2 });
    await server.stop();
    rmSync(folderOfServer, { recursive: true, force: true });
  }
});
