import { createServer as createTcpServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import {
  type ProviderSocketServer,
  type Refusal,
  startProviderSocketServer,
} from '../../../fixtures/simulators/provider-socket-server.ts';
import type { ProviderError } from '../../../media/provider/provider-error.ts';
import { createProviderSocket, type ProviderSocketOptions, refusalFailure } from '../../../media/provider/socket.ts';
import { systemClock } from '../../../shared/clock.ts';
import { pause, until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

let server: ProviderSocketServer;
let refusal: Refusal | 'hang' | null;
let answersPings: boolean;
let peers: { socket: WebSocket; received: string[]; closeCode: number | null }[];
let failures: ProviderError[];
let texts: string[];

beforeEach(async () => {
  refusal = null;
  answersPings = true;
  peers = [];
  failures = [];
  texts = [];
  server = await startProviderSocketServer({
    admit: () => refusal,
    answersPings: () => answersPings,
    onConnection(socket) {
      const peer = { socket, received: [] as string[], closeCode: null as number | null };
      peers.push(peer);
      socket.on('message', (data, isBinary) =>
        peer.received.push(isBinary ? `<${(data as Buffer).length}>` : `${data}`),
      );
      socket.on('close', (code) => {
        peer.closeCode = code;
      });
    },
  });
});
afterEach(() => server.close());

function socketWith(options: Partial<ProviderSocketOptions> = {}) {
  return createProviderSocket({
    provider: 'p',
    url: server.url,
    clock: systemClock,
    onText: (text) => texts.push(text),
    onFailed: (error) => failures.push(error),
    ...options,
  });
}

async function refused(promise: Promise<void>): Promise<ProviderError> {
  return promise.then(
    () => {
      throw new Error('it opened');
    },
    (error: ProviderError) => error,
  );
}

test('carries text and bytes, and sends its last message before the close frame', async () => {
  const socket = socketWith();
  expect(socket.isOpen).toBe(false);
  await socket.open();
  const bytes = new Uint8Array(160);
  socket.send('hello');
  socket.send(bytes);
  peers[0]!.socket.send('welcome');
  await until(() => texts.length === 1);
  await socket.close('last message');
  await until(() => peers[0]!.closeCode !== null);
  expect(peers[0]!.received).toEqual(['hello', '<160>', 'last message']);
  expect(peers[0]!.closeCode).toBe(1000);
  expect(failures).toEqual([]);
});

test('an exception in the message handler fails the connection, and nothing else', async () => {
  const socket = socketWith({
    onText() {
      throw new TypeError('odd');
    },
  });
  await socket.open();
  peers[0]!.socket.send('welcome');
  await until(() => failures.length === 1);
  expect(failures[0]).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('odd') });
  expect(socket.isOpen).toBe(false);
  await socket.close();
});

describe('a refused upgrade', () => {
  for (const [status, kind] of [
    [400, 'bad_request'],
    [401, 'auth'],
    [403, 'auth'],
    [404, 'bad_request'],
    [429, 'capacity'],
    [500, 'unavailable'],
    [503, 'unavailable'],
    [301, 'unavailable'],
  ] as const) {
    test(`${status} is ${kind}`, async () => {
      refusal = { status, headers: { 'dg-error': 'because' } };
      const socket = socketWith({ refusalHeader: 'dg-error' });
      const error = await refused(socket.open());
      expect([error.kind, refusalFailure(status)]).toEqual([kind, kind]);
      expect(error.message).toContain('because');
      expect(failures).toEqual([]);
      await socket.close();
    });
  }
});

test('an address that refuses connections is unavailable', async () => {
  const error = await refused(socketWith({ url: 'ws://127.0.0.1:1' }).open());
  expect(error.kind).toBe('unavailable');
});

test('a malformed address is a bad request', async () => {
  const error = await refused(socketWith({ url: 'http//nothing' }).open());
  expect(error.kind).toBe('bad_request');
});

describe('a server that accepts the connection and never responds', () => {
  let mute: Server;
  let taken = 0;
  let gone = 0;
  beforeEach(async () => {
    taken = 0;
    gone = 0;
    mute = createTcpServer((connection) => {
      taken++;
      connection.on('error', () => {});
      connection.on('close', () => gone++);
      connection.resume();
    });
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise((resolve) => mute.close(resolve)));

  test('times out at the deadline, and the connection is cut', async () => {
    const clock = createVirtualClock();
    const socket = socketWith({ clock, url: `ws://127.0.0.1:${(mute.address() as { port: number }).port}` });
    const error = refused(socket.open());
    await until(() => taken === 1);
    await clock.advance(5000);
    expect((await error).kind).toBe('timeout');
    await until(() => gone === 1);
    expect(clock.pending()).toBe(0);
  });
});

test('reports a broken connection once, as unavailable', async () => {
  const socket = socketWith();
  await socket.open();
  peers[0]!.socket.terminate();
  await until(() => failures.length > 0);
  socket.send('into the void');
  await socket.close();
  expect(failures.map((error) => error.kind)).toEqual(['unavailable']);
});

test('maps close codes', async () => {
  const socket = socketWith({ closeMeaning: (_code, reason) => (reason === 'NET-0001' ? 'timeout' : undefined) });
  await socket.open();
  peers[0]!.socket.close(1011, 'NET-0001');
  await until(() => failures.length > 0);
  const other = socketWith();
  await other.open();
  peers[1]!.socket.close(1008, 'policy');
  await until(() => failures.length > 1);
  expect(failures.map((error) => error.kind)).toEqual(['timeout', 'bad_request']);
});

test('survives a peer that breaks the protocol', async () => {
  const socket = socketWith();
  await socket.open();
  // A frame with reserved bits set.
  (peers[0]!.socket as unknown as { _socket: { write(b: Buffer): void } })._socket.write(
    Buffer.from([0xff, 0x01, 0x00]),
  );
  await until(() => failures.length > 0);
  expect(failures.map((error) => error.kind)).toEqual(['unavailable']);
});

test('finds a dead path by missing pongs', async () => {
  const clock = createVirtualClock();
  answersPings = false;
  const socket = socketWith({ clock, liveness: { everyMs: 2500, deadAfterMs: 10_000 } });
  await socket.open();
  await clock.advance(9_999);
  expect(failures).toEqual([]);
  await clock.advance(2_500);
  expect(failures.map((error) => error.kind)).toEqual(['timeout']);
});

test('stays alive on pongs alone', async () => {
  const clock = createVirtualClock();
  const socket = socketWith({ clock, liveness: { everyMs: 2500, deadAfterMs: 10_000 } });
  await socket.open();
  for (let i = 0; i < 10; i++) {
    await clock.advance(2_500);
    await pause(20);
  }
  expect(failures).toEqual([]);
  await socket.close();
});

test('keeps an idle connection alive, not a busy one', async () => {
  const clock = createVirtualClock();
  const socket = socketWith({ clock, keepAlive: { everyMs: 1000, send: () => socket.send('alive') } });
  await socket.open();
  for (let i = 0; i < 4; i++) {
    await clock.advance(500);
    socket.send('busy');
  }
  await clock.advance(2_000);
  await socket.close();
  await until(() => peers[0]!.closeCode !== null);
  expect(peers[0]!.received).toEqual(['busy', 'busy', 'busy', 'busy', 'alive', 'alive']);
});

test('cuts the connection of a peer that never sends its close frame', async () => {
  const clock = createVirtualClock();
  const socket = socketWith({ clock });
  await socket.open();
  peers[0]!.socket.pause();
  let closed = false;
  const closing = socket.close().then(() => {
    closed = true;
  });
  await clock.advance(499);
  expect(closed).toBe(false);
  await clock.advance(1);
  await closing;
});

test('a peer that no longer reads is a timeout', async () => {
  const socket = socketWith();
  await socket.open();
  peers[0]!.socket.pause();
  const audio = new Uint8Array(64 * 1024);
  for (let i = 0; i < 400 && failures.length === 0; i++) {
    socket.send(audio);
    await pause(0);
  }
  expect(failures.map((error) => error.kind)).toEqual(['timeout']);
});

test('closed while it connects, it rejects and reports nothing', async () => {
  refusal = 'hang';
  const socket = socketWith();
  const error = refused(socket.open());
  await socket.close();
  expect((await error).kind).toBe('unavailable');
  expect(failures).toEqual([]);
});
