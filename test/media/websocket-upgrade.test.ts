import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { openBrowserGateway } from '../../media/browser-gateway.ts';
import { type MediaServer, startServer } from '../../media/server.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/log.ts';
import { signMediaToken } from '../../shared/media-token.ts';
import { createFakeOpusCodec } from '../support/fake-browser.ts';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';

/** What the two doors do alike: strangers who come by the thousand, over real sockets. */

const SECRET = 'a secret of the test';
const LINES_A_MINUTE = 10;

interface Line {
  msg: string;
  why?: string;
  left_out?: number;
}

let clock: VirtualClock;
let server: MediaServer;
let lines: Line[];

beforeEach(async () => {
  clock = createVirtualClock();
  lines = [];
  const log = createLogger('media', 'warn', { write: (line: string) => void lines.push(JSON.parse(line)) });
  const door = { tokenSecret: SECRET, clock, log, onStream() {}, ready: () => false };
  const media = { missing: null, open: () => Promise.reject(new Error('nobody comes so far')), async close() {} };
  server = await startServer({
    ...door,
    host: '127.0.0.1',
    port: 0,
    awaitsStream: () => false,
    browsers: (app, shared) =>
      openBrowserGateway(app, { ...door, ...shared, media, opus: { newCodec: createFakeOpusCodec } }),
  });
});
afterEach(() => close());

async function close(): Promise<void> {
  const closing = server.close();
  await clock.advance(1_000);
  await closing;
}

/** The statuses with which so many are refused. */
function refused(path: string, times: number): Promise<number[]> {
  const one = () =>
    new Promise<number>((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, { perMessageDeflate: false });
      socket.on('error', reject);
      socket.once('unexpected-response', (_request, response) => {
        resolve(response.statusCode ?? 0);
        socket.on('error', () => {}).terminate();
      });
      socket.once('open', () => reject(new Error('it was let in')));
    });
  return Promise.all(Array.from({ length: times }, one));
}

const pass = () => signMediaToken(SECRET, newId(), clock.wall() + 60_000);
const count = (msg: string) => lines.filter((line) => line.msg === msg).length;

describe('refusals', () => {
  test('are answered all, and of each reason some have a line in a minute, at both doors together', async () => {
    expect(await refused('/carrier/twilio/x', 6)).toEqual(new Array(6).fill(401));
    expect(await refused('/web/x', 30)).toEqual(new Array(30).fill(401));
    expect([count('a carrier stream was refused'), count('a browser was refused')]).toEqual([6, 4]);
    // Whoever has a pass still has a line.
    await refused(`/carrier/twilio/${pass()}`, 1);
    await refused(`/web/${pass()}`, 1);
    await refused('/carrier/nobody/x', LINES_A_MINUTE);
    expect(lines.filter(({ why }) => why === 'not ready')).toHaveLength(2);
    expect(lines).toHaveLength(2 * LINES_A_MINUTE + 2);

    await clock.advance(60_000);
    expect(lines.slice(2 * LINES_A_MINUTE + 2)).toEqual([
      expect.objectContaining({ msg: 'more were refused than are logged', why: 'malformed token', left_out: 26 }),
    ]);
  });

  test('have lines again in the next minute, and none is left untold at the end', async () => {
    await refused('/web/x', LINES_A_MINUTE + 1);
    await clock.advance(60_000);
    await clock.advance(60_000);
    expect(count('more were refused than are logged')).toBe(1);
    await refused('/web/x', LINES_A_MINUTE + 2);
    expect(count('a browser was refused')).toBe(2 * LINES_A_MINUTE);
    await close();
    expect(lines.at(-1)).toMatchObject({ msg: 'more were refused than are logged', left_out: 2 });
    expect(clock.pending()).toBe(0);
  });
});
