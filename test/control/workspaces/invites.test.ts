import { beforeAll, describe, expect, it } from 'vitest';
import { request, startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});

interface Invited {
  id: string;
  link: string;
  token: string;
}

let guests = 0;
const someone = () => `person${++guests}@example.com`;

async function invite(by: UserClient, email: string, role = 'developer'): Promise<Invited> {
  const { status, body } = await by.send('POST', '/invites', { email, role });
  expect(status).toBe(201);
  return { ...body, token: body.link.split('/').at(-1) };
}

const info = (token: string) => request(api.http, { method: 'GET', url: `/api/v1/invites/${token}` });
const accept = (token: string, payload: object, headers: Record<string, string> = {}) =>
  request(api.http, { method: 'POST', url: `/api/v1/invites/${token}/accept`, headers, payload });
const NEW_USER = { name: 'Ravi', password: 'correct horse battery' };
const trail = async (workspaceId: string, action: string) => api.sql`
  select * from audit_events where workspace_id = ${workspaceId} and action = ${action} order by id`;

describe('an invite', () => {
  it('is mailed, and its link shown once', async () => {
    const owner = await api.asUser('owner');
    const { status, body } = await owner.send('POST', '/invites', { email: ' Ravi@Example.COM ', role: 'admin' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[a-f0-9]{32}$/),
      email: 'ravi@example.com',
      role: 'admin',
      status: 'pending',
      invited_by: 'The owner',
      created_at: expect.any(String),
      expires_at: expect.any(String),
      link: expect.stringMatching(/\/invites\/[a-f0-9]{32}$/),
    });
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(7 * 24 * 3_600_000);
    const { link, ...listed } = body;
    expect((await owner.send('GET', '/invites')).body).toEqual([listed]);
    const emails = await api.sql`select * from mail_outbox where recipient = 'ravi@example.com'`;
    expect(emails).toHaveLength(1);
    expect(emails[0]!.body).toContain(link);
    expect(emails[0]!.subject).toBe('Invitation to Acme');
    // The token is only in the email.
    const rows = await api.sql`select * from invites where id = ${body.id}`;
    expect(JSON.stringify(rows)).not.toContain(link.split('/').at(-1));
    expect(await trail(owner.workspace_id, 'invite.created')).toMatchObject([{ target_name: 'ravi@example.com' }]);
  });

  it('is shown to the holder of the link', async () => {
    const owner = await api.asUser('owner');
    const email = someone();
    const { token, id } = await invite(owner, email);
    const { status, body } = await info(token);
    expect(status).toBe(200);
    expect(body).toEqual({
      workspace_name: 'Acme',
      email,
      role: 'developer',
      invited_by: 'The owner',
      expires_at: expect.any(String),
    });
    for (const wrong of [id, 'f'.repeat(32), 'nonsense']) {
      const refused = await info(wrong);
      expect([refused.status, refused.body.detail]).toEqual([404, 'invite not found']);
    }
  });

  it('is refused for members, for pending addresses, and as an owner', async () => {
    const owner = await api.asUser('owner');
    const member = await api.asUser('viewer', owner.workspace_id);
    const ask = (email: string, role = 'viewer') => owner.send('POST', '/invites', { email, role });
    const refused = await ask(member.email.toUpperCase());
    expect([refused.status, refused.body.detail]).toEqual([409, 'already a member']);
    const email = someone();
    const both = await Promise.all([ask(email), ask(email)]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(both.find(({ status }) => status === 409)?.body.detail).toBe('already invited');
    const asOwner = await ask(someone(), 'owner');
    expect(asOwner.body.detail[0]).toMatchObject({
      loc: ['body', 'role'],
      msg: "Input should be 'admin', 'developer' or 'viewer'",
    });
    expect((await ask('nobody')).status).toBe(422);
  });

  it('takes a seat of the plan, also when many are sent concurrently', async () => {
    const owner = await api.asUser('owner');
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => owner.send('POST', '/invites', { email: someone(), role: 'viewer' })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
    expect(answers.find(({ status }) => status === 409)?.body.detail).toBe('member limit of the plan reached (5)');
    const [first] = (await owner.send('GET', '/invites')).body;
    expect((await owner.send('DELETE', `/invites/${first.id}`)).status).toBe(204);
    await invite(owner, someone());
    // A plan without a limit.
    await api.sql`update workspaces set plan_id = 'scale' where id = ${owner.workspace_id}`;
    await invite(owner, someone());
  });

  it('stops working when it is revoked or expired', async () => {
    const owner = await api.asUser('owner');
    const taken = await invite(owner, someone());
    expect((await owner.send('DELETE', `/invites/${taken.token}`)).status).toBe(404);
    expect((await owner.send('DELETE', `/invites/${taken.id}`)).status).toBe(204);
    expect((await owner.send('DELETE', `/invites/${taken.id}`)).status).toBe(404);
    const email = someone();
    const old = await invite(owner, email);
    await api.sql`update invites set expires_at = now() - interval '1 second' where id = ${old.id}`;
    for (const { token } of [taken, old]) {
      expect((await info(token)).status).toBe(404);
      expect((await accept(token, NEW_USER)).body.detail).toBe('invite not found');
    }
    expect((await owner.send('GET', '/invites')).body).toMatchObject([{ id: old.id, status: 'expired' }]);
    // A new one replaces the old one.
    const fresh = await invite(owner, email);
    expect((await owner.send('GET', '/invites')).body).toMatchObject([{ id: fresh.id, status: 'pending' }]);
    expect(await trail(owner.workspace_id, 'invite.revoked')).toHaveLength(1);
  });

  it('is limited per day, so that strangers are not spammed', async () => {
    const owner = await api.asUser('owner');
    await api.sql`
      insert into invites (workspace_id, id, email, role, token_hash, invited_by, created_at, expires_at, revoked_at)
      select ${owner.workspace_id}, lpad(to_hex(n), 32, '0'), 'x' || n || '@example.com', 'viewer',
        sha256(convert_to(${owner.workspace_id} || n, 'UTF8')), '', now(), now(), now()
      from generate_series(1, 200) as n`;
    const refused = await owner.send('POST', '/invites', { email: someone(), role: 'viewer' });
    expect([refused.status, refused.body.detail]).toEqual([429, 'too many invites; try again later']);
    await api.sql`update invites set created_at = now() - interval '25 hours' where workspace_id = ${owner.workspace_id}`;
    await invite(owner, someone());
  });

  it('is managed by signed-in owners and admins only, also before activation', async () => {
    const waiting = await api.signUp();
    const { id } = await invite(waiting, someone());
    expect((await waiting.send('GET', '/invites')).status).toBe(200);
    const stranger = await api.asUser('owner');
    expect((await stranger.send('DELETE', `/invites/${id}`)).status).toBe(404);
    const developer = await api.asUser('developer', waiting.workspace_id);
    expect((await developer.send('POST', '/invites', { email: someone(), role: 'viewer' })).body.detail).toBe(
      'your role cannot do this (members.manage)',
    );
    const acme = await api.newWorkspace();
    expect((await acme.send('POST', '/invites', { email: someone(), role: 'viewer' })).status).toBe(403);
    expect((await acme.send('GET', '/invites')).status).toBe(200);
    expect((await waiting.send('DELETE', `/invites/${id}`)).status).toBe(204);
  });
});

describe('accepting', () => {
  it('creates a user and signs in', async () => {
    const owner = await api.asUser('owner');
    const email = someone();
    const { token, id } = await invite(owner, email, 'admin');
    const { status, body } = await accept(token, NEW_USER);
    expect(status).toBe(200);
    expect(body).toEqual({
      user: { id: expect.any(String), name: 'Ravi', email, two_factor: false },
      workspaces: [{ id: owner.workspace_id, name: 'Acme', role: 'admin', state: 'active' }],
      token: expect.stringMatching(/^svcs_/),
      expires_at: expect.any(String),
    });
    const members = await request(api.http, {
      method: 'GET',
      url: '/api/v1/members',
      headers: { authorization: `Bearer ${body.token}` },
    });
    expect(members.body[0]).toMatchObject({ email, role: 'admin', you: true });
    expect((await accept(token, NEW_USER)).status).toBe(404);
    expect((await info(token)).status).toBe(404);
    expect((await owner.send('GET', '/invites')).body).toEqual([]);
    expect(await trail(owner.workspace_id, 'invite.accepted')).toMatchObject([
      { actor_id: body.user.id, target_id: id, data: { role: 'admin' } },
    ]);
    // The inviter saw the link too, so the address is not confirmed yet.
    const [user] = await api.sql`select email_verified_at from users where id = ${body.user.id}`;
    expect(user!.email_verified_at).toBeNull();
  });

  it('gives a browser a cookie instead of a token', async () => {
    const owner = await api.asUser('owner');
    const { token } = await invite(owner, someone());
    const headers = { origin: 'https://console.test', host: 'console.test' };
    const { status, body, headers: answered } = await accept(token, NEW_USER, headers);
    expect(status).toBe(200);
    expect(body.token).toBeUndefined();
    expect(String(answered['set-cookie'])).toMatch(/^__Host-session=svcs_.*HttpOnly/);
    const foreign = await accept(token, NEW_USER, { origin: 'https://evil.test', host: 'console.test' });
    expect([foreign.status, foreign.body.detail]).toEqual([403, 'cross-site request refused']);
  });

  it('adds a signed-in user, who stays signed in', async () => {
    const owner = await api.asUser('owner');
    const guest = await api.asUser('owner');
    const { token } = await invite(owner, guest.email, 'viewer');
    const { status, body } = await guest.send('POST', `/invites/${token}/accept`, {});
    expect(status).toBe(200);
    expect(body.token).toBeUndefined();
    expect(body.workspaces.map(({ id }: { id: string }) => id)).toEqual([guest.workspace_id, owner.workspace_id]);
    const there = await guest.send('GET', '/workspace', undefined, { 'x-workspace-id': owner.workspace_id });
    expect([there.status, there.body.id]).toEqual([200, owner.workspace_id]);
  });

  it('works for the invited address only', async () => {
    const owner = await api.asUser('owner');
    const { token } = await invite(owner, 'priya@example.com');
    const somebody = await api.asUser('owner');
    const refused = await somebody.send('POST', `/invites/${token}/accept`, {});
    expect([refused.status, refused.body.detail]).toEqual([403, 'this invite is for p***@example.com']);
    const acme = await api.newWorkspace();
    const key = await acme.send('POST', `/invites/${token}/accept`, {});
    expect([key.status, key.body.detail]).toEqual([403, 'your role cannot do this: sign in, API keys are refused']);
    expect((await accept(token, NEW_USER, { authorization: 'Bearer svcs_unknown' })).status).toBe(401);
    // Browsers send expired cookies too.
    const stale = { cookie: '__Host-session=svcs_unknown', origin: 'https://a.test', host: 'a.test' };
    expect((await accept(token, NEW_USER, stale)).status).toBe(200);
  });

  it('requires a user with an account to sign in', async () => {
    const owner = await api.asUser('owner');
    const guest = await api.asUser('owner');
    const { token } = await invite(owner, guest.email);
    const refused = await accept(token, NEW_USER);
    expect([refused.status, refused.body.detail]).toEqual([409, 'this email is already registered']);
    expect((await info(token)).status).toBe(200);
  });

  it('requires a name and a valid password from a new user', async () => {
    const owner = await api.asUser('owner');
    const { token } = await invite(owner, someone());
    const nothing = await accept(token, {});
    expect(nothing.status).toBe(422);
    expect(nothing.body.detail).toEqual([
      { type: 'missing', loc: ['body', 'name'], msg: 'Field required', input: null },
      { type: 'missing', loc: ['body', 'password'], msg: 'Field required', input: null },
    ]);
    const short = await accept(token, { name: 'Ravi', password: 'short' });
    expect(short.body.detail[0]).toMatchObject({ loc: ['body', 'password'], input: '***' });
    expect((await request(api.http, { method: 'POST', url: `/api/v1/invites/${token}/accept` })).status).toBe(422);
  });

  it('succeeds once of many concurrent requests', async () => {
    const owner = await api.asUser('owner');
    const email = someone();
    const { token } = await invite(owner, email);
    const answers = await Promise.all(Array.from({ length: 4 }, () => accept(token, NEW_USER)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status } of answers) expect([200, 404, 409]).toContain(status);
    const rows = await api.sql`select id from users where email = ${email}`;
    expect(rows).toHaveLength(1);

    const guest = await api.asUser('owner');
    const second = await invite(owner, guest.email);
    const again = await Promise.all(
      Array.from({ length: 4 }, () => guest.send('POST', `/invites/${second.token}/accept`, {})),
    );
    expect(again.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
  });

  it('is refused when the plan has shrunk, and when the workspace is closed', async () => {
    const owner = await api.asUser('owner');
    await api.sql`update workspaces set plan_id = 'scale' where id = ${owner.workspace_id}`;
    const { token } = await invite(owner, someone());
    for (let index = 0; index < 4; index++) await api.asUser('viewer', owner.workspace_id);
    await api.sql`update workspaces set plan_id = 'starter' where id = ${owner.workspace_id}`;
    const full = await accept(token, NEW_USER);
    expect([full.status, full.body.detail]).toEqual([409, 'member limit of the plan reached (5)']);
    expect((await info(token)).status).toBe(200);
    await api.sql`update workspaces set state = 'closed' where id = ${owner.workspace_id}`;
    expect((await info(token)).status).toBe(404);
    expect((await accept(token, NEW_USER)).status).toBe(404);
  });
});
