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
  // Kept until the end, because a connection costs as much CPU as a short test.
  const admin = connectDatabase({ url: inject('postgresUrl'), name: 'test-admin', max: 1 });
  // A busy machine may take long to accept a connection.
  const url = `${inject('postgresUrl').replace(/[^/]*$/, name)}?connect_timeout=60`;
  const sql = connectDatabase({ url, name: 'test', max: 4 });
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await sql.end({ timeout: 5 });
    try {
      await admin`drop database if exists ${admin(name)} with (force)`;
    } finally {
      await admin.end({ timeout: 5 });
    }
  };
  afterFile(close);
  // Copying the files takes a tenth of the time of writing each block to the log, the default.
  await admin`create database ${admin(name)} template template_migrated strategy file_copy`;
  return { url, sql, close };
}
