import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { connectDatabase } from '../../control/db/connect.ts';
import { migrate } from '../../control/db/migrate.ts';
import { startPostgres } from '../../dev/postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The test run's PostgreSQL server, whose database `template_migrated` is copied for each test file. */
    postgresUrl: string;
  }
}

/** vitest's global setup: starts PostgreSQL once before the first test file. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'antiphon-test-'));
  const server = await startPostgres({ dataDir: join(folder, 'postgres'), unsafeButFast: true });
  await makeTemplate(server.url);
  project.provide('postgresUrl', server.url);
  return async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function makeTemplate(url: string): Promise<void> {
  const admin = connectDatabase({ url, max: 1 });
  await admin`create database template_migrated`;
  await admin.end();
  const sql = connectDatabase({ url: url.replace(/[^/]*$/, 'template_migrated'), max: 1 });
  try {
    await migrate(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
