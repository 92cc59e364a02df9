import { once } from 'node:events';
import { beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { frameBytes } from '../../media/audio/format.ts';
import type { CarrierStream } from '../../media/carrier-gateway.ts';
import { type MediaServer, startServer } from '../../media/server.ts';
import { systemClock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/log.ts';
import { signMediaToken } from '../../shared/media-token.ts';
import { afterFile } from '../support/after-file.ts';
import { until } from '../support/until.ts';
import { type CarrierSamples, carrierSamples } from './carrier-samples.ts';
import { createDraws, type Draws } from './draws.ts';
import { anyMessage } from './hostile-json.ts';
import { createTally, messagesOf, SEED, type Tally } from './tally.ts';

/** Carriers' media streams at media's port: no message throws, and every socket is closed again. SEED, COUNT for each carrier. */

const SECRET = 'a secret of the test';
const MESSAGES_OF_STREAM = 150;
const AT_ONCE = 4;
const CARRIERS = carrierSamples();

let server: MediaServer;
const errors: string[] = [];

beforeAll(async () => {
  const log = createLogger('media', 'error', { write: (line: string) => void errors.push(line) });
  server = await startServer({
    ...{ host: '127.0.0.1', port: 0, tokenSecret: SECRET, clock: systemClock, log, captures: true },
    onStream: (stream) => converse(stream),
    onUnsupportedStream: ({ close }) => close(),
    awaitsStream: () => false,
    ready: () => true,
  });
  afterFile(() => server.close());
});

/** Speaks to every frame of the caller, as a call does. */
function converse({ leg }: CarrierStream): void {
  const frame = new Uint8Array(frameBytes(leg.format));
  let marks = 0;
  leg.listen({
    audio(_frame, atMs) {
      leg.play(frame);
      leg.tick(atMs);
      if (++marks % 5 === 0) leg.mark(`m${marks}`);
      if (marks % 11 === 0) leg.clear();
      if (marks % 7 === 0) leg.ping?.();
    },
    mark() {},
    digit: () => leg.flush(),
    ended() {},
  });
}

/** One socket, from its opening to its end. */
async function stream(draws: Draws, carrier: string, samples: CarrierSamples, tally: Tally): Promise<void> {
  const path = draws.chance(0.98)
    ? `${carrier === 'stream' ? '' : '/carrier'}/${carrier}/${signMediaToken(SECRET, newId(), Date.now() + 60_000)}`
    : `/carrier/${draws.pick([carrier, '%00', '__proto__', ''])}/${draws.pick(['x', '%', 'a.b.c', ''])}`;
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, { perMessageDeflate: false });
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  socket.on('error', () => {});
  await Promise.race([once(socket, 'open').catch(() => {}), closed]);
  const opening = draws.chance(0.9) ? [draws.pick(samples.opening), ...samples.opening] : [];
  const valid = opening.map((each) =>
    typeof each === 'string' || each instanceof Uint8Array ? each : JSON.stringify(each),
  );
  for (const message of valid) if (socket.readyState === WebSocket.OPEN) socket.send(message);
  for (let count = 0; count < MESSAGES_OF_STREAM && socket.readyState === WebSocket.OPEN; count++) {
    const among = draws.chance(0.9) ? samples.messages : samples.opening;
    const message = anyMessage(draws, among);
    socket.send(message, { binary: draws.chance(0.02) !== message instanceof Uint8Array });
    tally.add('sent');
    // Now and then what was sent is read before more follows, so that a socket that is closed is noticed.
    if (count % 25 === 0) await Promise.race([answered(socket), closed]);
  }
  await Promise.race([answered(socket), closed]);
  tally.add(socket.readyState === WebSocket.OPEN ? 'kept open' : 'closed');
  if (draws.chance(0.3)) socket.terminate();
  else socket.close();
  await closed;
}

function answered(socket: WebSocket): Promise<unknown> {
  if (socket.readyState !== WebSocket.OPEN) return Promise.resolve();
  const pong = once(socket, 'pong');
  socket.ping();
  return pong.catch(() => {});
}

describe.each(Object.entries(CARRIERS))('the stream of %s', (carrier, samples) => {
  it('survives any message', async () => {
    const total = messagesOf(1_500);
    const tally = createTally(`stream of ${carrier}`, total);
    const lanes = Array.from({ length: AT_ONCE }, async (_, lane) => {
      const draws = createDraws(SEED + lane);
      while (tally.count < total) await stream(draws, carrier, samples, tally);
    });
    await Promise.all(lanes);
    await until(() => server.streams === 0);
    for (const line of errors.splice(0)) tally.found(line);
    expect((await fetch(`http://127.0.0.1:${server.port}/healthz`)).status).toBe(200);
    expect(tally.end()).toEqual([]);
  }, 86_400_000);
});
