import { afterAll, expect } from 'vitest';
import { closeFile } from './after-file.ts';
import { nothingLeftOpen, openResources } from './open-handles.ts';

/** vitest's setup for every test file. */

// What an earlier file of the process has left open is not this one's.
const before = openResources();

// What is registered first runs last: after all that the file closes itself.
afterAll(async () => {
  await closeFile();
  // Control's files share a PostgreSQL server, which takes only so many connections.
  const shares = process.env.SHARED_PROCESS === '1' && expect.getState().testPath?.includes('/test/control/');
  if (shares) await nothingLeftOpen(before);
});
