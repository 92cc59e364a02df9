import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import type { ManagedServer } from '../../../dev/managed-server.ts';
import { startNats } from '../../../dev/nats.ts';
import { freePort } from '../../../dev/ports.ts';
import { connectBus } from '../../../shared/bus/bus.ts';
import { EVENTS_STREAM, PERMITS_STREAM } from '../../../shared/bus/subjects.ts';
import { createLogger } from '../../../shared/log.ts';
import { eventually } from '../../support/until.ts';

async function startCluster(folder: string): Promise<ManagedServer[]> {
  const routePorts = await Promise.all([freePort(), freePort(), freePort()]);
  const routes = routePorts.map((port) => `nats://127.0.0.1:${port}`);
  const cluster = ['--cluster_name', 'test', '--routes', routes.join(',')];
  return Promise.all(
    routes.map((route, nth) =>
      startNats({
        dataDir: join(folder, `server-${nth}`),
        args: ['-n', `server-${nth}`, '--cluster', route, ...cluster],
      }),
    ),
  );
}

test('three servers keep the events, also while one of them is away and a program starts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'antiphon-cluster-'));
  const servers = await startCluster(folder);
  const [{ url }] = servers as [ManagedServer];
  /** As a program does that starts. Resolves with the replicas of both streams; with null until the cluster has a leader. */
  const prepare = async () => {
    const bus = await connectBus({ url, name: 'test', log: createLogger('test', 'silent') });
    try {
      await bus.prepare();
      return await replicas();
    } catch {
      return null;
    } finally {
      await bus.close();
    }
  };
  const replicas = async () => {
    const connection = await connect({ servers: url });
    try {
      const { streams } = await jetstreamManager(connection);
      const infos = await Promise.all([EVENTS_STREAM, PERMITS_STREAM].map((name) => streams.info(name)));
      return infos.map(({ config }) => config.num_replicas);
    } finally {
      await connection.close();
    }
  };
  const three = async () => {
    const found = await prepare();
    return found?.every((count) => count === 3) ? found : null;
  };
  try {
    // A server that has just started does not know the others at once.
    await eventually('three replicas of both streams', 60_000, three);
    await servers[2]!.stop();
    expect(await eventually('the cluster without one server', 60_000, prepare)).toEqual([3, 3]);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
});
