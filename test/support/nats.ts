import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ManagedServer } from '../../dev/managed-server.ts';
import { startNats } from '../../dev/nats.ts';
import { afterFile } from './after-file.ts';

/** Starts a NATS server with JetStream for one test file; it stops after the file's last test. */
export async function startTestNats(
  options: { args?: readonly string[]; config?: string } = {},
): Promise<ManagedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'antiphon-nats-'));
  const server = await startNats({ dataDir: join(folder, 'nats'), ...options });
  afterFile(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return server;
}
