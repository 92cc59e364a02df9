import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { beforeAll, expect, it } from 'vitest';
import { startServer } from '../../media/server.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';
import { afterFile } from '../support/after-file.ts';
import { startTestApi } from '../support/control-app.ts';
import { createDraws, type Draws } from './draws.ts';
import { damaged, hostileString } from './hostile-json.ts';
import { createTally, requestsOf, SEED } from './tally.ts';

/** Bytes that are hardly HTTP, at the ports of both programs: they go on answering. SEED, COUNT. */

const ports: Record<string, number> = {};
/** A connection that is not closed by the server is closed here: half a request is waited for, which has its own tests. */
const WAIT_MS = 20;

beforeAll(async () => {
  const api = await startTestApi();
  await api.http.listen({ port: 0, host: '127.0.0.1' });
  ports.control = (api.http.server.address() as AddressInfo).port;
  const media = await startServer({
    ...{ host: '127.0.0.1', port: 0, tokenSecret: 'a secret of the test', clock: systemClock },
    log: createLogger('media', 'silent'),
    ...{ onStream() {}, awaitsStream: () => false, ready: () => true },
  });
  afterFile(() => media.close());
  ports.media = media.port;
});

const PATHS = [
  '/healthz',
  '/api/v1/agents',
  '/carrier/twilio/x',
  '/web/x',
  '/stream/x',
  '/%',
  '//',
  '*',
  'http://x/',
  `/${'a'.repeat(20_000)}`,
];
const HEADERS = [
  ...[
    'Host: x',
    'Host: x\r\nHost: y',
    'Content-Length: 5',
    'Content-Length: 5\r\nContent-Length: 6',
    'Content-Length: -1',
  ],
  ...[
    'Content-Length: 99999999999999999999',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: chunked\r\nContent-Length: 3',
  ],
  ...[
    'Upgrade: websocket\r\nConnection: Upgrade',
    'Sec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13',
    'Expect: 100-continue',
  ],
  ...['X: \u0001', ' folded: x', 'NoColon', `X: ${'y'.repeat(30_000)}`, 'Connection: close, x', 'Cookie: ='],
];

function bytesOf(draws: Draws): Buffer {
  const method = draws.pick(['GET', 'POST', 'OPTIONS', 'PRI', 'CONNECT', 'get', '', 'G\u0000T', 'TRACE']);
  const version = draws.pick(['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', '']);
  const headers = Array.from({ length: draws.below(5) }, () => draws.pick(HEADERS)).join('\r\n');
  const body = draws.pick([
    '',
    'hello',
    '5\r\nhello\r\n0\r\n\r\n',
    'ffffffffffffffff\r\n',
    '-1\r\n',
    hostileString(draws),
  ]);
  const whole = `${method} ${draws.pick(PATHS)} ${version}\r\n${headers}\r\n\r\n${body}`;
  return draws.chance(0.5) ? Buffer.from(whole) : damaged(draws, whole);
}

/** The first line of the answer; empty where there is none. */
async function answerTo(port: number, bytes: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (data) => {
    answer += data.toString('latin1');
    socket.destroy();
  });
  socket.on('error', () => {});
  socket.write(bytes);
  const timer = setTimeout(() => socket.destroy(), WAIT_MS);
  await once(socket, 'close');
  clearTimeout(timer);
  return answer.split('\r\n', 1)[0]!;
}

it.each(['control', 'media'])(
  '%s goes on after any bytes',
  async (program) => {
    const total = requestsOf(300);
    const tally = createTally(`bytes at ${program}`, total);
    const draws = createDraws(SEED);
    const port = ports[program]!;
    for (let count = 0; count < total; count++) {
      const bytes = bytesOf(draws);
      const line = await answerTo(port, bytes);
      const status = /^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1];
      tally.add(line === '' ? 'closed' : status ? `${status[0]}xx` : 'other');
      if (status?.startsWith('5') && status !== '501' && status !== '505')
        tally.found(`${line}: ${bytes.toString('latin1').slice(0, 300)}`);
    }
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    expect(tally.end()).toEqual([]);
  },
  86_400_000,
);
