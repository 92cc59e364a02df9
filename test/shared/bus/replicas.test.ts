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
  /** As a program does that starts; rejects until the cluster has a leader. */
  const prepare = async () => {
    const bus = await connectBus({ url, name: 'test', log: createLogger('test', 'silent') });
    const ready = await bus.prepare().then(
      () => true,
      () => null,
    );
    await bus.close();
    return ready;
  };
  const replicas = async () => {
    const connection = await connect({ servers: url });
    const { config } = await (await jetstreamManager(connection)).streams.info('CALL_EVENTS');
    await connection.close();
    return config.num_replicas;
  };
  try {
    await eventually('the cluster', 60_000, prepare);
    expect(await replicas()).toBe(3);
    await servers[2]!.stop();
    await eventually('the cluster without one server', 60_000, prepare);
    expect(await replicas()).toBe(3);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
});
