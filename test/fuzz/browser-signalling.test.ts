import { once } from 'node:events';
import { beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openBrowserGateway } from '../../media/browser-gateway.ts';
import type { BrowserConnection, BrowserMedia } from '../../media/leg/browser-connection.ts';
import { type MediaServer, startServer } from '../../media/server.ts';
import { systemClock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/log.ts';
import { signMediaToken } from '../../shared/media-token.ts';
import { MAX_MESSAGES_PER_SECOND } from '../../shared/web-signalling.ts';
import { afterFile } from '../support/after-file.ts';
import {
  createFakeBrowserConnection,
  createFakeOpusCodec,
  type FakeBrowserConnection,
} from '../support/fake-browser.ts';
import { until } from '../support/until.ts';
import { createDraws, type Draws } from './draws.ts';
import { anyMessage, damaged } from './hostile-json.ts';
import { createTally, messagesOf, SEED, type Tally } from './tally.ts';

/** Pages' signalling and packets at media's port, without mediasoup's worker: no message throws, every call ends. SEED, COUNT. */

const SECRET = 'a secret of the test';
const AT_ONCE = 300;
/** A page lives for some seconds, most of which it waits. */
const MESSAGES_OF_LANE = 250;
const SAMPLES: readonly object[] = [
  { type: 'connect', id: 1, direction: 'send', dtls_parameters: { role: 'client', fingerprints: [] } },
  { type: 'send', id: 2, rtp_parameters: { codecs: [], encodings: [{ ssrc: 1 }] } },
  { type: 'receive', id: 3, rtp_capabilities: { codecs: [] } },
  { type: 'play', id: 4 },
  { type: 'restart_ice', id: 5, direction: 'receive' },
  { type: 'mute', id: 6, muted: true },
  { type: 'digit', id: 7, digit: '5' },
];

let server: MediaServer;
let gateway: ReturnType<typeof openBrowserGateway>;
const connections: FakeBrowserConnection[] = [];
const errors: string[] = [];

beforeAll(async () => {
  const log = createLogger('media', 'error', { write: (line: string) => void errors.push(line) });
  const media: BrowserMedia = {
    unavailableReason: null,
    async open(): Promise<BrowserConnection> {
      const connection = createFakeBrowserConnection();
      connections.push(connection);
      // The packets that each was sent are kept with it.
      if (connections.length > AT_ONCE) connections.shift();
      return connection;
    },
    async close() {},
  };
  const common = { tokenSecret: SECRET, clock: systemClock, log, captures: true, ready: () => true };
  server = await startServer({
    ...{ ...common, host: '127.0.0.1', port: 0, onStream() {}, awaitsStream: () => false },
    browsers(app, shared) {
      gateway = openBrowserGateway(app, {
        ...{ ...common, ...shared, media, opus: { newCodec: createFakeOpusCodec } },
        onStream: ({ leg }) => leg.listen({ audio() {}, mark() {}, digit() {}, ended: () => leg.hangUp() }),
      });
      return gateway;
    },
  });
  afterFile(() => server.close());
});

const RTP = Buffer.from('8064000100000000000000070102030405', 'hex');

async function page(draws: Draws, tally: Tally): Promise<void> {
  const token = signMediaToken(SECRET, newId(), Date.now() + 60_000);
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/web/${token}`, { perMessageDeflate: false });
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  socket.on('error', () => {});
  // The message `ready` comes when the call is there.
  await Promise.race([once(socket, 'message').catch(() => {}), closed]);
  const connection = draws.pick(connections);
  if (connection) connection.refuses = draws.chance(0.1);
  for (let count = 0; count < MAX_MESSAGES_PER_SECOND + 5 && socket.readyState === WebSocket.OPEN; count++) {
    const message = anyMessage(draws, SAMPLES);
    socket.send(message, { binary: draws.chance(0.02) });
    tally.add('sent');
    if (draws.chance(0.3)) connection?.receivePacket(draws.chance(0.3) ? RTP : damaged(draws, RTP));
    if (count % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  if (draws.chance(0.2)) connection?.die();
  if (socket.readyState === WebSocket.OPEN) socket.send('{"type":"hang_up","id":1}');
  await closed;
}

it('the signalling of a browser survives any message', async () => {
  const total = messagesOf(1_000);
  const tally = createTally('browser signalling', total);
  const lanes = Math.min(AT_ONCE, Math.ceil(total / MESSAGES_OF_LANE));
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      const draws = createDraws(SEED + lane);
      while (tally.count < total) await page(draws, tally);
    }),
  );
  await until(() => gateway.calls === 0, 'the end of every call');
  for (const line of errors.splice(0)) tally.found(line);
  expect(tally.end()).toEqual([]);
}, 86_400_000);
