import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { CarrierStream, UnsupportedStream } from '../../media/carrier-gateway.ts';
import { type MediaServer, startServer } from '../../media/server.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/log.ts';
import { signMediaToken } from '../../shared/media-token.ts';
import { eventually } from '../support/until.ts';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';

/** How a carrier's socket is closed when its stream cannot be taken, as the carrier sees it. */

const SECRET = 'a secret of the test';
const CALL_ID = newId();

let clock: VirtualClock;
let server: MediaServer;
let streams: CarrierStream[];
let unsupported: UnsupportedStream[];
let lines: Record<string, unknown>[];
let socket: WebSocket;

beforeEach(async () => {
  clock = createVirtualClock();
  streams = [];
  unsupported = [];
  lines = [];
  server = await startServer({
    host: '127.0.0.1',
    port: 0,
    tokenSecret: SECRET,
    clock,
    log: createLogger('media', 'debug', { write: (line: string) => void lines.push(JSON.parse(line)) }),
    onStream: (stream) => void streams.push(stream),
    onUnsupportedStream: (stream) => void unsupported.push(stream),
    awaitsStream: () => false,
    ready: () => true,
  });
});

afterEach(async () => {
  socket.terminate();
  const closing = server.close();
  await clock.advance(1_000);
  await closing;
});

async function connect(carrier: string): Promise<void> {
  const token = signMediaToken(SECRET, CALL_ID, clock.wall() + 60_000);
  socket = new WebSocket(`ws://127.0.0.1:${server.port}/carrier/${carrier}/${token}`, { perMessageDeflate: false });
  socket.on('error', () => {});
  await once(socket, 'open');
}

const soon = <T>(find: () => T | undefined) => eventually('it', 60_000, async () => find());
const send = (message: object) => socket.send(JSON.stringify(message));
const closing = () =>
  new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) })),
  );
const endLine = () => soon(() => lines.find(({ msg }) => msg === 'carrier stream ended'));

const telnyxStart = (encoding: string, sample_rate: number) => ({
  event: 'start',
  stream_id: 's1',
  start: { call_control_id: 'v3:1', media_format: { encoding, sample_rate, channels: 1 } },
});
const plivoStart = (encoding: string, sampleRate: number) => ({
  event: 'start',
  start: { callId: 'c1', streamId: 's1', mediaFormat: { encoding, sampleRate } },
});

async function started(): Promise<CarrierStream> {
  await connect('plivo');
  send(plivoStart('audio/x-mulaw', 8000));
  return soon(() => streams[0]);
}

describe('a stream whose audio cannot be read', () => {
  it.each([
    ['telnyx', telnyxStart('G722', 8000), 'v3:1', 'G722 at 8000 Hz'],
    ['telnyx', telnyxStart('L16', 24_000), 'v3:1', 'L16 at 24000 Hz'],
    ['plivo', plivoStart('audio/x-l16', 24_000), 'c1', 'audio/x-l16 at 24000 Hz'],
    [
      'vonage',
      { event: 'websocket:connected', 'content-type': 'audio/l16;rate=24000', call_uuid: 'u1' },
      'u1',
      'audio/l16;rate=24000',
    ],
  ])('%s: %j is handed over at once and closed with 1003 and the reason', async (carrier, start, call, format) => {
    await connect(carrier);
    send(start);
    const stream = await soon(() => unsupported[0]);
    expect(stream).toMatchObject({ token: { call_id: CALL_ID }, carrier, providerCallId: call, format });
    const closed = closing();
    stream.close();
    const { code, reason } = await closed;
    expect(code).toBe(1003);
    expect(reason).toContain(`unsupported audio: ${format}; set `);
    expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123);
    expect(await endLine()).toMatchObject({ level: 40, cause: 'rejected', detail: reason, carrier });
    expect(streams).toEqual([]);
  });

  it('is closed after a second by itself', async () => {
    await connect('telnyx');
    send(telnyxStart('OPUS', 48_000));
    await soon(() => unsupported[0]);
    const closed = closing();
    await clock.advance(1_000);
    expect((await closed).code).toBe(1003);
    unsupported[0]!.close();
  });

  it('is handed over once', async () => {
    await connect('telnyx');
    send(telnyxStart('G722', 8000));
    send(telnyxStart('PCMU', 8000));
    await soon(() => unsupported[0]);
    socket.ping();
    await once(socket, 'pong');
    expect([unsupported.length, streams.length]).toEqual([1, 0]);
  });
});

describe('a message that is too large', () => {
  const MEGABYTE = 'x'.repeat(2 ** 20);

  it('closes with 1009 before the start', async () => {
    await connect('plivo');
    socket.send(MEGABYTE);
    expect(await closing()).toEqual({ code: 1009, reason: 'a message larger than 64 KiB' });
    expect(await endLine()).toMatchObject({ cause: 'rejected', detail: 'a message larger than 64 KiB' });
  });

  it.each([['text'], ['binary']])('closes with 1009 after it, and ends the leg: %s', async (kind) => {
    const { leg } = await started();
    socket.send(kind === 'text' ? MEGABYTE : Buffer.alloc(2 ** 20));
    expect(await closing()).toEqual({ code: 1009, reason: 'a message larger than 64 KiB' });
    expect(leg.end).toEqual({ cause: 'protocol error', detail: 'a message larger than 64 KiB' });
  });

  it('of more megabytes than are read ends the leg in the same way, with the connection', async () => {
    const { leg } = await started();
    socket.send(Buffer.alloc(5 * 2 ** 20));
    expect((await closing()).code).toBe(1006);
    await endLine();
    expect(leg.end).toMatchObject({ cause: 'protocol error' });
  });
});

describe('a stream that is rejected', () => {
  it('is closed with 1008 and the reason, which is in the log', async () => {
    const { leg } = await started();
    leg.reject('the call is canceled');
    expect(await closing()).toEqual({ code: 1008, reason: 'the call is canceled' });
    expect(await endLine()).toMatchObject({ level: 40, cause: 'rejected', detail: 'the call is canceled' });
  });

  it('has a reason cut to what a close frame holds', async () => {
    const { leg } = await started();
    leg.reject('ä'.repeat(200), 1013);
    expect(await closing()).toEqual({ code: 1013, reason: 'ä'.repeat(61) });
  });

  it('says that it had no start', async () => {
    await connect('plivo');
    await clock.advance(5_000);
    expect(await closing()).toEqual({ code: 1008, reason: 'no start within 5 s' });
  });

  it('says which protocol error it was', async () => {
    await started();
    for (let count = 0; count < 21; count++) socket.send('garbage');
    expect(await closing()).toEqual({ code: 1002, reason: '21 invalid messages, the last: not a JSON object' });
  });
});

describe('messages of another stream', () => {
  it('are dropped and counted, and its stop ends nothing', async () => {
    const { leg } = await started();
    const events: string[] = [];
    leg.listen({
      audio: (frame) => events.push(`audio ${frame[0]}`),
      mark: (name) => events.push(`mark ${name}`),
      digit: (digit) => events.push(`digit ${digit}`),
      ended: (cause) => events.push(`ended: ${cause}`),
    });
    const media = (value: number) => ({
      media: { track: 'inbound', chunk: 1, payload: Buffer.alloc(160, value).toString('base64') },
    });
    for (const streamId of ['s2', 's1']) {
      send({ event: 'media', streamId, ...media(streamId === 's1' ? 7 : 9) });
      send({ event: 'dtmf', streamId, dtmf: { digit: streamId.at(-1) } });
      send({ event: 'playedStream', streamId, name: streamId });
      if (streamId === 's2') send({ event: 'stop', streamId });
    }
    await soon(() => events[2]);
    expect(events).toEqual(['audio 7', 'digit 1', 'mark s1']);
    send({ event: 'stop', streamId: 's1' });
    expect(await endLine()).toMatchObject({ cause: 'hung up', frames: 1, foreign: 4 });
  });
});
