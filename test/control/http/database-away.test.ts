import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { connectDatabase, type Sql } from '../../../control/db/connect.ts';
import { route } from '../../../control/http/route.ts';
import { createHttpApp } from '../../../control/http/server.ts';
import { createLogger } from '../../../shared/log.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const clock = createVirtualClock();
let http: Awaited<ReturnType<typeof createHttpApp>>;
let frozen: Server;
const sockets = new Set<Socket>();
let away: Sql;
let silent: Sql;
let asked = () => {};

beforeAll(async () => {
  frozen = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    asked();
  });
  await new Promise<void>((resolve) => frozen.listen(0, '127.0.0.1', resolve));
  const { port } = frozen.address() as { port: number };
  away = connectDatabase({ url: `postgres://u:p@127.0.0.1:9/none`, max: 1 });
  silent = connectDatabase({ url: `postgres://u:p@127.0.0.1:${port}/none`, max: 1 });
  http = await createHttpApp({ log: createLogger('control', 'silent'), findPrincipal: async () => null, clock });
  const declare = (path: string, sql: Sql, method: 'GET' | 'POST') =>
    route(http, {
      ...{ method, path, tag: 'Test', summary: 'one row', credential: 'public', permission: null, success: 200 },
      schema: { response: z.object({}) },
      handler: async () => {
        await sql`select 1`;
        return {};
      },
    });
  declare('/away', away, 'GET');
  declare('/away', away, 'POST');
  declare('/silent', silent, 'GET');
  const failing = (code: string) =>
    (async () => Promise.reject(Object.assign(new Error('timeout'), { code }))) as never;
  // PostgreSQL: canceling statement due to lock timeout, and due to statement timeout.
  declare('/locked', failing('55P03'), 'POST');
  declare('/canceled', failing('57014'), 'POST');
});

afterAll(async () => {
  await http.close();
  for (const socket of sockets) socket.destroy();
  await Promise.all([away.end({ timeout: 0 }), silent.end({ timeout: 0 })]);
  await new Promise((resolve) => frozen.close(resolve));
});

test('a database that is away is a 503 that says when to try again', async () => {
  const response = await http.inject({ url: '/away' });

  expect(response.statusCode).toBe(503);
  expect(response.headers['retry-after']).toBe('5');
  expect(response.json().detail).toContain('try again in a few seconds');
});

test('a change that broke off says that its outcome is not known', async () => {
  const response = await http.inject({ method: 'POST', url: '/away' });

  expect(response.statusCode).toBe(503);
  expect(response.json().detail).toContain('not known');
});

test('a row that somebody else holds locked is a 503 that says that nothing was changed', async () => {
  const response = await http.inject({ method: 'POST', url: '/locked' });
  expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5']);
  expect(response.json().detail).toContain('nothing was changed');
});

test('a change that takes too long says that its outcome is not known', async () => {
  const response = await http.inject({ method: 'POST', url: '/canceled' });
  expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5']);
  expect(response.json().detail).toContain('not known');
});

test('a database that stands still holds a reader for 5 seconds', async () => {
  const reached = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const response = http.inject({ url: '/silent' });
  await reached;
  await clock.advance(5_000);

  expect((await response).statusCode).toBe(503);
});
