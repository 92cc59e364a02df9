import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { openBrowserGateway } from '../../media/browser-gateway.ts';
import { type MediaServer, startServer } from '../../media/server.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/log.ts';
import { signMediaToken } from '../../shared/media-token.ts';
import { createFakeOpusCodec } from '../support/fake-browser.ts';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';

/** Rejections of both gateways, over real sockets. */

const SECRET = 'a secret of the test';
const MAX_LOG_LINES_PER_MINUTE = 10;

interface LogLine {
  msg: string;
  reason?: string;
  left_out?: number;
}

let clock: VirtualClock;
let server: MediaServer;
let lines: LogLine[];

beforeEach(async () => {
  clock = createVirtualClock();
  lines = [];
  const log = createLogger('media', 'warn', { write: (line: string) => void lines.push(JSON.parse(line)) });
  const shared = { tokenSecret: SECRET, clock, log, onStream() {}, ready: () => false };
  const media = { unavailableReason: null, open: () => Promise.reject(new Error('not reached')), async close() {} };
  server = await startServer({
    ...shared,
    host: '127.0.0.1',
    port: 0,
    awaitsStream: () => false,
    browsers: (app, own) =>
      openBrowserGateway(app, { ...shared, ...own, media, opus: { newCodec: createFakeOpusCodec } }),
  });
});
afterEach(() => close());

async function close(): Promise<void> {
  const closing = server.close();
  await clock.advance(1_000);
  await closing;
}

/** The statuses of this many rejected upgrades. */
function rejected(path: string, times: number): Promise<number[]> {
  const upgrade = () =>
    new Promise<number>((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, { perMessageDeflate: false });
      socket.on('error', reject);
      socket.once('unexpected-response', (_request, response) => {
        resolve(response.statusCode ?? 0);
        socket.on('error', () => {}).terminate();
      });
      socket.once('open', () => reject(new Error('the upgrade was accepted')));
    });
  return Promise.all(Array.from({ length: times }, upgrade));
}

const token = () => signMediaToken(SECRET, newId(), clock.wall() + 60_000);
const count = (msg: string) => lines.filter((line) => line.msg === msg).length;

describe('rejections', () => {
  test('are all answered, and logged a limited number of times per reason and minute over both gateways', async () => {
    expect(await rejected('/carrier/twilio/x', 6)).toEqual(new Array(6).fill(401));
    expect(await rejected('/web/x', 30)).toEqual(new Array(30).fill(401));
    expect([count('carrier stream rejected'), count('browser rejected')]).toEqual([6, 4]);
    // Another reason has its own limit.
    await rejected(`/carrier/twilio/${token()}`, 1);
    await rejected(`/web/${token()}`, 1);
    await rejected('/carrier/nobody/x', MAX_LOG_LINES_PER_MINUTE);
    expect(lines.filter(({ reason }) => reason === 'not ready')).toHaveLength(2);
    expect(lines).toHaveLength(2 * MAX_LOG_LINES_PER_MINUTE + 2);

    await clock.advance(60_000);
    expect(lines.slice(2 * MAX_LOG_LINES_PER_MINUTE + 2)).toEqual([
      expect.objectContaining({ msg: 'further upgrades rejected', reason: 'malformed token', left_out: 26 }),
    ]);
  });

  test('are logged again in the next minute, and counted to the end', async () => {
    await rejected('/web/x', MAX_LOG_LINES_PER_MINUTE + 1);
    await clock.advance(60_000);
    await clock.advance(60_000);
    expect(count('further upgrades rejected')).toBe(1);
    await rejected('/web/x', MAX_LOG_LINES_PER_MINUTE + 2);
    expect(count('browser rejected')).toBe(2 * MAX_LOG_LINES_PER_MINUTE);
    await close();
    expect(lines.at(-1)).toMatchObject({ msg: 'further upgrades rejected', left_out: 2 });
    expect(clock.pending()).toBe(0);
  });
});
