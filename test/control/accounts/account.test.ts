import { beforeAll, describe, expect, it } from 'vitest';
import { request, startTestApi, type TestApi } from '../../support/control-app.ts';
import { createManualClock, createTestUsers, HOUR_MS, newEmail, PASSWORD } from './test-users.ts';

const clock = createManualClock();
let api: TestApi;
let users: ReturnType<typeof createTestUsers>;

beforeAll(async () => {
  api = await startTestApi({}, {}, { clock });
  users = createTestUsers(api);
});

describe('the account', () => {
  it('is shown', async () => {
    const user = await users.register();
    const { status, body } = await users.send(user.token, 'GET', '/account');
    expect(status).toBe(200);
    expect(body).toEqual({
      id: user.id,
      name: 'Asha',
      email: user.email,
      pending_email: '',
      email_verified: false,
      two_factor: false,
      authenticator: false,
      recovery_codes_left: 0,
      timezone: 'Asia/Kolkata',
      avatar: null,
      created_at: expect.stringMatching(/\+05:30$/),
      workspaces: [{ id: user.workspace_id, name: "Asha's workspace", role: 'owner', state: 'onboarding' }],
    });
  });

  it('is changed, with an audit event in each workspace when something changed', async () => {
    const user = await users.register();
    const change = { name: 'Asha R', timezone: 'UTC', avatar: 7 };
    for (let each = 0; each < 2; each++) {
      const { status, body } = await users.send(user.token, 'PATCH', '/account', change);
      expect([status, body.name, body.timezone, body.avatar]).toEqual([200, 'Asha R', 'UTC', 7]);
    }
    expect((await users.send(user.token, 'PATCH', '/account', { avatar: 'cat' })).body.avatar).toBe('cat');
    expect((await users.send(user.token, 'PATCH', '/account', { avatar: null })).body.avatar).toBeNull();
    expect((await users.send(user.token, 'PATCH', '/account', {})).body.name).toBe('Asha R');
    const rows = await api.sql`
      select changes, address, actor_id from audit_events
      where workspace_id = ${user.workspace_id} and action = 'account.updated' order by id`;
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatchObject({ changes: { name: ['Asha', 'Asha R'], avatar: [null, 7] }, actor_id: user.id });
    expect(rows[0]!.address).toMatch(/^10\./);
  });

  it.each([[{ name: ' ' }], [{ name: 5 }], [{ timezone: 'Nowhere/City' }], [{ avatar: {} }], [{ avatar: -1 }]])(
    'refuses %o',
    async (change) => {
      const user = await api.asUser('viewer');
      expect((await user.send('PATCH', '/account', change)).status).toBe(422);
    },
  );

  it('is not for keys, and needs no workspace', async () => {
    const workspace = await api.newWorkspace();
    const { status, body } = await workspace.send('GET', '/account');
    expect([status, body.detail]).toEqual([403, 'your role cannot do this: sign in, API keys are refused']);
    const user = await api.asUser('viewer');
    await api.sql`delete from memberships where user_id = ${user.user_id}`;
    expect((await user.send('GET', '/account')).body.workspaces).toEqual([]);
  });
});

describe('another email', () => {
  it('takes effect when its link is followed, and the old address gets a notice', async () => {
    const user = await users.register();
    const email = newEmail();
    const body = { email: email.toUpperCase(), password: PASSWORD };
    const asked = await users.send(user.token, 'POST', '/account/email', body);
    expect([asked.status, asked.body.email, asked.body.pending_email]).toEqual([200, user.email, email]);
    expect((await users.emailsTo(user.email)).at(-1)!.subject).toBe('Your email address is about to change');
    const [message] = await users.emailsTo(email);
    const shown = await request(api.http, { method: 'GET', url: `/api/auth/verify-email?token=${message!.token}` });
    expect(shown.body).toContain(email);
    expect((await users.send(user.token, 'GET', '/account')).body.email).toBe(user.email);
    expect((await users.post('/api/auth/verify-email/confirm', { token: message!.token })).status).toBe(200);
    const { body: account } = await users.send(user.token, 'GET', '/account');
    expect(account).toMatchObject({ email, pending_email: '', email_verified: true });
    expect((await users.login(email)).status).toBe(200);
    expect((await users.login(user.email)).status).toBe(401);
    expect(await users.audit(user.workspace_id)).toContain('account.email_changed');
  });

  it('needs the password and an address nobody has', async () => {
    const user = await users.register();
    const other = await users.register();
    const ask = (email: string, password = PASSWORD) =>
      users.send(user.token, 'POST', '/account/email', { email, password });
    expect((await ask(newEmail(), 'wrong')).status).toBe(401);
    expect((await ask('nobody')).status).toBe(422);
    const taken = await ask(other.email);
    expect([taken.status, taken.body.detail]).toEqual([409, 'this email is already registered']);
  });

  it('is given to only one of two users who request the same', async () => {
    const email = newEmail();
    const links: string[] = [];
    for (const user of [await users.register(), await users.register()]) {
      await users.send(user.token, 'POST', '/account/email', { email, password: PASSWORD });
      links.push((await users.emailsTo(email)).at(-1)!.token);
    }
    const follow = (token: string) => users.post('/api/auth/verify-email/confirm', { token });
    expect((await follow(links[0]!)).status).toBe(200);
    expect((await follow(links[1]!)).status).toBe(409);
  });

  it('is withdrawn by requesting the present one, and its link stops working', async () => {
    const user = await users.register();
    const email = newEmail();
    await users.send(user.token, 'POST', '/account/email', { email, password: PASSWORD });
    const body = { email: user.email, password: PASSWORD };
    expect((await users.send(user.token, 'POST', '/account/email', body)).body.pending_email).toBe('');
    const { token } = (await users.emailsTo(email))[0]!;
    expect((await users.post('/api/auth/verify-email/confirm', { token })).status).toBe(400);
  });

  it('can be confirmed for 24 hours', async () => {
    const user = await users.register();
    const email = newEmail();
    await users.send(user.token, 'POST', '/account/email', { email, password: PASSWORD });
    const { token } = (await users.emailsTo(email))[0]!;
    clock.forward(24 * HOUR_MS);
    expect((await users.post('/api/auth/verify-email/confirm', { token })).status).toBe(400);
  });

  it('requests are throttled, so that nobody can list registered addresses', async () => {
    const user = await users.register();
    const { email } = await users.register();
    const ask = () => users.send(user.token, 'POST', '/account/email', { email, password: PASSWORD });
    for (let each = 0; each < 5; each++) expect((await ask()).status).toBe(409);
    expect((await ask()).status).toBe(429);
  });
});

describe('the password', () => {
  it('is changed, and all other sessions end at once', async () => {
    const user = await users.register();
    const other = (await users.login(user.email)).body.token;
    const body = { current_password: PASSWORD, new_password: 'another long one' };
    expect((await users.send(user.token, 'POST', '/account/password', body)).status).toBe(204);
    expect((await users.send(user.token, 'GET', '/account')).status).toBe(200);
    expect((await users.send(other, 'GET', '/account')).status).toBe(401);
    expect((await users.login(user.email)).status).toBe(401);
    expect((await users.login(user.email, 'another long one')).status).toBe(200);
    expect((await users.emailsTo(user.email)).at(-1)!.subject).toBe('Your password was changed');
    expect(await users.audit(user.workspace_id)).toContain('account.password_changed');
  });

  it('is changed only with the present one', async () => {
    const user = await users.register();
    const change = (current_password: string, new_password: string) =>
      users.send(user.token, 'POST', '/account/password', { current_password, new_password });
    const { status, body } = await change('wrong', 'another long one');
    expect([status, body.detail]).toEqual([401, 'wrong email or password']);
    expect((await change(PASSWORD, 'short')).body.detail[0]).toMatchObject({ input: '***', type: 'string_too_short' });
  });

  it('is changed by one of two concurrent requests', async () => {
    const user = await users.register();
    const change = (new_password: string) =>
      users.send(user.token, 'POST', '/account/password', { current_password: PASSWORD, new_password });
    const answers = await Promise.all([change('the first new one'), change('the second new one')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401]);
  });
});

describe('sessions', () => {
  it('are listed with where they are used, newest first', async () => {
    const user = await users.register();
    const agent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36';
    clock.forward(1000);
    const { body } = await users.login(user.email, PASSWORD, {
      headers: { 'user-agent': agent },
      remoteAddress: '192.0.2.7',
    });
    const { body: sessions } = await users.send(body.token, 'GET', '/account/sessions');
    expect(sessions).toEqual([
      {
        id: expect.stringMatching(/^[a-f0-9]{32}$/),
        current: true,
        client: 'Chrome on Windows',
        address: '192.0.2.7',
        created_at: expect.any(String),
        last_seen_at: expect.any(String),
        expires_at: expect.any(String),
      },
      expect.objectContaining({ current: false }),
    ]);
  });

  it('are ended one by one, at once, and only by their user', async () => {
    const user = await users.register();
    const other = (await users.login(user.email)).body.token;
    const { body: sessions } = await users.send(user.token, 'GET', '/account/sessions');
    const { id } = sessions.find((each: { current: boolean }) => !each.current);
    const stranger = await users.register();
    const end = (token: string, session = id) => users.send(token, 'DELETE', `/account/sessions/${session}`);
    expect((await end(stranger.token)).body.detail).toBe('session not found');
    expect((await users.send(other, 'GET', '/account')).status).toBe(200);
    expect((await end(user.token)).status).toBe(204);
    expect((await users.send(other, 'GET', '/account')).status).toBe(401);
    expect((await end(user.token)).status).toBe(404);
    expect((await end(user.token, 'nonsense')).status).toBe(404);
    expect(await users.audit(user.workspace_id)).toContain('session.revoked');
  });

  it('other than this one are ended together', async () => {
    const user = await users.register();
    const others = [(await users.login(user.email)).body.token, (await users.login(user.email)).body.token];
    const { status, body } = await users.send(user.token, 'POST', '/account/sessions/revoke-others');
    expect([status, body]).toEqual([200, { revoked: 2 }]);
    for (const token of others) expect((await users.send(token, 'GET', '/account')).status).toBe(401);
    expect((await users.send(user.token, 'POST', '/account/sessions/revoke-others')).body).toEqual({ revoked: 0 });
  });

  it('are listed up to 50', async () => {
    const user = await api.asUser('viewer');
    await api.sql`
      insert into sessions (id, user_id, token_hash, created_at, last_seen_at, expires_at)
      select md5(i::text), ${user.user_id}, sha256(i::text::bytea), now(), now(), now() + interval '30 days'
      from generate_series(1, 60) i`;
    expect((await user.send('GET', '/account/sessions')).body).toHaveLength(50);
  });

  it('in a cookie are extended by 30 days when used', async () => {
    const user = await users.register();
    const headers = { cookie: `__Host-session=${user.token}` };
    const get = () => request(api.http, { method: 'GET', url: '/api/v1/account', headers });
    expect((await get()).headers['set-cookie']).toBeUndefined();
    clock.forward(61_000);
    expect((await get()).headers['set-cookie']).toContain(
      `__Host-session=${user.token}; Max-Age=2592000; Path=/; HttpOnly; Secure`,
    );
    clock.forward(31 * 24 * HOUR_MS);
    expect((await get()).status).toBe(401);
  });
});

describe('deleting the account', () => {
  const remove = (token: string, password = PASSWORD) => users.send(token, 'DELETE', '/account', { password });

  it('removes personal data, closes workspaces without other members, and frees the email', async () => {
    const user = await users.register();
    await api.sql`update workspaces set state = 'active' where id = ${user.workspace_id}`;
    expect((await remove(user.token, 'wrong')).status).toBe(401);
    const { status, headers } = await remove(user.token);
    expect([status, headers['set-cookie']]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect((await users.send(user.token, 'GET', '/account')).status).toBe(401);
    const [row] = await api.sql`select * from users where id = ${user.id}`;
    expect(JSON.stringify(row)).not.toContain('Asha');
    expect(JSON.stringify(row)).not.toContain(user.email);
    const [workspace] = await api.sql`select state from workspaces where id = ${user.workspace_id}`;
    expect(workspace!.state).toBe('closed');
    expect(await users.audit(user.workspace_id)).toEqual(
      expect.arrayContaining(['account.deleted', 'workspace.closed']),
    );
    expect((await users.post('/api/v1/auth/signup', { name: 'B', email: user.email, password: PASSWORD })).status).toBe(
      201,
    );
  });

  it('cancels the queued calls of such a workspace', async () => {
    const user = await users.register();
    await api.sql`update workspaces set state = 'active' where id = ${user.workspace_id}`;
    const agent = await users.send(user.token, 'POST', '/agents', { name: 'A' });
    await api.sql`
      insert into calls (workspace_id, id, agent_id, agent_name, agent_version, direction, channel, status, from_number,
        to_number, started_by, provider, currency, queued_at, created_at)
      values (${user.workspace_id}, ${'c'.repeat(32)}, ${agent.body.id}, 'A', 1, 'outbound', 'phone', 'queued', '+14155550100',
        '+14155550101', 'Asha', 'twilio', 'INR', now(), now())`;
    expect((await remove(user.token)).status).toBe(204);
    const [call] = await api.sql`select status, hangup_reason from calls where workspace_id = ${user.workspace_id}`;
    expect(call).toEqual({ status: 'canceled', hangup_reason: 'canceled while queued' });
  });

  it('is refused for the only owner of a workspace with other members', async () => {
    const user = await users.register();
    const member = await api.asUser('admin', user.workspace_id);
    const { status, body } = await remove(user.token);
    expect([status, body.detail]).toEqual([400, 'a workspace always needs an owner']);
    await api.sql`update memberships set role = 'owner' where user_id = ${member.user_id}`;
    expect((await remove(user.token)).status).toBe(204);
    const [workspace] = await api.sql`select state from workspaces where id = ${user.workspace_id}`;
    expect(workspace!.state).toBe('onboarding');
  });

  it('leaves an owner when two owners do it concurrently', async () => {
    const [first, second] = [await users.register(), await users.register()];
    await api.sql`
      insert into memberships (workspace_id, user_id, role, joined_at)
      values (${first.workspace_id}, ${second.id}, 'owner', now()), (${first.workspace_id}, (select user_id from memberships
        where workspace_id = ${(await api.asUser('viewer')).workspace_id}), 'viewer', now())`;
    const answers = await Promise.all([remove(first.token), remove(second.token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 400]);
  });
});
