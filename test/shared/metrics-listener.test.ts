import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createLogger } from '../../shared/log.ts';
import { type MetricsListener, plainText, startMetricsListener } from '../../shared/metrics-listener.ts';

const log = createLogger('test', 'silent');
let listener: MetricsListener | null = null;

afterEach(async () => {
  await listener?.close();
  listener = null;
});

async function start(): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  listener = await startMetricsListener({
    ...{ host: '127.0.0.1', port: 0, log },
    endpoints: {
      '/metrics': async () => ({ status: 200, type: 'text/plain; version=0.0.4', body: 'up 1\n' }),
      '/readyz': async () => plainText(503, 'not ready'),
      '/broken': () => Promise.reject(new Error('a secret reason')),
    },
  });
  return (path, init) => fetch(`http://127.0.0.1:${listener!.port}${path}`, init);
}

it('serves what it was given and nothing else', async () => {
  const get = await start();
  const metrics = await get('/metrics?x=1');
  expect([metrics.status, metrics.headers.get('content-type'), await metrics.text()]).toEqual([
    ...[200, 'text/plain; version=0.0.4', 'up 1\n'],
  ]);
  expect(metrics.headers.get('x-content-type-options')).toBe('nosniff');
  expect((await get('/readyz')).status).toBe(503);
  for (const path of ['/', '/api/v1/calls', '/constructor', '/metrics/']) expect((await get(path)).status).toBe(404);
  expect((await get('/metrics', { method: 'POST' })).status).toBe(404);
});

it('answers a failure without its reason', async () => {
  const response = await (await start())('/broken');
  expect([response.status, await response.text()]).toEqual([500, 'something went wrong\n']);
});

it('closes with its connections', async () => {
  await start();
  const socket = connect(listener!.port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await listener!.close();
  listener = null;
  await closed;
});
