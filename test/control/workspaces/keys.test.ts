import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { credentialCachesExpired } from '../../../control/http/credential-cache.ts';
import { systemClock } from '../../../shared/clock.ts';
import { request, startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';
import { createManualClock, HOUR_MS } from '../accounts/test-users.ts';

const clock = createManualClock();
let api: TestApi;
let owner: UserClient;

beforeAll(async () => {
  api = await startTestApi({}, { TRUSTED_PROXIES: '127.0.0.1' }, { clock });
  owner = await api.asUser('owner');
});

const use = (key: string, headers: Record<string, string> = {}) =>
  request(api.http, { method: 'GET', url: '/api/v1/agents', headers: { authorization: `Bearer ${key}`, ...headers } });

/** The clock has moved on since the password was entered. */
const confirmed = () => api.sql`update sessions set confirmed_at = ${new Date(clock.wall())}`;

describe('API keys', () => {
  it('are shown once and work at once', async () => {
    const { status, body } = await owner.send('POST', '/keys', { name: 'robot' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[a-f0-9]{32}$/),
      name: 'robot',
      prefix: body.key.slice(0, 12),
      created_by: 'The owner',
      created_at: expect.any(String),
      last_used_at: null,
      last_used_address: '',
      scopes: null,
      expires_at: null,
      allowed_addresses: [],
      replaced_by: null,
      key: expect.stringMatching(/^svc_[0-9A-Za-z]{49}$/),
    });
    expect((await use(body.key)).status).toBe(200);
    const listed = await owner.send('GET', '/keys');
    expect(listed.body.map(({ name }: { name: string }) => name)).toEqual(['robot', 'first key']);
    expect(JSON.stringify(listed.body)).not.toContain(body.key);
    const [row] = await api.sql`select * from api_keys where id = ${body.id}`;
    expect(JSON.stringify(row)).not.toContain(body.key);
  });

  it('stop working with the response of their revocation', async () => {
    const { body } = await owner.send('POST', '/keys', { name: 'short-lived' });
    expect((await use(body.key)).status).toBe(200);
    expect((await owner.send('DELETE', `/keys/${body.id}`)).status).toBe(204);
    const refused = await use(body.key);
    expect([refused.status, refused.body.detail]).toEqual([401, 'invalid, expired or revoked credentials']);
    const again = await owner.send('DELETE', `/keys/${body.id}`);
    expect([again.status, again.body.detail]).toEqual([404, 'key not found']);
    const events = await api.sql`
      select action from audit_events where workspace_id = ${owner.workspace_id} and target_id = ${body.id} order by id`;
    expect(events.map(({ action }) => action)).toEqual(['key.created', 'key.revoked']);
  });

  it('can create keys where the workspace lets them, and revoke keys, themselves too; viewers cannot', async () => {
    const acme = await api.newWorkspace();
    const security = { keys_may_make_keys: true };
    await (await api.asUser('owner', acme.workspace_id)).send('PATCH', '/workspace/security', security);
    const { body } = await acme.send('POST', '/keys', { name: 'second' });
    expect(body.created_by).toBe('first key');
    const own = (await acme.send('GET', '/keys')).body.find(({ name }: { name: string }) => name === 'first key');
    expect((await acme.send('DELETE', `/keys/${own.id}`)).status).toBe(204);
    expect((await acme.send('GET', '/keys')).status).toBe(401);
    const viewer = await api.asUser('viewer', acme.workspace_id);
    expect((await viewer.send('POST', '/keys', { name: 'mine' })).body.detail).toBe(
      'your role cannot do this (keys.manage)',
    );
    expect((await viewer.send('GET', '/keys')).status).toBe(200);
  });

  it('of another workspace do not exist', async () => {
    const other = await api.newWorkspace();
    const [first] = (await other.send('GET', '/keys')).body;
    expect((await owner.send('DELETE', `/keys/${first.id}`)).status).toBe(404);
    expect((await other.send('GET', '/keys')).status).toBe(200);
  });

  it('are limited to 50, also for concurrent requests', async () => {
    const user = await api.asUser('developer');
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => user.send('POST', '/keys', { name: `key ${index}` })),
    );
    // One existed before.
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(49);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(11);
    expect(refused[0]!.body.detail).toBe('key limit reached (50)');
    const [newest] = (await user.send('GET', '/keys')).body;
    await user.send('DELETE', `/keys/${newest.id}`);
    expect((await user.send('POST', '/keys', { name: 'in its place' })).status).toBe(201);
  });

  it.each([[{}], [{ name: '' }], [{ name: 'x'.repeat(81) }], [{ name: 7 }]])('are refused for %j', async (body) => {
    expect((await owner.send('POST', '/keys', body)).status).toBe(422);
  });
});

describe('a limited key', () => {
  const made = async (limits: object) => (await owner.send('POST', '/keys', { name: 'limited', ...limits })).body;
  const recordOf = async (id: string) =>
    (await owner.send('GET', '/keys')).body.find((each: { id: string }) => each.id === id);

  it('does what its scopes name, and nothing else', async () => {
    const { key, scopes } = await made({ scopes: ['agents:read', 'agents:read'] });
    expect(scopes).toEqual(['agents:read']);
    expect((await use(key)).status).toBe(200);
    const headers = { authorization: `Bearer ${key}` };
    const refused = await request(api.http, { method: 'POST', url: '/api/v1/agents', headers, payload: { name: 'A' } });
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      'your role cannot do this (agents.edit): the key lacks the scope agents:write',
    ]);
    expect((await request(api.http, { url: '/api/v1/auth/me', headers })).body.key.scopes).toEqual(['agents:read']);
  });

  it('is accepted from its networks, behind a trusted proxy too', async () => {
    const { key } = await made({ allowed_addresses: ['203.0.113.0/24', '2001:db8::/32'] });
    const from = async (address: string) => (await use(key, { 'x-forwarded-for': address })).status;
    expect([await from('203.0.113.7'), await from('2001:db8::7'), await from('::ffff:203.0.113.7')]).toEqual([
      200, 200, 200,
    ]);
    expect([await from('198.51.100.7'), await from('2001:db9::7'), (await use(key)).status]).toEqual([403, 403, 403]);
  });

  it('stops working at its end, and is listed for 30 days more', async () => {
    const expires_at = new Date(clock.wall() + HOUR_MS).toISOString();
    const { key, id } = await made({ expires_at });
    expect((await use(key)).status).toBe(200);
    clock.forward(HOUR_MS);
    expect((await use(key)).status).toBe(401);
    expect(await recordOf(id)).toMatchObject({ name: 'limited' });
    await confirmed();
    await api.sql`update api_keys set expires_at = expires_at - interval '31 days' where id = ${id}`;
    expect(await recordOf(id)).toBeUndefined();
  });

  it.each([
    [{ scopes: [] }],
    [{ scopes: ['agents:all'] }],
    [{ allowed_addresses: ['203.0.113.0/33'] }],
    [{ allowed_addresses: ['example.com'] }],
    [{ expires_at: '2020-01-01T00:00:00Z' }],
  ])('is not made with %j', async (limits) => {
    expect((await owner.send('POST', '/keys', { name: 'limited', ...limits })).status).toBe(422);
  });
});

describe('the use of a key', () => {
  it('is noted with its address, once a minute', async () => {
    onTestFinished(clock.standStill());
    const { body } = await owner.send('POST', '/keys', { name: 'used' });
    const used = () => api.sql`select last_used_at, last_used_address as address from api_keys where id = ${body.id}`;
    await use(body.key, { 'x-forwarded-for': '203.0.113.7' });
    await expect.poll(async () => (await used())[0]!.address).toBe('203.0.113.7');
    const [first] = await used();
    clock.forward(60_000);
    await credentialCachesExpired(systemClock);
    await use(body.key, { 'x-forwarded-for': '203.0.113.8' });
    await credentialCachesExpired(systemClock);
    clock.forward(1);
    await use(body.key, { 'x-forwarded-for': '203.0.113.9' });
    await expect.poll(async () => (await used())[0]!.address).toBe('203.0.113.9');
    expect((await used())[0]!.last_used_at.getTime() - first!.last_used_at.getTime()).toBe(60_001);
  });
});

describe('rotation', () => {
  const rotate = (id: string, body: object = {}) => owner.send('POST', `/keys/${id}/rotate`, body);

  it('makes a key with the same limits, and the old one ends with the overlap', async () => {
    const limits = { scopes: ['agents:read'], allowed_addresses: ['127.0.0.1'] };
    const old = (await owner.send('POST', '/keys', { name: 'robot', ...limits })).body;
    const { status, body } = await rotate(old.id, { overlap_hours: 2 });
    expect([status, body]).toMatchObject([201, { name: 'robot', ...limits, expires_at: null, replaced_by: null }]);
    expect([(await use(old.key)).status, (await use(body.key)).status]).toEqual([200, 200]);
    expect((await rotate(old.id)).body.detail).toBe('the key was rotated before');
    clock.forward(2 * HOUR_MS);
    expect([(await use(old.key)).status, (await use(body.key)).status]).toEqual([401, 200]);
    await confirmed();
    expect((await rotate(old.id)).status).toBe(404);
  });

  it('without an overlap ends the old key with the response, and its new one lasts as long as it was made to last', async () => {
    const expires_at = new Date(clock.wall() + 48 * HOUR_MS).toISOString();
    const old = (await owner.send('POST', '/keys', { name: 'robot', expires_at })).body;
    expect((await use(old.key)).status).toBe(200);
    const { body } = await rotate(old.id, { overlap_hours: 0 });
    expect((await use(old.key)).status).toBe(401);
    const lasts = Date.parse(body.expires_at) - Date.parse(body.created_at);
    expect(Math.round(lasts / HOUR_MS)).toBe(48);
  });
});
