import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { route } from '../../../control/http/route.ts';
import { createHttpApp } from '../../../control/http/server.ts';
import { suspend } from '../../../control/operators/workspaces.ts';
import { newApiKey } from '../../../control/workspaces/api-key.ts';
import { createLogger } from '../../../shared/log.ts';
import { type Client, request, startTestApi, type TestApi } from '../../support/control-app.ts';

let api: TestApi;
let acme: Client;

beforeAll(async () => {
  api = await startTestApi();
  acme = await api.newWorkspace('Acme');
});

const get = (url: string, headers: Record<string, string> = {}) => request(api.http, { method: 'GET', url, headers });

describe('every response', () => {
  it('has its own request id', async () => {
    const ids = new Set<string>();
    for (const url of ['/api/v1/agents', '/healthz', '/nowhere', '/%zz', '/api/v1/agents?timezone=x']) {
      const { headers } = await get(url);
      expect(headers['x-request-id']).toMatch(/^[a-f0-9]{32}$/);
      ids.add(headers['x-request-id']!);
    }
    expect(ids.size).toBe(5);
  });

  it('of the API is not stored by browsers and proxies', async () => {
    const storage = async (url: string, key = acme.key) =>
      (await get(url, { 'x-api-key': key })).headers['cache-control'];
    expect(await storage('/api/v1/agents')).toBe('no-store');
    expect(await storage('/api/v1/agents', 'svc_nonsense')).toBe('no-store');
    expect(await storage('/healthz')).toBeUndefined();
  });

  it('is JSON with a detail where nothing is found', async () => {
    for (const url of ['/api/v1', '/api/v1/nothing', '/%zz']) {
      const { status, body } = await get(url);
      expect([status, body]).toEqual([404, { detail: 'not found' }]);
    }
  });
});

describe('credentials', () => {
  it('are required', async () => {
    const { status, body, headers } = await get('/api/v1/agents');
    expect([status, body]).toEqual([401, { detail: 'not signed in' }]);
    expect(headers['www-authenticate']).toBe('Bearer');
  });

  it.each([
    { 'x-api-key': 'svc_nonsense' },
    { 'x-api-key': newApiKey() },
    { authorization: `Bearer ${newApiKey()}` },
    { authorization: 'Basic YTpi' },
    { authorization: 'Bearer' },
  ])('must be known: %o', async (headers) => {
    const { status, body } = await get('/api/v1/agents', headers as unknown as Record<string, string>);
    expect([status, body]).toEqual([401, { detail: 'invalid, expired or revoked credentials' }]);
  });

  it('are accepted in either header', async () => {
    expect((await get('/api/v1/agents', { 'x-api-key': acme.key })).status).toBe(200);
    expect((await get('/api/v1/agents', { authorization: `bearer ${acme.key}` })).status).toBe(200);
  });

  it('stop working at once when revoked', async () => {
    const workspace = await api.newWorkspace();
    expect((await workspace.send('GET', '/agents')).status).toBe(200);
    const [key] = (await workspace.send('GET', '/keys')).body;
    expect((await workspace.send('DELETE', `/keys/${key.id}`)).status).toBe(204);
    expect((await workspace.send('GET', '/agents')).status).toBe(401);
  });

  it('are stored as a hash, with the time of their last use', async () => {
    await acme.send('GET', '/agents');
    const [row] = await api.sql`
      select prefix, octet_length(hash) as hash_bytes, created_by, last_used_at from api_keys
      where workspace_id = ${acme.workspace_id}
    `;
    expect(row).toMatchObject({ prefix: acme.key.slice(0, 12), hash_bytes: 32, created_by: 'operator' });
    await expect
      .poll(async () => (await api.sql`select last_used_at from api_keys where prefix = ${acme.key.slice(0, 12)}`)[0])
      .toEqual({ last_used_at: expect.any(Date) });
  });
});

describe('time zones', () => {
  it('default to India; the query wins over the header', async () => {
    const zoneOf = async (url: string, headers = {}) => (await get(url, headers)).headers['x-timezone'];
    expect(await zoneOf('/api/v1/agents')).toBe('Asia/Kolkata');
    expect(await zoneOf('/api/v1/agents', { 'x-timezone': 'UTC' })).toBe('UTC');
    expect(await zoneOf('/api/v1/agents?timezone=Europe/Berlin', { 'x-timezone': 'UTC' })).toBe('Europe/Berlin');
  });

  it('write the times of records', async () => {
    await acme.send('POST', '/agents', { name: 'A' });
    const { body } = await acme.send('GET', '/agents?timezone=America/Lima');
    expect(body[0].created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-05:00$/);
  });

  it('that are unknown are a 400, before the credential is checked', async () => {
    const { status, body, headers } = await get('/api/v1/agents?timezone=%2B05:30');
    expect(status).toBe(400);
    expect(body.detail).toBe('unknown timezone "+05:30": use an IANA name such as Asia/Kolkata or UTC');
    expect(headers['x-timezone']).toBe('Asia/Kolkata');
  });
});

describe('the order of checks', () => {
  it('is credential, activation, body, existence', async () => {
    const workspace = await api.newWorkspace();
    const put = (body: unknown, headers = {}) => workspace.send('PUT', `/agents/${'0'.repeat(32)}`, body, headers);
    expect((await put({}, { 'x-api-key': '' })).status).toBe(401);
    expect((await put({})).status).toBe(422);
    expect((await put({ name: 'A' })).status).toBe(404);
    await suspend({ sql: api.sql, wallMs: Date.now() }, workspace.workspace_id, 'a test');
    const inactive = await put({});
    expect([inactive.status, inactive.body]).toEqual([
      403,
      { detail: 'workspace not active', code: 'workspace_inactive' },
    ]);
  });

  it('responds 404 to a malformed id, after the body', async () => {
    const { status, body } = await acme.send('GET', '/agents/..%2Fpasswd');
    expect([status, body]).toEqual([404, { detail: 'agent not found' }]);
    expect((await acme.send('PUT', '/agents/x', {})).status).toBe(422);
  });
});

describe('bodies', () => {
  const post = (payload: string, type = 'application/json') =>
    request(api.http, {
      method: 'POST',
      url: '/api/v1/agents',
      headers: { 'x-api-key': acme.key, 'content-type': type },
      payload,
    });

  it('with invalid JSON get the position of the error', async () => {
    const { status, body } = await post('{"name": nobody}');
    expect(status).toBe(422);
    expect(body.detail).toEqual([{ type: 'json_invalid', loc: ['body', 9], msg: 'JSON decode error', input: null }]);
  });

  it('are required', async () => {
    const { body } = await post('');
    expect(body.detail).toEqual([{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }]);
  });

  it('are at most 1 MB', async () => {
    const { status, body } = await post(JSON.stringify({ name: 'x'.repeat(1024 * 1024) }));
    expect([status, body]).toEqual([413, { detail: 'the request body is larger than 1 MB' }]);
  });

  it('of another type are refused', async () => {
    expect((await post('<a/>', 'text/xml')).status).toBe(415);
  });

  it('with text that PostgreSQL cannot store are rejected', async () => {
    for (const text of ['{"name":"a\\u0000b"}', '{"name":"\\ud800"}', '{"name":"a","\\u0000":1}']) {
      expect((await post(text)).body.detail[0].type).toBe('value_error');
    }
    expect((await post('{"name":"\\ud83d\\ude00"}')).status).toBe(201);
  });

  it('cannot reach into prototypes', async () => {
    const { status, body } = await post(
      '{"name":"A","__proto__":{"status":"frozen"},"llm":{"__proto__":{"model":"x"}}}',
    );
    expect([status, body.status, body.llm.model]).toEqual([201, 'active', 'gpt-4.1-mini']);
  });

  it('get at most 50 items', async () => {
    const { body } = await post(JSON.stringify({ name: 'A', tools: Array(50).fill({ name: '1' }) }));
    expect(body.detail).toHaveLength(50);
  });
});

describe('an internal error', () => {
  it('is a 500 with the request id and nothing else', async () => {
    const http = await createHttpApp({ log: createLogger('control', 'silent'), findPrincipal: async () => null });
    const broken = {
      method: 'GET',
      tag: 'T',
      summary: '',
      credential: 'public',
      permission: null,
      success: 200,
    } as const;
    route(http, {
      ...broken,
      path: '/throws',
      schema: { response: z.string() },
      handler: async () => {
        throw new Error('the secret is 42');
      },
    });
    route(http, {
      ...broken,
      path: '/misfits',
      schema: { response: z.object({ a: z.string() }) },
      handler: async () => ({ a: 42 }) as never,
    });
    for (const url of ['/throws', '/misfits']) {
      const { status, body, headers } = await request(http, { method: 'GET', url });
      expect([status, body]).toEqual([500, { detail: 'something went wrong', request_id: headers['x-request-id'] }]);
    }
    await http.close();
  });

  it('is not reported for malformed HTTP, which is a 400', async () => {
    const http = await createHttpApp({ log: createLogger('control', 'silent'), findPrincipal: async () => null });
    await http.listen({ host: '127.0.0.1', port: 0 });
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect((http.server.address() as { port: number }).port, '127.0.0.1');
      let text = '';
      socket.on('data', (part) => {
        text += part;
      });
      socket.on('end', () => resolve(text)).on('error', reject);
      socket.write('this is no request\r\n\r\n');
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/X-Request-ID: [a-f0-9]{32}/);
    expect(answer).toContain('"detail"');
    await http.close();
  });
});

describe('health', () => {
  it('is independent of readiness', async () => {
    expect((await get('/healthz')).body).toEqual({ status: 'ok' });
    expect((await get('/readyz')).body).toEqual({ status: 'ready' });
  });

  it('without the bus is not ready', async () => {
    const alone = await startTestApi({ connected: () => false });
    const { status, body } = await request(alone.http, { method: 'GET', url: '/readyz' });
    expect([status, body]).toEqual([503, { detail: 'not ready: no bus' }]);
  });
});
