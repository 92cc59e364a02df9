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
let gateway: BrowserGateway;
let unavailableReason: string | null;
let opensFail: boolean;
let ready: boolean;
let connections: FakeBrowserConnection[];
let streams: BrowserStream[];
let sockets: WebSocket[];
let lines: string[];

beforeEach(async () => {
  clock = createVirtualClock();
  unavailableReason = null;
  opensFail = false;
  ready = true;
  connections = [];
  streams = [];
  sockets = [];
  lines = [];
  const log = createLogger('media', 'debug', { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const media: BrowserMedia = {
    get unavailableReason() {
      return unavailableReason;
    },
    async open(): Promise<BrowserConnection> {
      if (opensFail) throw new Error('no transports left');
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
      gateway = openBrowserGateway(app, {
        media,
        opus: { newCodec: createFakeOpusCodec },
        tokenSecret: SECRET,
        clock,
        log,
        ...shared,
        onStream: (stream) => void streams.push(stream),
        ready: () => ready,
      });
      return gateway;
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

/** The token of one call with the signature of another. */
const forAnotherCall = (token: string) => (token.startsWith('a') ? 'b' : 'a') + token.slice(1);

interface FakePage {
  socket: WebSocket;
  received: ToBrowser[];
  code(): number | null;
}

function openPage(token: string): FakePage {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/web/${token}`, { perMessageDeflate: false });
  const received: ToBrowser[] = [];
  let code: number | null = null;
  socket.on('error', () => {});
  socket.on('message', (data) => received.push(JSON.parse(String(data))));
  socket.on('close', (closedWith) => {
    code = closedWith;
  });
  sockets.push(socket);
  return { socket, received, code: () => code };
}

async function rejected(token: string): Promise<number> {
  const { socket } = openPage(token);
  return new Promise((resolve, reject) => {
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.once('open', () => reject(new Error('the upgrade was accepted')));
  });
}

async function readyPage(token = newToken()): Promise<FakePage> {
  const page = openPage(token);
  await until(() => page.received.length > 0, 'the first message');
  return page;
}

async function talkingPage(token = newToken()): Promise<FakePage> {
  const page = await readyPage(token);
  page.socket.send('{"type":"play","id":1}');
  await until(() => page.received.some(({ type }) => type === 'response'), 'the answer');
  connections.at(-1)!.receivePacket(fakeRtpPacket(0));
  await until(() => streams.length > 0, 'the call');
  streams.at(-1)!.leg.listen({ audio() {}, mark() {}, digit() {}, ended() {} });
  return page;
}

describe('an upgrade', () => {
  test('with a valid token is accepted once; its call starts with the first audio', async () => {
    const token = newToken();
    const page = await talkingPage(token);
    expect(page.received[0]).toMatchObject({ type: 'ready', resumed: false });
    expect(streams[0]).toMatchObject({
      carrier: 'browser',
      providerCallId: '',
      token: { call_id: expect.any(String) },
    });
    expect(await rejected(token)).toBe(403);
  });

  test.each([
    ['a malformed token', () => 'x', 401],
    [
      'a token signed with another secret',
      () => signMediaToken('another secret!!', newId(), clock.wall() + 60_000),
      401,
    ],
    ['a token whose signature is for another call', () => forAnotherCall(newToken()), 401],
    ['an expired token', () => newToken(-1_000), 403],
  ])('%s is rejected', async (_name, token, status) => {
    expect(await rejected(token())).toBe(status);
    expect(connections).toHaveLength(0);
  });

  test('is rejected by an engine that is full, and the token stays valid', async () => {
    const token = newToken();
    ready = false;
    expect(await rejected(token)).toBe(503);
    ready = true;
    expect((await readyPage(token)).received[0]?.type).toBe('ready');
  });

  test('a token is used while its call is being opened, and after it', async () => {
    const token = newToken();
    const page = await readyPage(token);
    expect(await rejected(token)).toBe(403);
    await clock.advance(31_000);
    await until(() => page.code() !== null, 'the end');
    expect(page.received.at(-1)).toEqual({ type: 'ended', reason: 'canceled' });
    expect(await rejected(token)).toBe(403);
    expect(gateway.calls).toBe(0);
  });
});

describe('calls that are connecting', () => {
  /** Whether they are waited for still. */
  function waiting(): () => boolean {
    let started = false;
    void server.streamsStarted().then(() => {
      started = true;
    });
    return () => !started;
  }

  test('are waited for until their first audio', async () => {
    const page = await readyPage();
    const waits = waiting();
    page.socket.send('{"type":"play","id":1}');
    await until(() => page.received.some(({ type }) => type === 'response'), 'the answer');
    expect(waits()).toBe(true);
    connections[0]!.receivePacket(fakeRtpPacket(0));
    await until(() => !waits(), 'the start');
    expect(streams).toHaveLength(1);
    await server.streamsStarted();
  });

  test('are no longer waited for when they are canceled, or cannot be opened', async () => {
    await readyPage();
    const waits = waiting();
    await clock.advance(31_000);
    await until(() => !waits(), 'the end');
    opensFail = true;
    await readyPage();
    await server.streamsStarted();
  });
});

describe('without browser calls', () => {
  test('the page receives the reason over its socket', async () => {
    unavailableReason = "mediasoup's worker is not on this machine";
    const page = await readyPage();
    expect(page.received).toEqual([
      { type: 'ended', reason: "no browser calls here: mediasoup's worker is not on this machine" },
    ]);
    await until(() => page.code() === 1013, 'the end');
    expect(connections).toHaveLength(0);
  });

  test('the page receives an error when the media cannot be opened', async () => {
    opensFail = true;
    const page = await readyPage();
    expect(page.received).toEqual([{ type: 'ended', reason: 'error: browser media' }]);
  });
});

describe('input from the page', () => {
  test('that is invalid is answered with an error, and the call goes on', async () => {
    const page = await talkingPage();
    const before = page.received.length;
    for (const garbage of ['{', 'null', '[]', '"\\u0000"', '{"type":"digit","id":1,"digit":7}'])
      page.socket.send(garbage);
    page.socket.send(Buffer.from([0xff, 0xfe, 0]));
    await until(() => page.received.length === before + 6, 'six answers');
    expect(page.received.slice(before).every(({ type }) => type === 'error')).toBe(true);
    expect(page.code()).toBeNull();
  });

  test('beyond the size limit ends the call', async () => {
    const page = await talkingPage();
    page.socket.send('x'.repeat(MAX_MESSAGE_BYTES + 1));
    await until(() => page.code() !== null && streams[0]!.leg.end !== null, 'the end');
    expect(streams[0]!.leg.end).toMatchObject({ cause: 'lost', detail: expect.stringContaining('larger') });
  });

  test('a page whose socket breaks can reconnect with its first token for 15 s', async () => {
    const token = newToken();
    const page = await talkingPage(token);
    page.socket.terminate();
    await until(() => page.code() !== null, 'the break');
    await clock.advance(5_000);
    const next = openPage(token);
    await until(() => next.received.length > 0, 'the first message');
    expect(next.received[0]).toMatchObject({ type: 'ready', resumed: true });
    next.socket.close();
    await once(next.socket, 'close');
    await clock.advance(1_000);
    connections[0]!.receivePacket(fakeRtpPacket(1));
    await clock.advance(17_000);
    expect(streams[0]!.leg.end).toEqual({ cause: 'hung up', detail: 'the page did not come back' });
  });

  test('a call without a listener is ended', async () => {
    const page = await readyPage();
    page.socket.send('{"type":"play","id":1}');
    await until(() => page.received.some(({ type }) => type === 'response'), 'the answer');
    connections[0]!.receivePacket(fakeRtpPacket(0));
    await clock.advance(11_000);
    await until(() => page.code() !== null, 'the end');
    expect(connections[0]!.closed).toBe(true);
    expect(gateway.calls).toBe(0);
  });
});
