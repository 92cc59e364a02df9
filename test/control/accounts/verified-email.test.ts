import { beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../support/control-app.ts';
import { createTestUsers, newEmail } from './test-users.ts';

/** What spends, or lets others spend. */
const SPENDING: [method: string, path: string, body: object][] = [
  ['POST', `/agents/${'a'.repeat(32)}/call`, {}],
  ['POST', '/batches', {}],
  ['POST', `/agents/${'a'.repeat(32)}/web-call`, {}],
  ['POST', `/agents/${'a'.repeat(32)}/stream-call`, {}],
  ['POST', '/numbers', {}],
  ['POST', '/billing/topup', {}],
  ['POST', '/billing/plan', {}],
  ['POST', '/billing/coupons/redeem', {}],
  ['POST', '/invites', { email: 'b@example.com', role: 'viewer' }],
  ['POST', '/keys', { name: 'x' }],
];
const REFUSAL =
  /^confirm your email address first: follow the link in our email, or ask for another with POST \/api\/auth\/verify-email/;

async function start(settings: Record<string, string> = {}) {
  const api = await startTestApi({}, settings);
  const users = createTestUsers(api);
  const newcomer = async () => {
    const user = await users.register();
    await api.sql`update workspaces set state = 'active' where id = ${user.workspace_id}`;
    return user;
  };
  return { api, users, newcomer };
}

describe('before the address is confirmed', () => {
  let api: TestApi;
  let users: ReturnType<typeof createTestUsers>;
  let newcomer: () => ReturnType<typeof users.register>;

  beforeAll(async () => {
    ({ api, users, newcomer } = await start());
  });

  it.each(SPENDING)('%s %s is refused, and not after it', async (method, path, body) => {
    const user = await newcomer();
    const refused = await users.send(user.token, method, path, body);
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      403,
      'email_unverified',
      expect.stringMatching(REFUSAL),
    ]);
    await api.sql`update users set email_verified_at = now() where id = ${user.id}`;
    expect((await users.send(user.token, method, path, body)).body.code).toBeUndefined();
  });

  it('one may sign in, look around, build agents and hand in business details', async () => {
    const user = await newcomer();
    const signedIn = await users.login(user.email);
    expect(signedIn.status).toBe(200);
    for (const path of ['/agents', '/calls', '/billing', '/members', '/invites', '/keys', '/kyc']) {
      expect((await users.send(signedIn.body.token, 'GET', path)).status, path).toBe(200);
    }
    expect((await users.send(user.token, 'POST', '/agents', { name: 'Clinic' })).status).toBe(201);
    expect((await users.send(user.token, 'PUT', '/kyc', {})).body.code).toBeUndefined();
  });

  it.each([
    `/calls/${'a'.repeat(32)}/hangup`,
    `/calls/${'a'.repeat(32)}/recording/pause`,
    `/batches/${'a'.repeat(32)}/pause`,
    `/batches/${'a'.repeat(32)}/cancel`,
  ])('what ends spending is open: POST %s', async (path) => {
    expect((await users.send((await newcomer()).token, 'POST', path, {})).status).toBe(404);
  });

  it('apps that were connected may not spend either', async () => {
    const user = await newcomer();
    const { createHash } = await import('node:crypto');
    const token = `svco_${'a'.repeat(43)}`;
    const hash = createHash('sha256').update(token).digest();
    await api.sql`insert into oauth_apps (id, name, redirect_uris, created_at) values ('app', 'App', '{}', now())`;
    await api.sql`
      insert into oauth_grants (workspace_id, id, app_id, user_id, created_at)
      values (${user.workspace_id}, 'grant', 'app', ${user.id}, now())`;
    await api.sql`
      insert into oauth_tokens (token_hash, workspace_id, grant_id, kind, created_at, expires_at)
      values (${hash}, ${user.workspace_id}, 'grant', 'access', now(), now() + interval '1 hour')`;
    const { status, body } = await users.send(token, 'POST', '/batches', {});
    expect([status, body.code]).toEqual([403, 'email_unverified']);
  });
});

it('VERIFIED_EMAIL=optional lets people spend before', async () => {
  const { users, newcomer } = await start({ VERIFIED_EMAIL: 'optional' });
  const user = await newcomer();
  const invited = await users.send(user.token, 'POST', '/invites', { email: newEmail(), role: 'viewer' });
  expect(invited.status).toBe(201);
});
