import { App, type TemplatedApp, type us_listen_socket, us_socket_local_port } from 'uWebSockets.js';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createStreamRelay, type StreamRelay } from '../../media/stream-relay.ts';
import { systemClock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/log.ts';
import { signMediaToken } from '../../shared/media-token.ts';
import { until } from '../support/until.ts';

/** A stream that is passed on to a sibling, over real sockets: the carrier notices nothing. */

const SECRET = 'a secret of the test';
const CALL_ID = newId();
/** The answer of the engine itself, which is not looked at here. */
const HERE = '418 Here';
const token = (lifeMs = 60_000) => signMediaToken(SECRET, CALL_ID, Date.now() + lifeMs);

let app: TemplatedApp;
let port: number;
let relay: StreamRelay;
let sibling: WebSocketServer;
let refusing: number[];
let atSibling: WebSocket[];
let asked: { url: string; relayed: string | undefined }[];
let holder: number | null;
let withRoom: number[];
let here: boolean;
let ready: boolean;
const carriers: WebSocket[] = [];

beforeEach(async () => {
  [atSibling, asked, refusing, withRoom] = [[], [], [], []];
  [holder, here, ready] = [null, false, true];
  sibling = new WebSocketServer({
    host: '127.0.0.1',
    port: 0,
    perMessageDeflate: false,
    verifyClient: (info, answer) => {
      asked.push({ url: info.req.url!, relayed: info.req.headers['x-antiphon-relayed'] as string | undefined });
      const status = refusing.shift();
      answer(status === undefined, status);
    },
  });
  await once(sibling, 'listening');
  sibling.on('connection', (socket) => atSibling.push(socket));
  relay = createStreamRelay({
    peers: { ownerOf: () => holder, withHeadroom: () => [...withRoom] },
    hasCall: () => here,
    ready: () => ready,
    tokenSecret: SECRET,
    clock: systemClock,
    log: createLogger('media', 'silent'),
  });
  app = App().ws<object>(
    '/carrier/:provider/:token',
    relay.wrap(
      {
        maxPayloadLength: 64 * 1024,
        maxBackpressure: 256 * 1024,
        upgrade: (response) => {
          response.writeStatus(HERE).end();
        },
      },
      (request) => request.getParameter(1) ?? '',
    ),
  );
  port = await new Promise<number>((resolve) => {
    app.listen('127.0.0.1', 0, (socket) => resolve(us_socket_local_port(socket as us_listen_socket)));
  });
});
afterEach(async () => {
  for (const socket of [...carriers.splice(0), ...atSibling]) socket.terminate();
  app.close();
  await new Promise((resolve) => sibling.close(resolve));
});

const siblingPort = () => (sibling.address() as AddressInfo).port;

function carrier(pass = token(), protocols: string[] = [], headers = {}): WebSocket {
  const url = `ws://127.0.0.1:${port}/carrier/twilio/${pass}?x=1`;
  const socket = new WebSocket(url, protocols, { perMessageDeflate: false, headers });
  socket.on('error', () => {});
  carriers.push(socket);
  return socket;
}

/** Both ends of a stream that is passed on. */
async function passedOn(protocols?: string[]): Promise<[WebSocket, WebSocket]> {
  const before = atSibling.length;
  holder = siblingPort();
  const ours = carrier(token(), protocols);
  await once(ours, 'open');
  await until(() => atSibling.length > before);
  const theirs = atSibling.at(-1)!;
  const there = once(ours, 'message');
  theirs.send('hello');
  await there;
  return [ours, theirs];
}

async function refused(socket: WebSocket): Promise<number> {
  return new Promise((resolve, reject) => {
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.once('open', () => reject(new Error('it was let in')));
  });
}

const closeOf = async (socket: WebSocket) => {
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  return [code, reason.toString()];
};

describe('a stream that is passed on', () => {
  test('goes both ways, text and binary, in order, with its path and subprotocol', async () => {
    const [ours, theirs] = await passedOn(['media']);
    expect(asked).toEqual([{ url: expect.stringMatching(/^\/carrier\/twilio\/.+\?x=1$/), relayed: '1' }]);
    expect(ours.protocol).toBe('media');
    const heard: [string, boolean][] = [];
    for (const socket of [ours, theirs]) {
      socket.on('message', (data, binary) => heard.push([String(data), binary]));
    }
    ours.send('{"event":"start"}');
    ours.send(Buffer.from('sound'));
    await until(() => heard.length === 2);
    theirs.send('{"event":"mark"}');
    theirs.send(Buffer.from('voice'));
    await until(() => heard.length === 4);
    expect(heard).toEqual([
      ['{"event":"start"}', false],
      ['sound', true],
      ['{"event":"mark"}', false],
      ['voice', true],
    ]);
  });

  test("pings of its engine reach the carrier, and the carrier's pings are answered", async () => {
    const [ours, theirs] = await passedOn();
    const pinged = once(ours, 'ping');
    theirs.ping();
    await pinged;
    const ponged = once(ours, 'pong');
    ours.ping();
    await ponged;
  });

  test('ends on the other side as it ended on the one', async () => {
    const [ours, theirs] = await passedOn();
    let close = closeOf(theirs);
    ours.close(1000, 'bye');
    expect(await close).toEqual([1000, 'bye']);

    const [next, atEngine] = await passedOn();
    close = closeOf(next);
    atEngine.close(1008, 'no');
    expect(await close).toEqual([1008, 'no']);

    const [plain, engineOfPlain] = await passedOn();
    close = closeOf(engineOfPlain);
    plain.close();
    expect(await close).toEqual([1005, '']);
    await until(() => relay.streams === 0);
  });

  test('breaks on the other side when it breaks on the one', async () => {
    const [ours, theirs] = await passedOn();
    let close = closeOf(theirs);
    ours.terminate();
    expect((await close)[0]).toBe(1006);

    const [next, atEngine] = await passedOn();
    close = closeOf(next);
    atEngine.terminate();
    expect((await close)[0]).toBe(1006);
    await until(() => relay.streams === 0);
    await relay.drained(60_000);
  });

  test('a carrier that does not read holds up its engine, and loses nothing', async () => {
    const [ours, theirs] = await passedOn();
    ours.pause();
    const message = 'x'.repeat(16 * 1024);
    const messages = 3_000;
    for (let at = 0; at < messages; at++) theirs.send(`${at} ${message}`);
    // Whatever the kernel takes, 48 MB it does not.
    await until(() => theirs.bufferedAmount > 0);
    const heard: number[] = [];
    ours.on('message', (data) => heard.push(Number.parseInt(String(data), 10)));
    ours.resume();
    await until(() => heard.length === messages, 'everything to arrive', 60_000);
    expect(heard).toEqual(Array.from({ length: messages }, (_, at) => at));
  });

  test('is cut when it sends more than a first second before its engine has taken it', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    holder = (silent.address() as AddressInfo).port;
    const ours = carrier();
    await once(ours, 'open');
    const close = closeOf(ours);
    for (let at = 0; at < 5; at++) ours.send('x'.repeat(60 * 1024));
    expect(await close).toEqual([1006, '']);
    await until(() => relay.streams === 0);
    silent.close();
  });

  test('is waited for when its engine leaves', async () => {
    const [ours] = await passedOn();
    let drained = false;
    const draining = relay.drained(60_000).then(() => {
      drained = true;
    });
    await relay.drained(1);
    expect(drained).toBe(false);
    ours.close(1000);
    await draining;
  });
});

describe('a stream belongs', () => {
  test('here, when its call lives here, or nobody has it and there is room', async () => {
    withRoom = [siblingPort()];
    expect(await refused(carrier())).toBe(418);
    [here, ready, holder] = [true, false, siblingPort()];
    expect(await refused(carrier())).toBe(418);
    expect(asked).toEqual([]);
  });

  test('here, when its pass is none of ours or too old to begin a call, or a sibling sent it', async () => {
    [ready, withRoom] = [false, [siblingPort()]];
    expect(await refused(carrier('anything'))).toBe(418);
    expect(await refused(carrier(token(-2_000)))).toBe(418);
    expect(await refused(carrier(token(), [], { 'x-antiphon-relayed': '1' }))).toBe(418);
    expect(asked).toEqual([]);
  });

  test('to the sibling that holds its call, however old its pass is', async () => {
    holder = siblingPort();
    carrier(token(-2_000));
    await until(() => atSibling.length === 1);
  });

  test('to the next sibling with room, when one has none after all or is gone', async () => {
    const gone = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(gone, 'listening');
    const { port: nobody } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const other = new WebSocketServer({
      host: '127.0.0.1',
      port: 0,
      verifyClient: (_info, answer) => answer(false, 503),
    });
    await once(other, 'listening');
    [ready, withRoom] = [false, [nobody, (other.address() as AddressInfo).port, siblingPort()]];
    carrier();
    await until(() => atSibling.length === 1);
    await new Promise((resolve) => other.close(resolve));
  });

  test('nowhere, when the sibling has no room after all', async () => {
    [ready, withRoom, refusing] = [false, [siblingPort()], [503]];
    expect((await closeOf(carrier()))[0]).toBe(1013);
  });

  test('nowhere, when its pass was used up: no other sibling is asked', async () => {
    [ready, withRoom, refusing] = [false, [siblingPort(), 1], [403]];
    expect((await closeOf(carrier()))[0]).toBe(1008);
    expect(asked).toHaveLength(1);
  });

  test('to its call, also when that is noticed a moment later to be waiting', async () => {
    [holder, refusing] = [siblingPort(), [403, 403]];
    const ours = carrier();
    await once(ours, 'open');
    ours.send('early');
    ours.send(Buffer.from('sound'));
    const heard: string[] = [];
    sibling.on('connection', (socket) => socket.on('message', (data) => heard.push(String(data))));
    await until(() => heard.length === 2);
    expect(heard).toEqual(['early', 'sound']);
    expect(asked).toHaveLength(3);
  });
});
