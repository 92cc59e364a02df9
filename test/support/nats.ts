import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { ManagedServer } from '../../dev/managed-server.ts';
import { startNats } from '../../dev/nats.ts';

/** Starts a NATS server with JetStream for one test file; it stops after the file's last test. */
export async function startTestNats(): Promise<ManagedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'antiphon-nats-'));
  const server = await startNats({ dataDir: join(folder, 'nats') });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return server;
}
