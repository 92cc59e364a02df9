import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type BusAccess, OpenBusError } from '../../../shared/bus/access.ts';
import { type Bus, connectBus } from '../../../shared/bus/bus.ts';
import { writeBusKeys } from '../../../shared/bus/bus-keys.ts';
import type { CallEvent } from '../../../shared/bus/messages.ts';
import { BUS_SETTINGS, busOptions } from '../../../shared/bus/settings.ts';
import { readEnv } from '../../../shared/env.ts';
import { createLogger } from '../../../shared/log.ts';
import { afterFile } from '../../support/after-file.ts';
import { selfSignedCertificate } from '../../support/certificate.ts';
import { startTestNats } from '../../support/nats.ts';
import { eventually, until } from '../../support/until.ts';

const log = createLogger('test', 'silent');
const folder = mkdtempSync(join(tmpdir(), 'antiphon-bus-'));
afterFile(() => rmSync(folder, { recursive: true, force: true }));

const EVENT: Omit<CallEvent, 'seq'> = {
  ...{ call_id: 'c', engine_id: 'e', at_ms: 1, type: 'error', level: 'info', message: '', data_json: '{}' },
  transcript: [],
};

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const open = (url: string, access: BusAccess = {}) => connectBus({ url, access, name: 'test', log });

/** Connects, and resolves with whether that was possible. */
async function opens(url: string, access: BusAccess = {}): Promise<boolean> {
  try {
    await (await open(url, access)).close();
    return true;
  } catch {
    return false;
  }
}

test('a bus without users is refused on another machine, unless it is allowed', async () => {
  const { url, port } = await startTestNats();
  expect(await opens(`127.0.0.1:${port},localhost:${port}`)).toBe(true);
  // The same server by an address that is not a loopback's.
  const elsewhere = url.replace('127.0.0.1', '0.0.0.0');
  await expect(open(elsewhere)).rejects.toThrow(OpenBusError);
  await expect(open(elsewhere)).rejects.toThrow('NATS_INSECURE=1');
  await expect(open(`${url},${elsewhere}`)).rejects.toThrow(OpenBusError);
  expect(await opens(elsewhere, { insecure: true })).toBe(true);
});

test('user and password, or a token, open the bus that asks for them', async () => {
  const byUser = await startTestNats({ args: ['--user', 'antiphon', '--pass', 'right'] });
  expect(await opens(byUser.url, { user: 'antiphon', password: 'right' })).toBe(true);
  expect(await opens(byUser.url, { user: 'antiphon', password: 'wrong' })).toBe(false);
  expect(await opens(byUser.url)).toBe(false);
  expect(await opens(byUser.url.replace('127.0.0.1', '0.0.0.0'), { user: 'antiphon', password: 'right' })).toBe(true);
  const byToken = await startTestNats({ args: ['--auth', 'right'] });
  expect(await opens(byToken.url, { token: 'right' })).toBe(true);
  expect(await opens(byToken.url, { token: 'wrong' })).toBe(false);
});

test('settings that cannot be meant are refused', () => {
  const read = (env: Record<string, string>) => busOptions(readEnv(z.object(BUS_SETTINGS), env));
  expect(read({ NATS_URL: 'a:1, tls://b:2', NATS_TOKEN: 't' })).toMatchObject({ access: { token: 't' } });
  expect(() => read({ NATS_URL: 'nats://user:password@host' })).toThrow('NATS_USER');
  expect(() => read({ NATS_NAME: 'a.b' })).toThrow('NATS_NAME');
});

test('TLS: only with the right authority and a client certificate, and certificates change without a loss', async () => {
  const server = selfSignedCertificate('localhost');
  const client = selfSignedCertificate('engine');
  const ca = file('server.crt', server.cert);
  const clients = file('clients.crt', client.cert);
  const config = file(
    'tls.conf',
    `jetstream { store_dir: "${folder}/tls" }\ntls { cert_file: "${ca}", key_file: "${file('server.key', server.key)}", ca_file: "${clients}", verify: true }`,
  );
  const nats = await startTestNats({ config });
  const url = `tls://localhost:${nats.port}`;
  const mine = { certFile: file('engine.crt', client.cert), keyFile: file('engine.key', client.key) };
  expect(await opens(url, { caFile: ca })).toBe(false);
  const stranger = selfSignedCertificate('localhost');
  expect(await opens(url, { ...mine, caFile: file('stranger.crt', stranger.cert) })).toBe(false);
  const foreign = { certFile: file('foreign.crt', stranger.cert), keyFile: file('foreign.key', stranger.key) };
  expect(await opens(url, { ...foreign, caFile: ca })).toBe(false);

  const bus = await open(url, { ...mine, caFile: ca });
  afterFile(() => bus.close());
  await bus.prepare();
  await publish(bus, 1);
  // All certificates are new; those that connect have the files of before.
  const [nextServer, nextClient] = [selfSignedCertificate('localhost'), selfSignedCertificate('engine')];
  file('server.crt', nextServer.cert);
  file('server.key', nextServer.key);
  file('clients.crt', nextClient.cert);
  file('engine.crt', nextClient.cert);
  file('engine.key', nextClient.key);
  process.kill(nats.pid, 'SIGHUP');
  await publish(bus, 2);
  await nats.restart();
  await until(() => bus.connected(), 'the bus to be back');
  await publish(bus, 3);
  expect(await eventsOf(bus)).toEqual([1, 2, 3]);
});

test('new keys of the users, while programs are connected: they come back with theirs, and nothing is lost', async () => {
  const keys = () => writeBusKeys({ folder: join(folder, 'keys'), engines: ['a'], storeDir: join(folder, 'users') });
  const { serverConfig, control, engines } = keys();
  const nats = await startTestNats({ config: serverConfig });
  const [controlBus, engineBus] = await Promise.all(
    [control, engines[0]!].map(({ NATS_NAME, NATS_CREDENTIALS }) =>
      connectBus({
        ...{ url: nats.url, access: { credentialsFile: NATS_CREDENTIALS }, name: NATS_NAME, busUser: NATS_NAME, log },
        engineId: NATS_NAME === 'control' ? '' : `${NATS_NAME}.1`,
      }),
    ),
  );
  afterFile(() => Promise.all([controlBus!.close(), engineBus!.close()]));
  await controlBus!.prepare();
  await publish(engineBus!, 1);
  const before = engines[0]!.NATS_CREDENTIALS;
  rmSync(before);
  keys();
  process.kill(nats.pid, 'SIGHUP');
  await until(() => !engineBus!.connected(), 'the engine to be sent away');
  await until(() => engineBus!.connected(), 'the engine to be back');
  await publish(engineBus!, 2);
  expect(await eventsOf(controlBus!)).toEqual([1, 2]);
});

/** As an engine's reporter does: until it is stored. */
const publish = (bus: Bus, seq: number) =>
  eventually(`event ${seq} to be stored`, 60_000, () =>
    bus.publishEvent({ ...EVENT, seq }).then(
      () => true,
      () => null,
    ),
  );

const eventsOf = (bus: Bus) => eventually('the events', 60_000, () => readEvents(bus).catch(() => null));

async function readEvents(bus: Bus): Promise<number[]> {
  const found: number[] = [];
  for await (const { event } of bus.events.eventsAfter('c', 0)) found.push(event.seq);
  return found;
}
