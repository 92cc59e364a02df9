import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { CarrierStream } from '../../../media/carrier-gateway.ts';
import { BrowserLeg } from '../../../media/leg/browser-leg.ts';
import type { LegListener } from '../../../media/leg/leg.ts';
import { type MediaServer, startServer } from '../../../media/server.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/log.ts';
import { signMediaToken } from '../../../shared/media-token.ts';
import { createFakeOpusCodec, fakeRtpPacket } from '../../support/fake-browser.ts';
import { until } from '../../support/until.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

/** The caller's audio stands still for a while and then comes at once, as on a mobile network. */

let clock: VirtualClock;
let times: number[];
let stalls: number[];
let listener: LegListener;

beforeEach(() => {
  clock = createVirtualClock();
  times = [];
  stalls = [];
  listener = {
    audio: (_frame, atMs) => times.push(atMs),
    networkStall: (ms) => stalls.push(ms),
    mark() {},
    digit() {},
    ended() {},
  };
});

const framesUntil = (ms: number) => Array.from({ length: ms / 20 }, (_, index) => (index + 1) * 20);

describe('a stream of Twilio over a socket', () => {
  const SECRET = 'a secret of the test';
  let server: MediaServer;
  let socket: WebSocket;
  let streams: CarrierStream[];

  beforeEach(async () => {
    streams = [];
    server = await startServer({
      host: '127.0.0.1',
      port: 0,
      tokenSecret: SECRET,
      clock,
      log: createLogger('media', 'silent'),
      onStream: (stream) => void streams.push(stream),
      awaitsStream: () => false,
      ready: () => true,
    });
    const token = signMediaToken(SECRET, newId(), clock.wall() + 60_000);
    socket = new WebSocket(`ws://127.0.0.1:${server.port}/carrier/twilio/${token}`, { perMessageDeflate: false });
    await once(socket, 'open');
    send({
      event: 'start',
      streamSid: 'MZ1',
      start: {
        streamSid: 'MZ1',
        callSid: 'CA1',
        tracks: ['inbound'],
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
      },
    });
    await until(() => streams.length === 1);
    streams[0]!.leg.listen(listener);
  });

  afterEach(async () => {
    socket.terminate();
    const closing = server.close();
    await clock.advance(1_000);
    await closing;
  });

  let chunk = 0;
  const send = (message: object) => socket.send(JSON.stringify(message));
  const sendFrame = () =>
    send({
      event: 'media',
      streamSid: 'MZ1',
      media: { track: 'inbound', chunk: String(++chunk), payload: Buffer.alloc(160, 0x7f).toString('base64') },
    });

  it('gives frames that come 640 ms late in a burst the times at which they should have come', async () => {
    chunk = 0;
    while (clock.now() < 400) {
      await clock.advance(20);
      sendFrame();
      await until(() => times.length === chunk);
    }
    await clock.advance(660);
    while (chunk < 53) sendFrame();
    await until(() => times.length === 53);
    expect(times).toEqual(framesUntil(1_060));
    expect(stalls).toEqual([640]);
  });
});

describe("a browser's leg", () => {
  it('waits for the words of a stall and reports it', async () => {
    const leg = new BrowserLeg({
      clock,
      codec: createFakeOpusCodec(),
      agentStream: { payloadType: 100, ssrc: 1 },
      transport: { sendRtp() {}, transcript() {}, close() {} },
    });
    leg.listen(listener);
    let number = 0;
    for (let ms = 20; ms <= 1_060; ms += 20) {
      await clock.advance(20);
      if (ms <= 400) leg.receive(fakeRtpPacket(number++), clock.now());
      leg.tick(clock.now());
    }
    while (number < 53) leg.receive(fakeRtpPacket(number++), clock.now());
    expect(times).toEqual(framesUntil(1_060));
    expect(stalls).toEqual([640]);
  });
});
