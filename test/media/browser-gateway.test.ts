import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type BrowserGateway, type BrowserStream, openBrowserGateway } from '../../media/browser-gateway.ts';
import type { BrowserConnection, BrowserMedia } from '../../media/leg/browser-connection.ts';
import { type MediaServer, startServer } from '../../media/server.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/log.ts';
import { signMediaToken } from '../../shared/media-token.ts';
import { MAX_MESSAGE_BYTES, type ToBrowser } from '../../shared/web-signalling.ts';
import {
  createFakeBrowserConnection,
  createFakeOpusCodec,
  type FakeBrowserConnection,
  fakeRtpPacket,
} from '../support/fake-browser.ts';
import { until } from '../support/until.ts';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';

const SECRET = 'a secret of the test';

let clock: VirtualClock;
let server: MediaServer;
let door: BrowserGateway;
let missing: string | null;
let opensFail: boolean;
let ready: boolean;
let connections: FakeBrowserConnection[];
let streams: BrowserStream[];
let sockets: WebSocket[];
let lines: string[];

beforeEach(async () => {
  clock = createVirtualClock();
  missing = null;
  opensFail = false;
  ready = true;
  connections = [];
  streams = [];
  sockets = [];
  lines = [];
  const log = createLogger('media', 'debug', { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const media: BrowserMedia = {
    get unavailableReason() {
      return missing;
    },
    async open(): Promise<BrowserConnection> {
      if (opensFail) throw new Error('no room for transports');
      const connection = createFakeBrowserConnection();
      connections.push(connection);
      return connection;
    },
    async close() {},
  };
  server = await startServer({
    host: '127.0.0.1',
    port: 0,
    tokenSecret: SECRET,
    clock,
    log,
    onStream: () => {},
    awaitsStream: () => false,
    ready: () => ready,
    browsers(app, shared) {
      door = openBrowserGateway(app, {
        media,
        opus: { newCodec: createFakeOpusCodec },
        tokenSecret: SECRET,
        clock,
        log,
        ...shared,
        onStream: (stream) => void streams.push(stream),
        ready: () => ready,
      });
      return door;
    },
  });
});

afterEach(async () => {
  for (const socket of sockets) socket.terminate();
  const closing = server.close();
  await clock.advance(1_000);
  await closing;
});

const newToken = (lifeMs = 60_000) => signMediaToken(SECRET, newId(), clock.wall() + lifeMs);

/** For another call, with the signature of its own. */
const forAnotherCall = (token: string) => (token.startsWith('a') ? 'b' : 'a') + token.slice(1);

interface Page {
  socket: WebSocket;
  got: ToBrowser[];
  code(): number | null;
}

function visit(token: string): Page {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/web/${token}`, { perMessageDeflate: false });
  const got: ToBrowser[] = [];
  let code: number | null = null;
  socket.on('error', () => {});
  socket.on('message', (data) => got.push(JSON.parse(String(data))));
  socket.on('close', (closedWith) => {
    code = closedWith;
  });
  sockets.push(socket);
  return { socket, got, code: () => code };
}

async function refused(token: string): Promise<number> {
  const { socket } = visit(token);
  return new Promise((resolve, reject) => {
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.once('open', () => reject(new Error('it was let in')));
  });
}

async function arrived(token = newToken()): Promise<Page> {
  const page = visit(token);
  await until(() => page.got.length > 0, 'the first message');
  return page;
}

async function talking(token = newToken()): Promise<Page> {
  const page = await arrived(token);
  page.socket.send('{"type":"play","id":1}');
  await until(() => page.got.some(({ type }) => type === 'response'), 'the answer');
  connections.at(-1)!.receivePacket(fakeRtpPacket(0));
  await until(() => streams.length > 0, 'the call');
  streams.at(-1)!.leg.listen({ audio() {}, mark() {}, cleared() {}, digit() {}, ended() {} });
  return page;
}

describe('who is let in', () => {
  test('a pass of ours, once; its call begins with the first sound', async () => {
    const token = newToken();
    const page = await talking(token);
    expect(page.got[0]).toMatchObject({ type: 'ready', resumed: false });
    expect(streams[0]).toMatchObject({
      carrier: 'browser',
      providerCallId: '',
      token: { call_id: expect.any(String) },
    });
    expect(await refused(token)).toBe(403);
  });

  test.each([
    ['a wrong token: no pass at all', () => 'x', 401],
    [
      'a wrong token: one somebody else signed',
      () => signMediaToken('another secret!!', newId(), clock.wall() + 60_000),
      401,
    ],
    ['a wrong token: one of ours, made out for another call', () => forAnotherCall(newToken()), 401],
    ['a token too old', () => newToken(-1_000), 403],
  ])('%s is refused', async (_name, token, status) => {
    expect(await refused(token())).toBe(status);
    expect(connections).toHaveLength(0);
  });

  test('an engine that is full refuses, and the pass is good for the next try', async () => {
    const token = newToken();
    ready = false;
    expect(await refused(token)).toBe(503);
    ready = true;
    expect((await arrived(token)).got[0]?.type).toBe('ready');
  });

  test('a pass is used while its call is being opened, and after it', async () => {
    const token = newToken();
    const page = await arrived(token);
    expect(await refused(token)).toBe(403);
    await clock.advance(31_000);
    await until(() => page.code() !== null, 'the end');
    expect(page.got.at(-1)).toEqual({ type: 'ended', reason: 'canceled' });
    expect(await refused(token)).toBe(403);
    expect(door.calls).toBe(0);
  });
});

describe('where there are no browser calls', () => {
  test('a page is told so over its socket', async () => {
    missing = "mediasoup's worker is not on this machine";
    const page = await arrived();
    expect(page.got).toEqual([
      { type: 'ended', reason: "no browser calls here: mediasoup's worker is not on this machine" },
    ]);
    await until(() => page.code() === 1013, 'the end');
    expect(connections).toHaveLength(0);
  });

  test('and when the media cannot be opened', async () => {
    opensFail = true;
    const page = await arrived();
    expect(page.got).toEqual([{ type: 'ended', reason: 'error: browser media' }]);
  });
});

describe('what a stranger may send', () => {
  test('garbage is answered as such, and the call goes on', async () => {
    const page = await talking();
    const before = page.got.length;
    for (const garbage of ['{', 'null', '[]', '"\\u0000"', '{"type":"digit","id":1,"digit":7}'])
      page.socket.send(garbage);
    page.socket.send(Buffer.from([0xff, 0xfe, 0]));
    await until(() => page.got.length === before + 6, 'six answers');
    expect(page.got.slice(before).every(({ type }) => type === 'error')).toBe(true);
    expect(page.code()).toBeNull();
  });

  test('a message beyond the limit ends the call', async () => {
    const page = await talking();
    page.socket.send('x'.repeat(MAX_MESSAGE_BYTES + 1));
    await until(() => page.code() !== null && streams[0]!.leg.end !== null, 'the end');
    expect(streams[0]!.leg.end).toMatchObject({ cause: 'lost', detail: expect.stringContaining('larger') });
  });

  test('a page that closes in mid-sentence can come back with its old pass for 15 s', async () => {
    const token = newToken();
    const page = await talking(token);
    page.socket.terminate();
    await until(() => page.code() !== null, 'the break');
    await clock.advance(5_000);
    const next = visit(token);
    await until(() => next.got.length > 0, 'the first message');
    expect(next.got[0]).toMatchObject({ type: 'ready', resumed: true });
    next.socket.close();
    await once(next.socket, 'close');
    await clock.advance(1_000);
    connections[0]!.receivePacket(fakeRtpPacket(1));
    await clock.advance(17_000);
    expect(streams[0]!.leg.end).toEqual({ cause: 'hung up', detail: 'the page did not come back' });
  });

  test('nobody takes the call: it is not kept', async () => {
    const page = await arrived();
    page.socket.send('{"type":"play","id":1}');
    await until(() => page.got.some(({ type }) => type === 'response'), 'the answer');
    connections[0]!.receivePacket(fakeRtpPacket(0));
    await clock.advance(11_000);
    await until(() => page.code() !== null, 'the end');
    expect(connections[0]!.closed).toBe(true);
    expect(door.calls).toBe(0);
  });
});
