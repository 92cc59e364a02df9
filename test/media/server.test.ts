import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { CarrierStream } from '../../media/carrier-gateway.ts';
import type { LegListener } from '../../media/leg/leg.ts';
import { type MediaServer, startServer } from '../../media/server.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/log.ts';
import { signMediaToken } from '../../shared/media-token.ts';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';

const SECRET = 'a secret of the test';
const CALL_ID = newId();
const START = JSON.stringify({
  event: 'start',
  sequenceNumber: '1',
  streamSid: 'MZ1',
  start: {
    accountSid: 'AC1',
    streamSid: 'MZ1',
    callSid: 'CA1',
    tracks: ['inbound'],
    customParameters: { ref: 'x' },
    mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
  },
});

let clock: VirtualClock;
let server: MediaServer;
let streams: CarrierStream[];
let lines: Record<string, unknown>[];
let ready: boolean;
let onStream: (stream: CarrierStream) => void;
let sockets: (WebSocket | Socket)[];

beforeEach(async () => {
  clock = createVirtualClock();
  streams = [];
  lines = [];
  sockets = [];
  ready = true;
  onStream = (stream) => streams.push(stream);
  const log = createLogger('media', 'debug', { write: (line: string) => void lines.push(JSON.parse(line)) });
  server = await startServer({
    host: '127.0.0.1',
    port: 0,
    tokenSecret: SECRET,
    clock,
    log,
    onStream: (stream) => onStream(stream),
    awaitsStream: () => false,
    ready: () => ready,
    metrics: () => ({ calls: 3 }),
  });
});

afterEach(async () => {
  for (const socket of sockets) 'terminate' in socket ? socket.terminate() : socket.destroy();
  const closing = server.close();
  await clock.advance(1_000);
  await closing;
});

const newToken = (lifeMs = 60_000) => signMediaToken(SECRET, CALL_ID, clock.wall() + lifeMs);

function client(path: string): WebSocket {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, { perMessageDeflate: false });
  socket.on('error', () => {});
  sockets.push(socket);
  return socket;
}

async function opened(path = `/carrier/twilio/${newToken()}`): Promise<WebSocket> {
  const socket = client(path);
  await once(socket, 'open');
  return socket;
}

/** The status with which an upgrade is refused. */
async function refused(path: string): Promise<number> {
  const socket = client(path);
  return new Promise((resolve, reject) => {
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.once('open', () => reject(new Error('it was let in')));
  });
}

async function until<T>(find: () => T | undefined | false): Promise<T> {
  for (let tries = 0; tries < 1000; tries++) {
    const found = find();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('it did not happen');
}

const closeOf = (socket: WebSocket) => new Promise<number>((resolve) => socket.once('close', resolve));
const endLine = () => until(() => lines.find((line) => line.msg === 'a carrier stream ended'));

async function started(socket: WebSocket): Promise<CarrierStream> {
  const before = streams.length;
  socket.send(START);
  return until(() => streams[before]);
}

function recorder(): { heard: string[]; listener: LegListener } {
  const heard: string[] = [];
  return {
    heard,
    listener: {
      audio: (frame) => heard.push(`audio ${frame[0]}`),
      mark: (name) => heard.push(`mark ${name}`),
      cleared: () => heard.push('cleared'),
      digit: (digit) => heard.push(`digit ${digit}`),
      ended: (cause) => heard.push(`ended: ${cause}`),
    },
  };
}

function media(chunk: number, value: number): string {
  const payload = Buffer.alloc(160, value).toString('base64');
  return JSON.stringify({
    event: 'media',
    streamSid: 'MZ1',
    media: { track: 'inbound', chunk: String(chunk), payload },
  });
}

describe('who is let in', () => {
  it('a stream with a token of ours, and the start says whose it is', async () => {
    const socket = await opened();
    socket.send('{"event":"connected","protocol":"Call","version":"1.0.0"}');
    const stream = await started(socket);
    expect(stream).toMatchObject({
      token: { call_id: CALL_ID },
      carrier: 'twilio',
      providerCallId: 'CA1',
      format: { encoding: 'mulaw', sample_rate: 8000 },
      parameters: { ref: 'x' },
    });
    expect(server.streams).toBe(1);
  });

  it.each([
    ['no token of ours', '/carrier/twilio/nonsense', 401],
    ['an unknown carrier', '/carrier/nobody/nonsense', 404],
    ['a name every object knows', '/carrier/constructor/nonsense', 404],
    ['another path', '/elsewhere', 404],
  ])('%s is refused', async (_what, path, status) => {
    expect(await refused(path)).toBe(status);
  });

  it('a forged token is refused', async () => {
    const token = signMediaToken('another secret altogether', CALL_ID, clock.wall() + 60_000);
    expect(await refused(`/carrier/twilio/${token}`)).toBe(401);
  });

  it('an expired token is refused, with one line that does not hold it', async () => {
    const token = newToken(-1_000);
    expect(await refused(`/carrier/plivo/${token}`)).toBe(403);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ msg: 'a carrier stream was refused', why: 'expired token', carrier: 'plivo' });
    expect(JSON.stringify(lines)).not.toContain(token.slice(-20));
  });

  it('a token works once', async () => {
    const path = `/carrier/twilio/${newToken()}`;
    await opened(path);
    expect(await refused(path)).toBe(403);
    expect(lines.at(-1)).toMatchObject({ why: 'used token', call_id: CALL_ID });
  });

  it('nobody while the engine is not ready, and the token stays good', async () => {
    const path = `/carrier/twilio/${newToken()}`;
    ready = false;
    expect(await refused(path)).toBe(503);
    ready = true;
    await opened(path);
  });
});

describe('health', () => {
  it('answers that it lives and whether it takes calls', async () => {
    const ask = async (path: string) => (await fetch(`http://127.0.0.1:${server.port}${path}`)).status;
    expect(await ask('/healthz')).toBe(200);
    expect(await ask('/readyz')).toBe(200);
    ready = false;
    expect(await ask('/healthz')).toBe(200);
    expect(await ask('/readyz')).toBe(503);
    expect(await ask('/')).toBe(404);
    expect(await ask(`/carrier/twilio/${newToken()}`)).toBe(404);
  });

  it('tells how it is doing to this machine', async () => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/metricsz`);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toEqual({ calls: 3 });
  });

  it('tells nobody else, and nobody where there is nothing to tell', async () => {
    const log = createLogger('media', 'silent');
    const own = { host: '0.0.0.0', port: 0, tokenSecret: SECRET, clock, log, onStream() {}, awaits: () => false };
    const outside = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
    const open = await startServer({ ...own, ready: () => true, metrics: () => ({ calls: 3 }) });
    const closed = await startServer({ ...own, ready: () => true });
    const ask = async (host: string, port: number) => (await fetch(`http://${host}:${port}/metricsz`)).status;
    try {
      expect(await ask('127.0.0.1', open.port)).toBe(200);
      expect(await ask('127.0.0.1', closed.port)).toBe(404);
      // A machine without a network has nobody else.
      if (outside) expect(await ask(outside, open.port)).toBe(404);
    } finally {
      await Promise.all([open.close(), closed.close()]);
    }
  });
});

describe('a stream', () => {
  it('carries sound both ways', async () => {
    const socket = await opened();
    const { leg } = await started(socket);
    const { heard, listener } = recorder();
    leg.listen(listener);
    socket.send(media(1, 7));
    socket.send(media(2, 8));
    socket.send('{"event":"mark","streamSid":"MZ1","mark":{"name":"m"}}');
    await until(() => heard.length === 3);
    expect(heard).toEqual(['audio 7', 'audio 8', 'mark m']);
    const answer = once(socket, 'message');
    expect(leg.play(Buffer.alloc(160, 9))).toBe(true);
    const [text] = await answer;
    expect(JSON.parse(String(text)).media.payload).toBe(Buffer.alloc(160, 9).toString('base64'));
  });

  it('speaks Plivo, where closing is hanging up', async () => {
    const socket = await opened(`/carrier/plivo/${newToken()}`);
    const start = { callId: 'c', streamId: 's', mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 } };
    socket.send(JSON.stringify({ event: 'start', start, extra_headers: 'a=b' }));
    const { leg, parameters } = await until(() => streams[0]);
    const { heard, listener } = recorder();
    leg.listen(listener);
    expect(parameters).toEqual({ a: 'b' });
    socket.close(1000);
    await until(() => heard.length > 0);
    expect(heard).toEqual(['ended: hung up']);
  });

  it('is closed with a proper goodbye when we hang up', async () => {
    const socket = await opened();
    const { leg } = await started(socket);
    leg.hangUp();
    expect(await closeOf(socket)).toBe(1000);
    expect(await endLine()).toMatchObject({ level: 30, cause: 'hung up by us', call_id: CALL_ID });
  });

  it('without a start is closed after five seconds', async () => {
    const socket = await opened();
    socket.send('{"event":"connected"}');
    await clock.advance(5_000);
    expect(await closeOf(socket)).toBe(1008);
    expect(await endLine()).toMatchObject({ detail: 'no start within 5 s' });
    expect(streams).toEqual([]);
  });

  it('that nobody takes is closed after ten seconds', async () => {
    const socket = await opened();
    const { leg } = await started(socket);
    await clock.advance(10_000);
    expect(await closeOf(socket)).toBe(1001);
    expect(leg.end?.cause).toBe('lost');
  });

  it('that somebody took stays', async () => {
    const { leg } = await started(await opened());
    leg.listen(recorder().listener);
    await clock.advance(60_000);
    expect(leg.end).toBeNull();
    expect(server.streams).toBe(1);
  });

  it('that falls silent is lost', async () => {
    const socket = await opened();
    const { leg } = await started(socket);
    const { heard, listener } = recorder();
    leg.listen(listener);
    socket.send(media(1, 7));
    await until(() => heard.length === 1);
    await clock.advance(10_020);
    leg.tick(clock.now());
    expect(heard.at(-1)).toBe('ended: lost');
    expect(await closeOf(socket)).toBe(1001);
  });
});

describe('what strangers do', () => {
  it('garbage before the start closes the stream', async () => {
    const socket = await opened();
    for (let count = 0; count < 21; count++) socket.send(count % 2 === 0 ? 'garbage' : Buffer.from([1, 2, 3]));
    expect(await closeOf(socket)).toBe(1008);
    expect(streams).toEqual([]);
  });

  it('garbage and binary after the start end it as a protocol error, a little of it is forgiven', async () => {
    const socket = await opened();
    const { leg } = await started(socket);
    const { heard, listener } = recorder();
    leg.listen(listener);
    for (let count = 0; count < 10; count++) socket.send('garbage');
    for (let count = 0; count < 10; count++) socket.send(Buffer.from([1, 2, 3]));
    for (let count = 0; count < 30; count++) socket.send('{"event":"something new"}');
    socket.send(media(1, 7));
    await until(() => heard.length === 1);
    socket.send('{"event":');
    expect(await closeOf(socket)).toBe(1002);
    expect(heard).toEqual(['audio 7', 'ended: protocol error']);
    expect(await endLine()).toMatchObject({ level: 40, cause: 'protocol error' });
  });

  it.each(['twilio', 'plivo'])('an oversized message ends a %s stream as a protocol error', async (carrier) => {
    const socket = await opened(`/carrier/${carrier}/${newToken()}`);
    const plivo = { callId: 'c', streamId: 's', mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 } };
    socket.send(carrier === 'twilio' ? START : JSON.stringify({ event: 'start', start: plivo }));
    const { leg } = await until(() => streams[0]);
    const { heard, listener } = recorder();
    leg.listen(listener);
    socket.send(`{"event":"${'x'.repeat(70_000)}"}`);
    await closeOf(socket);
    await until(() => heard.length > 0);
    expect(heard).toEqual(['ended: protocol error']);
    expect(await endLine()).toMatchObject({ detail: 'a message larger than 64 KiB' });
  });

  it('an oversized message before the start is told too', async () => {
    const socket = await opened();
    socket.send('x'.repeat(70_000));
    await closeOf(socket);
    expect(await endLine()).toMatchObject({ cause: 'refused', detail: 'a message larger than 64 KiB' });
  });

  it('a Twilio socket that vanishes is lost', async () => {
    const socket = await opened();
    const { leg } = await started(socket);
    const { heard, listener } = recorder();
    leg.listen(listener);
    socket.terminate();
    await until(() => heard.length > 0);
    expect(heard).toEqual(['ended: lost']);
    expect(leg.play(Buffer.alloc(160))).toBe(false);
    leg.mark('m');
    leg.clear();
    leg.hangUp();
    expect(server.streams).toBe(0);
  });

  it('a socket that does not read ends congested, and the others do not notice', async () => {
    const socket = await opened();
    const { leg } = await started(socket);
    const { heard, listener } = recorder();
    leg.listen(listener);
    socket.pause();
    const large = Buffer.alloc(16_000, 1);
    await until(() => !leg.play(large));
    expect(heard).toEqual([]);
    for (let ms = 0; ms <= 3_200; ms += 200) {
      leg.play(large);
      await clock.advance(200);
    }
    expect(heard).toEqual(['ended: congested']);
    await until(() => server.streams === 0);
    await started(await opened());
  });

  it('a peer that neither reads nor answers our goodbye is gone from the count', async () => {
    const socket = await opened();
    const { leg } = await started(socket);
    socket.pause();
    leg.hangUp();
    await until(() => server.streams === 0);
    expect(await endLine()).toMatchObject({ cause: 'hung up by us' });
  });

  it('bytes that are no HTTP at all do no harm', async () => {
    const socket = createConnection({ host: '127.0.0.1', port: server.port });
    sockets.push(socket);
    socket.on('error', () => {});
    socket.resume();
    socket.write('\u0000\u0001 no HTTP \r\n\r\n');
    await once(socket, 'close');
    await opened();
  });

  it('a fault of ours ends that one call only', async () => {
    onStream = () => {
      throw new Error('a bug');
    };
    const socket = await opened();
    socket.send(START);
    expect(await closeOf(socket)).toBe(1001);
    expect(lines.find((line) => line.level === 50)).toMatchObject({ call_id: CALL_ID });
    onStream = (stream) => streams.push(stream);
    await started(await opened());
  });
});

describe('leaving', () => {
  it('closes every stream and stops listening', async () => {
    const taken = await opened();
    await started(taken);
    const waiting = await opened();
    const codes = Promise.all([closeOf(taken), closeOf(waiting)]);
    const closing = server.close();
    expect(server.close()).toBe(closing);
    await clock.advance(1_000);
    await closing;
    expect(await codes).toEqual([1000, 1008]);
    await expect(fetch(`http://127.0.0.1:${server.port}/healthz`)).rejects.toThrow();
    expect(clock.pending()).toBe(0);
  });

  it('says so when the port is taken', async () => {
    const log = createLogger('media', 'silent');
    const second = startServer({
      host: '127.0.0.1',
      port: server.port,
      tokenSecret: SECRET,
      clock,
      log,
      onStream: () => {},
      awaitsStream: () => false,
      ready: () => true,
    });
    await expect(second).rejects.toThrow('cannot listen on 127.0.0.1');
  });
});
