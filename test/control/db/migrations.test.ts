import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { schemaState } from '../../../control/db/check-schema.ts';
import { connectDatabase, type Sql } from '../../../control/db/connect.ts';
import { migrate } from '../../../control/db/migrate.ts';
import { MIGRATIONS, parseMigrationFile, readMigrationFiles } from '../../../control/db/migration-files.ts';
import { afterFile } from '../../support/after-file.ts';
import { createTestDatabase } from '../../support/postgres.ts';

/** Migrations of a folder of the test's own, in a database that has none. */

let sql: Sql;
let url: string;
let folder: string;
let migrations: URL;

beforeEach(async () => {
  const database = await createTestDatabase();
  url = database.url;
  const pool = connectDatabase({ url, max: 4 });
  sql = pool;
  const made = mkdtempSync(join(tmpdir(), 'antiphon-migrations-'));
  folder = made;
  migrations = pathToFileURL(`${folder}/`);
  afterFile(async () => {
    await pool.end({ timeout: 5 });
    await database.close();
    rmSync(made, { recursive: true, force: true });
  });
  await sql`drop table migrations`;
  write('0001_one.sql', 'create table one (n integer, month integer); insert into one values (1, 1);');
});

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const apply = (onProgress?: (line: string) => void) => migrate(sql, migrations, onProgress);
const indexes = async () => {
  const rows = await sql<{ name: string; valid: boolean }[]>`
    select indexrelid::regclass::text as name, indisvalid as valid from pg_index
    where indrelid::regclass::text ~ '^(one|parts)' order by 1`;
  return rows.map(({ name, valid }) => (valid ? name : `${name} (invalid)`));
};

describe('migrations', () => {
  it('are each applied once by concurrent processes, in order', async () => {
    write('0002_two.sql', 'insert into one values (2);');
    write('0003_index.sql', '-- no transaction\ncreate index concurrently if not exists one_n on one (n);');
    write('README.md', 'not one of them');
    const answers = await Promise.all([1, 2, 3].map(() => apply()));
    expect(answers.flat()).toEqual(['0001_one.sql', '0002_two.sql', '0003_index.sql']);
    expect([await sql`select n from one order by n`, await apply()]).toEqual([[{ n: 1 }, { n: 2 }], []]);
  });

  it('that fail leave nothing behind, nor a setting on the connection', async () => {
    const pool = connectDatabase({ url, max: 1 });
    try {
      write('0002_bad.sql', 'create table two (n integer); select nothing from nowhere;');
      await expect(migrate(pool, migrations)).rejects.toThrow('nowhere');
      const [row] = await pool`select to_regclass('two') as found, current_setting('statement_timeout') as timeout`;
      expect(row).toEqual({ found: null, timeout: '20s' });
      rmSync(join(folder, '0002_bad.sql'));
      expect(await apply()).toEqual([]);
    } finally {
      await pool.end({ timeout: 5 });
    }
  });

  it('wait for a table that is in use, and say so', async () => {
    await apply();
    write('0002_column.sql', 'alter table one add column m integer;');
    const lines: string[] = [];
    let said = () => {};
    const waiting = new Promise<void>((resolve) => {
      said = resolve;
    });
    let applied: Promise<string[]> | undefined;
    await sql.begin(async (tx) => {
      await tx`lock table one in access share mode`;
      applied = apply((line) => {
        lines.push(line);
        if (line.endsWith('a table is in use; trying again')) said();
      });
      await waiting;
    });
    expect(await applied).toEqual(['0002_column.sql']);
    expect(lines).toContain('0002_column.sql: 2 s');
  });
});

describe('an index without a transaction', () => {
  it('that a broken run left invalid is built anew', async () => {
    write('0002_twice.sql', 'insert into one values (1, 2);');
    await apply();
    write('0003_unique.sql', '-- no transaction\ncreate unique index concurrently if not exists one_n on one (n);');
    await expect(apply()).rejects.toThrow('could not create unique index');
    expect(await indexes()).toEqual(['one_n (invalid)']);
    await sql`delete from one where month = 2`;
    expect([await apply(), await indexes()]).toEqual([['0003_unique.sql'], ['one_n']]);
  });

  it('is built on each partition, then on the table', async () => {
    write(
      '0002_parts.sql',
      `create table parts (month integer, n integer) partition by range (month);
      create table parts_1 partition of parts for values from (1) to (2);
      create table parts_rest partition of parts default;`,
    );
    write(
      '0003_n.sql',
      '-- no transaction\n-- For the list.\ncreate index concurrently if not exists parts_n\n  on parts (n);',
    );
    await apply();
    expect(await indexes()).toEqual(['parts_1_parts_n', 'parts_n', 'parts_rest_parts_n']);
    await sql`create table parts_2 partition of parts for values from (2) to (3)`;
    expect(await indexes()).toContain('parts_2_n_idx');
  });

  it('is not one that holds up the others', async () => {
    write('0002_index.sql', '-- no transaction\ncreate index one_n on one (n);');
    await expect(apply()).rejects.toThrow('without a transaction an index is built concurrently');
  });
});

describe('a program', () => {
  it('does not run on a schema that lacks its migrations', async () => {
    expect((await schemaState(sql, migrations)).refusal).toMatch(
      /^the database lacks 1 migration .* from 0001_one.sql on/,
    );
    await apply();
    write('0002_two.sql', '');
    expect(await schemaState(sql, migrations)).toMatchObject({
      applied: [{ name: '0001_one.sql' }],
      ...{ pending: ['0002_two.sql'], newer: [] },
      refusal:
        'the database lacks 1 migration of this program, from 0002_two.sql on: run `node control/operator.ts migrate` first',
    });
  });

  it('runs on a newer schema that only adds', async () => {
    write('0002_two.sql', 'create table two (n integer);');
    await apply();
    rmSync(join(folder, '0002_two.sql'));
    expect(await schemaState(sql, migrations)).toMatchObject({ newer: ['0002_two.sql'], refusal: null });
    expect(await apply()).toEqual([]);
  });

  it('runs on a schema from which something was taken when it has the migration that this needs', async () => {
    write('0002_two.sql', 'alter table one add column m integer;');
    write('0003_gone.sql', '-- needs program 0002: nothing reads `n` from there on.\nalter table one drop column n;');
    await apply();
    rmSync(join(folder, '0003_gone.sql'));
    expect((await schemaState(sql, migrations)).refusal).toBe(null);
    rmSync(join(folder, '0002_two.sql'));
    expect((await schemaState(sql, migrations)).refusal).toBe(
      'the database is newer than this program: 0003_gone.sql needs a program that has migration 0002',
    );
  });

  it('learns what a migration needs also when the schema was made before that was stored', async () => {
    write('0002_gone.sql', '-- needs program 0002: `n` is gone.\nalter table one drop column n;');
    await apply();
    await sql`alter table migrations drop column needs_program`;
    expect((await schemaState(sql, migrations)).refusal).toBe(null);
    await apply();
    rmSync(join(folder, '0002_gone.sql'));
    expect((await schemaState(sql, migrations)).refusal).toContain('needs a program that has migration 0002');
  });
});

describe('the head of a migration', () => {
  it.each([
    ['-- needs program 12: it is gone', 'the form is one line'],
    ['-- needs program 0012', 'the form is one line'],
    ['-- needs program 0001: a\n-- needs program 0002: b', 'the form is one line'],
  ])('%j cannot be read', (head, expected) => {
    expect(() => parseMigrationFile('0012_x.sql', `${head}\nselect 1;`)).toThrow(expected);
  });

  it('names no program that comes later', async () => {
    write('0002_two.sql', '-- needs program 0003: it is gone.\nselect 1;');
    write('0003_three.sql', 'select 1;');
    await expect(readMigrationFiles(migrations)).rejects.toThrow('names this migration or an earlier one');
  });
});

/** What programs that know the schema before would miss or be refused. */
const TAKES_AWAY = /\bdrop (table|column|view)\b|\balter table [^;]*\b(rename|set not null|alter column \w+ type)\b/;
/** Migrations before this one are of the time before the first release. */
const FIRST_MARKED = 54;

it('migrations that take something away say which program they need', async () => {
  const files = await readMigrationFiles(MIGRATIONS);
  expect(files.length).toBe(readdirSync(MIGRATIONS).length);
  const unmarked = files.filter(({ number, text, needsProgram }) => {
    const withoutComments = text.replace(/^\s*--.*$/gm, '');
    return number >= FIRST_MARKED && needsProgram === null && TAKES_AWAY.test(withoutComments);
  });
  expect(unmarked.map(({ name }) => name)).toEqual([]);
});
