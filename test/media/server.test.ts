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
    metricsText: async () => 'antiphon_engine_calls 3\n',
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

/** The status of a rejected upgrade. */
async function rejected(path: string): Promise<number> {
  const socket = client(path);
  return new Promise((resolve, reject) => {
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.once('open', () => reject(new Error('the upgrade was accepted')));
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
const endLine = () => until(() => lines.find((line) => line.msg === 'carrier stream ended'));

async function started(socket: WebSocket): Promise<CarrierStream> {
  const before = streams.length;
  socket.send(START);
  return until(() => streams[before]);
}

function recorder(): { events: string[]; listener: LegListener } {
  const events: string[] = [];
  return {
    events,
    listener: {
      audio: (frame) => events.push(`audio ${frame[0]}`),
      mark: (name) => events.push(`mark ${name}`),
      digit: (digit) => events.push(`digit ${digit}`),
      ended: (cause) => events.push(`ended: ${cause}`),
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

describe('an upgrade', () => {
  it('with a valid token becomes a stream once its start has come', async () => {
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
    ['an invalid token', '/carrier/twilio/nonsense', 401],
    ['an unknown carrier', '/carrier/nobody/nonsense', 404],
    ['a property of Object.prototype', '/carrier/constructor/nonsense', 404],
    ['another path', '/elsewhere', 404],
  ])('%s is rejected', async (_what, path, status) => {
    expect(await rejected(path)).toBe(status);
  });

  it('a forged token is rejected', async () => {
    const token = signMediaToken('another secret altogether', CALL_ID, clock.wall() + 60_000);
    expect(await rejected(`/carrier/twilio/${token}`)).toBe(401);
  });

  it('an expired token is rejected, and not logged', async () => {
    const token = newToken(-1_000);
    expect(await rejected(`/carrier/plivo/${token}`)).toBe(403);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ msg: 'carrier stream rejected', reason: 'expired token', carrier: 'plivo' });
    expect(JSON.stringify(lines)).not.toContain(token.slice(-20));
  });

  it('a token works once', async () => {
    const path = `/carrier/twilio/${newToken()}`;
    await opened(path);
    expect(await rejected(path)).toBe(403);
    expect(lines.at(-1)).toMatchObject({ reason: 'used token', call_id: CALL_ID });
  });

  it('is rejected while the engine is not ready, and the token stays valid', async () => {
    const path = `/carrier/twilio/${newToken()}`;
    ready = false;
    expect(await rejected(path)).toBe(503);
    ready = true;
    await opened(path);
  });
});

describe('health', () => {
  it('reports liveness and readiness', async () => {
    const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${server.port}${path}`)).status;
    expect(await statusOf('/healthz')).toBe(200);
    expect(await statusOf('/readyz')).toBe(200);
    ready = false;
    expect(await statusOf('/healthz')).toBe(200);
    expect(await statusOf('/readyz')).toBe(503);
    expect(await statusOf('/')).toBe(404);
    expect(await statusOf(`/carrier/twilio/${newToken()}`)).toBe(404);
  });

  it('does not name itself', async () => {
    const { headers } = await fetch(`http://127.0.0.1:${server.port}/healthz`);
    expect([...headers.keys()].sort()).toEqual(['content-length', 'date']);
  });

  it('serves metrics to loopback', async () => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/metricsz`);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toEqual({ calls: 3 });
    const text = await fetch(`http://127.0.0.1:${server.port}/metrics`);
    expect(text.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await text.text()).toBe('antiphon_engine_calls 3\n');
  });

  it('serves metrics to no other address, and none where there are none', async () => {
    const log = createLogger('media', 'silent');
    const own = { host: '0.0.0.0', port: 0, tokenSecret: SECRET, clock, log, onStream() {}, awaitsStream: () => false };
    const outside = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
    const metrics = { metrics: () => ({ calls: 3 }), metricsText: async () => '' };
    const open = await startServer({ ...own, ready: () => true, ...metrics });
    const closed = await startServer({ ...own, ready: () => true });
    const statusOf = (host: string, port: number) =>
      Promise.all(['metricsz', 'metrics'].map(async (path) => (await fetch(`http://${host}:${port}/${path}`)).status));
    try {
      expect(await statusOf('127.0.0.1', open.port)).toEqual([200, 200]);
      expect(await statusOf('127.0.0.1', closed.port)).toEqual([404, 404]);
      // Skipped on a machine without a network.
      if (outside) expect(await statusOf(outside, open.port)).toEqual([404, 404]);
    } finally {
      await Promise.all([open.close(), closed.close()]);
    }
  });
});

describe('a stream', () => {
  it('carries audio both ways', async () => {
    const socket = await opened();
    const { leg } = await started(socket);
    const { events, listener } = recorder();
    leg.listen(listener);
    socket.send(media(1, 7));
    socket.send(media(2, 8));
    socket.send('{"event":"mark","streamSid":"MZ1","mark":{"name":"m"}}');
    await until(() => events.length === 3);
    expect(events).toEqual(['audio 7', 'audio 8', 'mark m']);
    const message = once(socket, 'message');
    expect(leg.play(Buffer.alloc(160, 9))).toBe(true);
    const [text] = await message;
    expect(JSON.parse(String(text)).media.payload).toBe(Buffer.alloc(160, 9).toString('base64'));
  });

  it("speaks Plivo's protocol, where closing is hanging up", async () => {
    const socket = await opened(`/carrier/plivo/${newToken()}`);
    const start = { callId: 'c', streamId: 's', mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 } };
    socket.send(JSON.stringify({ event: 'start', start, extra_headers: 'a=b' }));
    const { leg, parameters } = await until(() => streams[0]);
    const { events, listener } = recorder();
    leg.listen(listener);
    expect(parameters).toEqual({ a: 'b' });
    socket.close(1000);
    await until(() => events.length > 0);
    expect(events).toEqual(['ended: hung up']);
  });

  it("has the agent's audio at 16 kHz where Telnyx was asked for it, whatever the caller's line has", async () => {
    const socket = await opened(`/carrier/telnyx/${newToken()}?rate=16000`);
    const media_format = { encoding: 'PCMA', sample_rate: 8000, channels: 1 };
    socket.send(JSON.stringify({ event: 'start', stream_id: 's1', start: { call_control_id: 'v3:1', media_format } }));
    const { leg } = await until(() => streams[0]);
    expect([leg.callerFormat.encoding, leg.format]).toEqual(['alaw', { encoding: 'pcm16', sample_rate: 16_000 }]);
  });

  it("speaks a client's own protocol at /stream", async () => {
    const socket = await opened(`/stream/${newToken()}`);
    const texts: string[] = [];
    socket.on('message', (bytes, binary) => texts.push(binary ? `audio ${String(bytes).length}` : String(bytes)));
    socket.send('{"type":"begin"}');
    socket.send('{"type":"start","audio":{"encoding":"pcm16","sample_rate":16000},"transcripts":true}');
    const { leg } = await until(() => streams[0]);
    const { events, listener } = recorder();
    leg.listen(listener);
    socket.send(Buffer.alloc(300, 7));
    socket.send(Buffer.alloc(340, 7));
    await until(() => events.length > 0);
    leg.play(Buffer.alloc(640));
    leg.transcript!({ role: 'user', text: 'yes', final: true, interrupted: false, at_ms: 1 });
    leg.hangUp('agent ended the call');
    expect(await closeOf(socket)).toBe(1000);
    expect(events).toEqual(['audio 7']);
    expect(texts.slice(1)).toEqual([
      '{"type":"started"}',
      'audio 640',
      '{"type":"transcript","role":"user","text":"yes","final":true,"interrupted":false,"at_ms":1}',
      '{"type":"ended","reason":"agent ended the call"}',
    ]);
    expect(JSON.parse(texts[0]!).type).toBe('error');
  });

  it('is closed with code 1000 when the leg hangs up', async () => {
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

  it('without a listener is closed after ten seconds', async () => {
    const socket = await opened();
    const { leg } = await started(socket);
    await clock.advance(10_000);
    expect(await closeOf(socket)).toBe(1001);
    expect(leg.end?.cause).toBe('lost');
  });

  it('with a listener stays open', async () => {
    const { leg } = await started(await opened());
    leg.listen(recorder().listener);
    await clock.advance(60_000);
    expect(leg.end).toBeNull();
    expect(server.streams).toBe(1);
  });

  it('without audio is lost', async () => {
    const socket = await opened();
    const { leg } = await started(socket);
    const { events, listener } = recorder();
    leg.listen(listener);
    socket.send(media(1, 7));
    await until(() => events.length === 1);
    await clock.advance(10_020);
    leg.tick(clock.now());
    expect(events.at(-1)).toBe('ended: lost');
    expect(await closeOf(socket)).toBe(1001);
  });
});

describe('hostile input', () => {
  it('garbage before the start closes the stream', async () => {
    const socket = await opened();
    for (let count = 0; count < 21; count++) socket.send(count % 2 === 0 ? 'garbage' : Buffer.from([1, 2, 3]));
    expect(await closeOf(socket)).toBe(1008);
    expect(streams).toEqual([]);
  });

  it('garbage and binary after the start end it as a protocol error beyond a limit', async () => {
    const socket = await opened();
    const { leg } = await started(socket);
    const { events, listener } = recorder();
    leg.listen(listener);
    for (let count = 0; count < 10; count++) socket.send('garbage');
    for (let count = 0; count < 10; count++) socket.send(Buffer.from([1, 2, 3]));
    for (let count = 0; count < 30; count++) socket.send('{"event":"something new"}');
    socket.send(media(1, 7));
    await until(() => events.length === 1);
    socket.send('{"event":');
    expect(await closeOf(socket)).toBe(1002);
    expect(events).toEqual(['audio 7', 'ended: protocol error']);
    expect(await endLine()).toMatchObject({ level: 40, cause: 'protocol error' });
  });

  it.each(['twilio', 'plivo'])('an oversized message ends a %s stream as a protocol error', async (carrier) => {
    const socket = await opened(`/carrier/${carrier}/${newToken()}`);
    const plivo = { callId: 'c', streamId: 's', mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 } };
    socket.send(carrier === 'twilio' ? START : JSON.stringify({ event: 'start', start: plivo }));
    const { leg } = await until(() => streams[0]);
    const { events, listener } = recorder();
    leg.listen(listener);
    socket.send(`{"event":"${'x'.repeat(70_000)}"}`);
    await closeOf(socket);
    await until(() => events.length > 0);
    expect(events).toEqual(['ended: protocol error']);
    expect(await endLine()).toMatchObject({ detail: 'a message larger than 64 KiB' });
  });

  it('an oversized message before the start is logged too', async () => {
    const socket = await opened();
    socket.send('x'.repeat(70_000));
    await closeOf(socket);
    expect(await endLine()).toMatchObject({ cause: 'rejected', detail: 'a message larger than 64 KiB' });
  });

  it('a Twilio socket that vanishes is lost', async () => {
    const socket = await opened();
    const { leg } = await started(socket);
    const { events, listener } = recorder();
    leg.listen(listener);
    socket.terminate();
    await until(() => events.length > 0);
    expect(events).toEqual(['ended: lost']);
    expect(leg.play(Buffer.alloc(160))).toBe(false);
    leg.mark('m');
    leg.clear();
    leg.hangUp();
    expect(server.streams).toBe(0);
  });

  it('a socket that does not read ends congested, without effect on others', async () => {
    const socket = await opened();
    const { leg } = await started(socket);
    const { events, listener } = recorder();
    leg.listen(listener);
    socket.pause();
    const large = Buffer.alloc(16_000, 1);
    await until(() => !leg.play(large));
    expect(events).toEqual([]);
    for (let ms = 0; ms <= 3_200; ms += 200) {
      leg.play(large);
      await clock.advance(200);
    }
    expect(events).toEqual(['ended: congested']);
    await until(() => server.streams === 0);
    await started(await opened());
  });

  it('a peer that neither reads nor acknowledges the close is removed', async () => {
    const socket = await opened();
    const { leg } = await started(socket);
    socket.pause();
    leg.hangUp();
    await until(() => server.streams === 0);
    expect(await endLine()).toMatchObject({ cause: 'hung up by us' });
  });

  it('bytes that are not HTTP do no harm', async () => {
    const socket = createConnection({ host: '127.0.0.1', port: server.port });
    sockets.push(socket);
    socket.on('error', () => {});
    socket.resume();
    socket.write('\u0000\u0001 no HTTP \r\n\r\n');
    await once(socket, 'close');
    await opened();
  });

  it('an error in a handler ends only that call', async () => {
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

describe('shutdown', () => {
  it('closes every stream and stops listening', async () => {
    const withStart = await opened();
    await started(withStart);
    const waiting = await opened();
    const codes = Promise.all([closeOf(withStart), closeOf(waiting)]);
    const closing = server.close();
    expect(server.close()).toBe(closing);
    await clock.advance(1_000);
    await closing;
    expect(await codes).toEqual([1000, 1008]);
    await expect(fetch(`http://127.0.0.1:${server.port}/healthz`)).rejects.toThrow();
    expect(clock.pending()).toBe(0);
  });

  it('rejects when the port is taken', async () => {
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
