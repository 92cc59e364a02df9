import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { connectDatabase } from '../../control/db/connect.ts';
import { startPostgres } from '../../dev/postgres.ts';
import { makeFastFolder } from './fast-folder.ts';
import { copyPreparedPostgres } from './prepared-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A database of the test run's PostgreSQL server, whose database `template_migrated` is copied for each test file. */
    postgresUrl: string;
    /** For what the test files of a run share; deleted after it. */
    runFolder: string;
  }
}

/** vitest's global setup: starts PostgreSQL once before the first test file. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = makeFastFolder('antiphon-test-');
  const dataDir = join(folder, 'postgres');
  await copyPreparedPostgres(dataDir);
  const server = await startPostgres({ dataDir, unsafeButFast: true });
  const postgresUrl = server.url.replace(/[^/]*$/, 'postgres');
  const admin = connectDatabase({ url: postgresUrl, max: 1 });
  await admin`alter database antiphon rename to template_migrated`;
  await admin.end();
  project.provide('postgresUrl', postgresUrl);
  project.provide('runFolder', folder);
  return async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
