import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type SecureVersion } from 'node:tls';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { freePort } from '../../dev/ports.ts';
import type { CarrierStream } from '../../media/carrier-gateway.ts';
import { type MediaServer, startServer } from '../../media/server.ts';
import { startSupervisorServer } from '../../media/supervisor-server.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/log.ts';
import { signMediaToken } from '../../shared/media-token.ts';
import { onlyThisCertificate, readCertificate } from '../../shared/tls-certificate.ts';
import { afterFile } from '../support/after-file.ts';
import { selfSignedCertificate } from '../support/certificate.ts';
import { until } from '../support/until.ts';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';

/** The engine's web server with TLS. */

const SECRET = 'a secret of the test';
const LOOKS_AFTER_MS = 5_000;
const folder = mkdtempSync(join(tmpdir(), 'antiphon-listener-'));
const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
let clock: VirtualClock;
let server: MediaServer;
let streams: CarrierStream[];
let lines: { msg: string }[];
const sockets: WebSocket[] = [];

function renew() {
  const next = selfSignedCertificate('media.example.com');
  writeFileSync(files.certFile, next.cert);
  writeFileSync(files.keyFile, next.key);
  return next;
}

beforeEach(async () => {
  clock = createVirtualClock();
  streams = [];
  lines = [];
  renew();
  server = await startServer({
    ...{ host: '127.0.0.1', port: 0, certificate: await readCertificate(files), tokenSecret: SECRET, clock },
    log: createLogger('media', 'info', { write: (line: string) => void lines.push(JSON.parse(line)) }),
    onStream: (stream) => streams.push(stream),
    awaitsStream: () => false,
    ready: () => true,
  });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  const closed = server.close();
  await clock.advance(1_000);
  await closed;
});
afterFile(() => rmSync(folder, { recursive: true, force: true }));

/** The certificate that a new connection is shown, as PEM lines without the frame. */
async function shown(version?: SecureVersion, servername = '', port = server.port): Promise<string> {
  const socket = connect({
    ...{ host: '127.0.0.1', port, rejectUnauthorized: false, servername },
    ...(version ? { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' } : {}),
  });
  try {
    await once(socket, 'secureConnect');
    return socket.getPeerX509Certificate()!.toString().replaceAll('\n', '');
  } finally {
    socket.destroy();
  }
}

const flat = ({ cert }: { cert: string }) => cert.replaceAll('\n', '');

/** A stream that has started. */
async function openStream(): Promise<WebSocket> {
  const token = signMediaToken(SECRET, newId(), clock.wall() + 60_000);
  const address = `wss://127.0.0.1:${server.port}/carrier/twilio/${token}`;
  const socket = new WebSocket(address, onlyThisCertificate(server.certificate!));
  sockets.push(socket);
  await once(socket, 'open');
  const before = streams.length;
  socket.send(
    JSON.stringify({
      event: 'start',
      streamSid: 'MZ1',
      start: {
        ...{ accountSid: 'AC1', streamSid: 'MZ1', callSid: 'CA1', tracks: ['inbound'] },
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
      },
    }),
  );
  await until(() => streams.length > before, 'the stream');
  return socket;
}

it('serves streams over TLS 1.2 and 1.3, and nothing older or in clear', async () => {
  await openStream();
  const versions: SecureVersion[] = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];
  const taken = await Promise.all(
    versions.map((version) =>
      shown(version).then(
        () => true,
        () => false,
      ),
    ),
  );
  expect(taken).toEqual([false, false, true, true]);
  await expect(fetch(`http://127.0.0.1:${server.port}/healthz`)).rejects.toThrow();
});

it('shows a new certificate to new connections, named or not, and streams of before go on', async () => {
  const before = await openStream();
  const next = renew();
  await clock.advance(LOOKS_AFTER_MS);
  await until(() => lines.some(({ msg }) => msg === 'new TLS certificate in use'), 'the new certificate');
  expect([await shown(), await shown(undefined, 'media.example.com')]).toEqual([flat(next), flat(next)]);
  await openStream();
  before.ping();
  await once(before, 'pong');
  expect(server.streams).toBe(2);
});

it('closes streams of every certificate when the engine stops', async () => {
  const before = await openStream();
  renew();
  await clock.advance(LOOKS_AFTER_MS);
  await until(() => lines.some(({ msg }) => msg === 'new TLS certificate in use'), 'the new certificate');
  const closed = [before, await openStream()].map((socket) => once(socket, 'close'));
  const stopped = server.close();
  await clock.advance(1_000);
  await Promise.all([stopped, ...closed]);
  await expect(shown()).rejects.toThrow('ECONNREFUSED');
});

it('shows the new certificate at the port of the supervisor too', async () => {
  const port = await freePort();
  const certificate = await readCertificate(files);
  const log = createLogger('media', 'silent');
  await startSupervisorServer({ host: '127.0.0.1', port, certificate, clock, log }, { engines: () => [] });
  expect(await shown(undefined, '', port)).toBe(flat(certificate));
  const next = renew();
  await clock.advance(LOOKS_AFTER_MS);
  await vi.waitUntil(async () => (await shown(undefined, '', port)) === flat(next), { timeout: 60_000 });
});

it('keeps the old certificate while the new one cannot be used', async () => {
  const before = await shown();
  writeFileSync(files.certFile, selfSignedCertificate('media.example.com').cert);
  const isLogged = () => lines.some(({ msg }) => msg.startsWith('new TLS certificate cannot be used'));
  // A look at the files takes real time, and the next one is due only after it.
  await vi.waitUntil(
    async () => {
      await clock.advance(LOOKS_AFTER_MS);
      return isLogged();
    },
    { timeout: 60_000 },
  );
  expect(await shown()).toBe(before);
});
