import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { twilioStreamProtocol } from '../../../fixtures/simulators/carrier-media-twilio.ts';
import { Phone } from '../../../fixtures/simulators/carrier-phone.ts';
import { waitUntil } from '../../../fixtures/simulators/wait-until.ts';
import type { CarrierStream } from '../../../media/carrier-gateway.ts';
import { createMediaClock, type MediaClock } from '../../../media/playout/media-clock.ts';
import { Playout } from '../../../media/playout/playout.ts';
import { type MediaServer, startServer } from '../../../media/server.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/log.ts';
import { signMediaToken } from '../../../shared/media-token.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { pause } from '../../support/until.ts';

/** Playout over real sockets to simulated carriers, in real time. */

const SECRET = 'a secret of at least thirty-two characters';
const BYTES_PER_MS = 8;
const STALL_MS = 3_000;

let server: MediaServer;
let mediaClock: MediaClock;
const streams = new Map<string, CarrierStream>();

beforeAll(async () => {
  mediaClock = createMediaClock(patientClock, () => {});
  server = await startServer({
    host: '127.0.0.1',
    port: 0,
    tokenSecret: SECRET,
    clock: patientClock,
    log: createLogger('test', 'silent'),
    onStream: (stream) => streams.set(stream.token.call_id, stream),
    awaitsStream: () => false,
    ready: () => true,
  });
});

afterAll(async () => {
  mediaClock.stop();
  await server.close();
});

/** A call on which the agent says something of this length. */
async function speaking(lengthMs: number) {
  const callId = newId();
  const token = signMediaToken(SECRET, callId, Date.now() + 60_000);
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/carrier/twilio/${token}`, { perMessageDeflate: false });
  await once(socket, 'open');
  const names = { accountSid: `AC${callId}`, callSid: `CA${callId}`, streamSid: `MZ${callId}`, parameters: {} };
  const violations: string[] = [];
  const protocol = twilioStreamProtocol(names);
  const phone = new Phone({ socket, protocol, violations, onEnd() {} });
  const { leg } = await waitUntil('the stream', 60_000, () => streams.get(callId));
  let finished = false;
  const playout = new Playout(leg, patientClock, {
    started() {},
    finished: () => {
      finished = true;
    },
    sent() {},
    dropped() {},
  });
  leg.listen({
    audio() {},
    mark: (name) => playout.onMark(name),
    pong: () => playout.onPong(),
    digit() {},
    ended() {},
  });
  mediaClock.subscribe((nowMs) => {
    leg.tick(nowMs);
    playout.tick(nowMs);
  });
  playout.begin('r', false);
  playout.push('r', new Uint8Array(lengthMs * BYTES_PER_MS).fill(0x10));
  playout.complete('r');
  /** How many frames the marks prove that the carrier has returned. */
  const provedFrames = () => {
    const returned = phone.events.findLast((event) => event.type === 'mark returned');
    if (returned?.type !== 'mark returned') return 0;
    const requested = phone.events.find((event) => event.type === 'mark' && event.name === returned.name)!;
    return phone.agentFrames.filter(({ atMs }) => atMs <= requested.atMs).length;
  };
  return {
    ...{ phone, socket, leg, playout, violations, provedFrames, protocol },
    finished: () => waitUntil('the end of the speech', 60_000, () => finished),
    frames: () => phone.agentFrames.length,
  };
}

const reached = (frames: () => number, count: number) => waitUntil(`${count} frames`, 60_000, () => frames() >= count);

describe.concurrent('a carrier over a real socket', () => {
  test('that reads nothing for 3 s: what counts as played out is what its marks prove, and nothing is lost', async () => {
    const { phone, socket, playout, provedFrames, finished, frames, violations } = await speaking(4_000);
    await reached(frames, 50);
    phone.stopReading();
    await pause(STALL_MS);
    const proved = provedFrames() * 20;
    const cursors = playout.cursors('r')!;
    expect(cursors.playedOutMs).toBeLessThanOrEqual(proved);
    expect(cursors.playedOutMs).toBeGreaterThan(proved - 200);
    const sentMs = cursors.sentMs;
    expect(sentMs).toBeLessThan(4_000);
    socket.resume();
    await finished();
    expect([frames(), violations]).toEqual([4_000 / 20, []]);
    phone.hangUp();
  });

  test('that reads nothing, and is interrupted: nothing more is sent until it reads again', async () => {
    const { phone, socket, playout, frames, finished } = await speaking(3_000);
    await reached(frames, 40);
    phone.stopReading();
    await pause(1_500);
    const { playedOutMs } = playout.cursors('r')!;
    playout.drop();
    playout.begin('next', false);
    playout.push('next', new Uint8Array(1_000 * BYTES_PER_MS).fill(0x10));
    playout.complete('next');
    await pause(500);
    expect(playout.cursors('next')).toMatchObject({ sentMs: 0, playedOutMs: 0 });
    expect(playedOutMs).toBeGreaterThan(0);
    socket.resume();
    await finished();
    expect(phone.events.filter(({ type }) => type === 'clear')).toHaveLength(1);
    phone.hangUp();
  });

  test('that stops returning marks: the reply goes on to its end', async () => {
    const { phone, finished, frames, leg } = await speaking(4_000);
    phone.markDelayMs = (index) => (index > 10 ? 3_600_000 : 0);
    await finished();
    expect([frames(), leg.end]).toEqual([200, null]);
    phone.hangUp();
  });

  test('that returns marks late, twice, out of order, and with names of others: the reply is played whole', async () => {
    const { phone, finished, frames, protocol, playout } = await speaking(3_000);
    phone.markDelayMs = (index) => 300 + (index % 2) * 250;
    for (let part = 1; part <= 5; part++) {
      await reached(frames, part * 25);
      for (const event of phone.events.slice(-6)) {
        if (event.type === 'mark returned') phone.sendRaw(protocol.markPlayed(event.name));
      }
      for (const name of ['m9999', 'r1 1 160', 'x']) phone.sendRaw(protocol.markPlayed(name));
      const cursors = playout.cursors('r');
      if (cursors) expect(cursors.playedOutMs).toBeLessThanOrEqual(cursors.sentMs);
    }
    await finished();
    expect(frames()).toBe(150);
    phone.hangUp();
  });
});
