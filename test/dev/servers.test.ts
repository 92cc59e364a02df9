import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../../dev/postgres.ts';
import { createTestDatabase } from '../support/postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'antiphon-dev-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const first = await createTestDatabase();
const other = await createTestDatabase();

describe('embedded PostgreSQL', () => {
  it('keeps its data and its password across a restart', async () => {
    const dataDir = join(folder, 'postgres');
    const first = await startPostgres({ dataDir, unsafeButFast: true });
    const before = postgres(first.url, { max: 1 });
    await before`create table kept (word text)`;
    await before`insert into kept values ('hello')`;
    await before.end();
    await first.stop();
    expect(first.running()).toBe(false);

    const second = await startPostgres({ dataDir, port: first.port, unsafeButFast: true });
    expect(second.url).toBe(first.url);
    await second.restart();
    const after = postgres(second.url, { max: 1 });
    expect(await after`select word from kept`).toEqual([{ word: 'hello' }]);
    await after.end();
    await second.stop();
  });

  it('gives each test file its own database', async () => {
    await first.sql`create table only_here (id int)`;
    const found = await other.sql`select 1 from pg_tables where tablename = 'only_here'`;
    expect(found).toHaveLength(0);
  });
});
