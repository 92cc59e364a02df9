import { beforeAll, describe, expect, it } from 'vitest';
import { request, startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';

let api: TestApi;
let owner: UserClient;

beforeAll(async () => {
  api = await startTestApi();
  owner = await api.asUser('owner');
});

const use = (key: string) =>
  request(api.http, { method: 'GET', url: '/api/v1/agents', headers: { authorization: `Bearer ${key}` } });

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

  it('can create and revoke keys, themselves too; viewers cannot', async () => {
    const acme = await api.newWorkspace();
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
