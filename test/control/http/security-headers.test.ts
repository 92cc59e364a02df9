import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { expect, it } from 'vitest';
import { CONSOLE_PATHS } from '../../../shared/console-paths.ts';
import { startTestApi } from '../../support/control-app.ts';

const PUBLIC_URL = 'https://voice.example.com';
/** Of every answer; a page's policy holds more. */
const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'$/),
  'referrer-policy': expect.stringMatching(/^(no-referrer|same-origin)$/),
  'strict-transport-security': 'max-age=31536000',
};

const start = async (settings: Record<string, string> = { PUBLIC_API_URL: PUBLIC_URL }) =>
  (await startTestApi({}, { CONSOLE_DIR: '/nowhere', ...settings })).http;

/** Every method and path of the app, with something in place of parameters. */
async function routesOf(http: FastifyInstance) {
  await http.ready();
  const above: string[] = [];
  return http
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^([ │└├─]+)(\S+)(?: \((.*)\))?$/.exec(line) ?? [];
      const depth = indent.length / 4 - 1;
      if (part === '') return [];
      above.splice(depth, above.length, part);
      const path = above.join('').replace('//', '/');
      return methods === '' ? [] : methods.split(', ').map((method) => ({ method, path }));
    });
}

it('gives every answer of every route the same headers, and every page a policy without exceptions', async () => {
  const http = await start();
  const routes = await routesOf(http);
  expect(routes.length).toBeGreaterThan(200);
  const pages = new Set<string>();
  for (const { method, path } of routes) {
    const url = path.replace(/:\w+|\*/g, '0'.repeat(32));
    const { headers } = await http.inject({ method: method as 'GET', url });
    expect({ path, ...headers }).toMatchObject({ path, ...EVERYWHERE });
    expect({ path, server: headers.server, by: headers['x-powered-by'] }).toEqual({ path });
    if (!String(headers['content-type']).startsWith('text/html')) continue;
    pages.add(path);
    expect({ path, ...headers }).toMatchObject({
      'permissions-policy': expect.stringMatching(/^microphone=\((self)?\), camera=\(\)/),
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': expect.stringMatching(/no-store|no-cache/),
    });
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers['content-security-policy']).toContain("base-uri 'none'");
  }
  expect([...pages].sort()).toEqual(
    [
      '/',
      ...CONSOLE_PATHS.map((name) => `/${name}`),
      '/api/auth/password-reset',
      '/api/auth/verify-email',
      '/docs',
      '/docs/',
      '/invites/:invite',
      '/oauth/authorize',
    ].toSorted(),
  );
});

it('gives them to what no route answers', async () => {
  const http = await start();
  for (const url of ['/nothing', '/api/v1/nothing', '/%E0%A4%A', '/assets/nothing.js']) {
    const { headers } = await http.inject({ method: 'GET', url });
    expect({ url, ...headers }).toMatchObject({ url, ...EVERYWHERE });
  }
});

it('gives them to what is no request', async () => {
  const http = await start();
  await http.listen({ host: '127.0.0.1', port: 0 });
  const { port } = http.server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.end('this is no HTTP\r\n\r\n');
  expect(await text(socket)).toMatch(/400 Bad Request[\s\S]*X-Content-Type-Options: nosniff\r\n/);
});

it.each([
  ['http', { PUBLIC_API_URL: 'http://voice.example.com' }],
  ["this machine's own name", { PUBLIC_API_URL: 'https://localhost:7080' }],
])('asks nobody to stay with https at %s', async (_address, settings) => {
  const { headers } = await (await start(settings)).inject({ method: 'GET', url: '/' });
  expect(headers['strict-transport-security']).toBeUndefined();
});
