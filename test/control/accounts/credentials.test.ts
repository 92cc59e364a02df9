import { beforeAll, describe, expect, it } from 'vitest';
import { newToken } from '../../../control/accounts/secret-token.ts';
import { request, startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';

let api: TestApi;
let owner: UserClient;

beforeAll(async () => {
  api = await startTestApi();
  owner = await api.asUser('owner');
});

const cookie = (user: UserClient) => ({ cookie: `theme=dark; __Host-session=${user.token}; x=1` });
const send = (method: 'GET' | 'POST', headers: Record<string, string>) =>
  request(api.http, {
    method,
    url: '/api/v1/agents',
    headers,
    ...(method === 'POST' ? { payload: { name: 'A' } } : {}),
  });

describe('a session', () => {
  it('acts in its role', async () => {
    const wanted = { owner: 201, admin: 201, developer: 201, viewer: 403 } as const;
    for (const [role, status] of Object.entries(wanted)) {
      const user = await api.asUser(role as keyof typeof wanted, owner.workspace_id);
      expect((await user.send('POST', '/agents', { name: role })).status).toBe(status);
      expect((await user.send('GET', '/agents')).status).toBe(200);
    }
  });

  it('works before activation only where that is allowed', async () => {
    const user = await api.signUp();
    const { status, body } = await user.send('GET', '/agents');
    expect([status, body.code]).toEqual([403, 'workspace_inactive']);
  });

  it('is shown as its user', async () => {
    const { body } = await owner.send('POST', '/agents', { name: 'Mine' });
    expect(body.updated_by).toBe('The owner');
  });

  it('fails on the very next request once revoked, expired, or its user is gone', async () => {
    const now = new Date();
    for (const end of [
      (user: UserClient) => api.sql`update sessions set revoked_at = ${now} where id = ${user.session_id}`,
      (user: UserClient) => api.sql`update sessions set expires_at = ${now} where id = ${user.session_id}`,
      (user: UserClient) => api.sql`update users set deleted_at = ${now} where id = ${user.user_id}`,
    ]) {
      const user = await api.asUser('viewer', owner.workspace_id);
      expect((await user.send('GET', '/agents')).status).toBe(200);
      await end(user);
      const { status, body, headers } = await user.send('GET', '/agents');
      expect([status, body.detail]).toEqual([401, 'invalid, expired or revoked credentials']);
      expect(headers['www-authenticate']).toBe('Bearer');
    }
  });

  it('must be known', async () => {
    for (const token of [newToken('svcs_'), 'svcs_', 'svcs_x', `svcs_${'x'.repeat(300)}`, 'svco_', '_', '']) {
      expect((await send('GET', { authorization: `Bearer ${token}` })).status).toBe(401);
    }
  });

  it('ends 90 days after signing in, however much it is used', async () => {
    const user = await api.asUser('viewer', owner.workspace_id);
    const age = (days: number) => api.sql`
      update sessions set created_at = now() - ${`${days} days`}::interval, last_seen_at = now() - interval '2 minutes',
        expires_at = now() + interval '30 days' where id = ${user.session_id}`;
    await age(80);
    expect((await user.send('GET', '/agents')).status).toBe(200);
    const daysLeft = async () => {
      const [row] = await api.sql`
        select round(extract(epoch from expires_at - now()) / 86400)::integer as days from sessions where id = ${user.session_id}`;
      return row!.days;
    };
    await expect.poll(daysLeft).toBe(10);
    await age(90);
    expect((await user.send('GET', '/agents')).status).toBe(401);
  });

  it('lasts for 30 days from its last use', async () => {
    const user = await api.asUser('viewer', owner.workspace_id);
    await api.sql`
      update sessions set last_seen_at = now() - interval '2 minutes', expires_at = now() + interval '1 day'
      where id = ${user.session_id}`;
    await user.send('GET', '/agents');
    const days = async () => {
      const [row] = await api.sql`
        select extract(epoch from expires_at - now()) / 86400 as days from sessions where id = ${user.session_id}`;
      return Math.round(Number(row!.days));
    };
    await expect.poll(days).toBe(30);
    const seen = async () => {
      const [row] = await api.sql`select last_seen_at from memberships where user_id = ${user.user_id}`;
      return row!.last_seen_at;
    };
    await expect.poll(seen).toBeInstanceOf(Date);
  });
});

describe('the workspace of a session', () => {
  it('is the first joined, or the one X-Workspace-ID names', async () => {
    const user = await api.asUser('viewer', owner.workspace_id);
    const second = await api.newWorkspace('Second');
    await api.sql`
      insert into memberships (workspace_id, user_id, role, joined_at)
      values (${second.workspace_id}, ${user.user_id}, 'developer', now() + interval '1 second')`;
    await owner.send('POST', '/agents', { name: 'Of the first' });
    expect((await user.send('GET', '/agents')).body.length).toBeGreaterThan(0);
    expect((await user.send('POST', '/agents', { name: 'No' })).status).toBe(403);
    const there = { 'x-workspace-id': second.workspace_id };
    expect((await user.send('POST', '/agents', { name: 'Of the second' }, there)).status).toBe(201);
    expect((await user.send('GET', '/agents', undefined, there)).body).toHaveLength(1);
  });

  it('must be one the user is a member of', async () => {
    const other = await api.newWorkspace('Other');
    for (const id of [other.workspace_id, 'nonsense', '0'.repeat(32)]) {
      const { status, body } = await owner.send('GET', '/agents', undefined, { 'x-workspace-id': id });
      expect([status, body.detail]).toEqual([400, 'choose a workspace with X-Workspace-ID']);
    }
  });

  it('must exist', async () => {
    const user = await api.asUser('owner');
    await api.sql`delete from memberships where user_id = ${user.user_id}`;
    const { status, body } = await user.send('GET', '/agents');
    expect([status, body.detail]).toEqual([400, 'choose a workspace with X-Workspace-ID']);
  });

  it('cannot be chosen for a key', async () => {
    const workspace = await api.newWorkspace();
    const headers = { 'x-workspace-id': owner.workspace_id };
    expect((await workspace.send('GET', '/agents', undefined, headers)).body).toEqual([]);
  });
});

describe('a cookie', () => {
  it('allows reading from any site', async () => {
    expect((await send('GET', { ...cookie(owner), 'sec-fetch-site': 'cross-site' })).status).toBe(200);
    expect((await send('GET', cookie(owner))).status).toBe(200);
  });

  it.each([
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    { host: 'svc.example.com', origin: 'https://svc.example.com' },
    { host: 'svc.example.com:8443', origin: 'https://svc.example.com:8443' },
  ])('allows changes from pages of this origin: %o', async (headers) => {
    expect((await send('POST', { ...cookie(owner), ...(headers as unknown as Record<string, string>) })).status).toBe(
      201,
    );
  });

  it.each([
    {},
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { host: 'svc.example.com', origin: 'https://evil.example.com' },
    { host: 'svc.example.com', origin: 'null' },
    { host: 'svc.example.com', origin: 'https://svc.example.com.evil.example' },
    { 'sec-fetch-site': 'cross-site', host: 'svc.example.com', origin: 'https://evil.example' },
  ])('allows no changes from other sites: %o', async (headers) => {
    const { status, body } = await send('POST', {
      ...cookie(owner),
      ...(headers as unknown as Record<string, string>),
    });
    expect([status, body.detail]).toEqual([403, 'cross-site request refused']);
  });

  it('is ignored beside a token in a header, which needs no such check', async () => {
    const bearer = { authorization: `Bearer ${owner.token}`, 'sec-fetch-site': 'cross-site' };
    expect((await send('POST', { ...bearer, cookie: '__Host-session=nonsense' })).status).toBe(201);
  });

  it('of another name is ignored', async () => {
    const { body } = await send('GET', { cookie: `session=${owner.token}; __Host-session=` });
    expect(body.detail).toBe('not signed in');
  });
});
