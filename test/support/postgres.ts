import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { connectDatabase, type Sql } from '../../control/db/connect.ts';
import { afterFile } from './after-file.ts';

export interface TestDatabase {
  /** URL for programs with their own connections. */
  url: string;
  sql: Sql;
  /** Closes the connections and drops the database; called automatically after the file's last test. */
  close(): Promise<void>;
}

/** Creates a migrated database for one test file. Call it at the top level of the file or in `beforeAll`. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  // Copying the files takes a tenth of the time of writing each block to the log, the default.
  await asAdmin((admin) => admin`create database ${admin(name)} template template_migrated strategy file_copy`);
  const url = inject('postgresUrl').replace(/[^/]*$/, name);
  const sql = connectDatabase({ url, name: 'test', max: 4 });
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await sql.end({ timeout: 5 });
    await asAdmin((admin) => admin`drop database if exists ${admin(name)} with (force)`);
  };
  afterFile(close);
  return { url, sql, close };
}

async function asAdmin(run: (admin: Sql) => Promise<unknown>): Promise<void> {
  const admin = connectDatabase({ url: inject('postgresUrl'), name: 'test-admin', max: 1 });
  try {
    await run(admin);
  } finally {
    await admin.end({ timeout: 5 });
  }
}
