import { beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../support/control-app.ts';
import { createManualClock, createTestUsers, HOUR_MS, newAddress, newEmail, PASSWORD } from './test-users.ts';

const clock = createManualClock();
let api: TestApi;
let users: ReturnType<typeof createTestUsers>;

beforeAll(async () => {
  api = await startTestApi({}, {}, { clock });
  users = createTestUsers(api);
});

const signUp = (fields: Record<string, unknown> = {}, options = {}) =>
  users.post('/api/v1/auth/signup', { name: 'Asha', email: newEmail(), password: PASSWORD, ...fields }, options);

describe('signing up', () => {
  it('creates a user who owns a workspace that waits for its KYC', async () => {
    const { status, body, headers } = await signUp({ email: 'Asha@Example.COM', timezone: 'Europe/Berlin' });
    expect(status).toBe(201);
    expect(body).toEqual({
      user: { id: expect.stringMatching(/^[a-f0-9]{32}$/), name: 'Asha', email: 'asha@example.com', two_factor: false },
      workspaces: [{ id: expect.any(String), name: "Asha's workspace", role: 'owner', state: 'onboarding' }],
      token: expect.stringMatching(/^svcs_[\w-]{43}$/),
      expires_at: expect.stringMatching(/\+05:30$/),
    });
    expect(headers['set-cookie']).toBe(
      `__Host-session=${body.token}; Max-Age=2592000; Path=/; HttpOnly; Secure; SameSite=Lax`,
    );
    const [row] = await api.sql`
      select w.timezone, w.currency, u.timezone as own, u.password_hash, s.token_hash
      from workspaces w join memberships m on m.workspace_id = w.id join users u on u.id = m.user_id
      join sessions s on s.user_id = u.id where w.id = ${body.workspaces[0].id}`;
    expect(row).toMatchObject({ timezone: 'Europe/Berlin', currency: 'INR', own: 'Europe/Berlin' });
    expect(row!.password_hash).toMatch(/^\$argon2id\$/);
    expect(row!.token_hash).toHaveLength(32);
    expect(await users.audit(body.workspaces[0].id)).toEqual(['session.opened', 'workspace.created']);
    expect((await users.send(body.token, 'GET', '/account')).body.email_verified).toBe(false);
  });

  it('gives a browser a cookie and no token', async () => {
    const headers = { host: 'svc.example.com', origin: 'https://svc.example.com' };
    const answer = await signUp({ workspace_name: 'Acme' }, { headers });
    expect([answer.status, answer.body.token, answer.body.workspaces[0].name]).toEqual([201, undefined, 'Acme']);
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-device=svcd_/),
      expect.stringMatching(/^__Host-session=svcs_/),
    ]);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('is refused to pages of other sites', async () => {
    const foreign = { host: 'svc.example.com', origin: 'https://evil.example' };
    for (const url of ['signup', 'login', 'login/2fa']) {
      const body = { name: 'A', email: newEmail(), password: PASSWORD, login_token: 'x', code: '1' };
      const answer = await users.post(`/api/v1/auth/${url}`, body, { headers: foreign });
      expect([answer.status, answer.body.detail]).toEqual([403, 'cross-site request refused']);
    }
  });

  it('is refused when the email is taken, in upper or lower case', async () => {
    const { email } = await users.register();
    const { status, body } = await signUp({ email: email.toUpperCase() });
    expect([status, body.detail]).toEqual([409, 'this email is already registered']);
  });

  it('gives the email to one of many concurrent requests', async () => {
    const email = newEmail();
    const answers = await Promise.all(Array.from({ length: 6 }, () => signUp({ email })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it.each([
    [{ name: '' }, 'name', 'string_too_short'],
    [{ name: 'x'.repeat(81) }, 'name', 'string_too_long'],
    [{ email: 'nobody' }, 'email', 'string_pattern_mismatch'],
    [{ email: `${'x'.repeat(200)}@example.com` }, 'email', 'string_too_long'],
    [{ password: 'short' }, 'password', 'string_too_short'],
    [{ password: 'x'.repeat(201) }, 'password', 'string_too_long'],
    [{ timezone: '+05:30' }, 'timezone', 'value_error'],
    [{ workspace_name: 'x'.repeat(121) }, 'workspace_name', 'string_too_long'],
  ])('checks what it is given: %o', async (fields, field, type) => {
    const { status, body } = await signUp(fields);
    expect(status).toBe(422);
    expect(body.detail[0]).toMatchObject({ type, loc: ['body', field] });
    if (field === 'password') expect(body.detail[0].input).toBe('***');
  });

  it('mails a link that confirms the address, and works once', async () => {
    const user = await users.register();
    const [message] = await users.emailsTo(user.email);
    expect(message!.subject).toBe('Confirm your email address');
    const follow = () => users.post('/api/auth/verify-email/confirm', { token: message!.token }, { headers: {} });
    expect((await follow()).status).toBe(200);
    expect((await users.send(user.token, 'GET', '/account')).body.email_verified).toBe(true);
    expect((await follow()).status).toBe(400);
  });
});

describe('too many sign-ups', () => {
  it('from one client are refused for an hour', async () => {
    const options = { remoteAddress: newAddress() };
    for (let each = 0; each < 5; each++) expect((await signUp({}, options)).status).toBe(201);
    const { status, body, headers } = await signUp({}, options);
    expect([status, body.detail]).toEqual([429, 'too many sign-ups; try again later']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(3_500);
    expect((await signUp()).status).toBe(201);
    clock.forward(HOUR_MS);
    expect((await signUp({}, options)).status).toBe(201);
  });

  it('are counted for taken emails too, so that nobody can list users', async () => {
    const { email } = await users.register();
    const options = { remoteAddress: newAddress() };
    for (let each = 0; each < 5; each++) expect((await signUp({ email }, options)).status).toBe(409);
    expect((await signUp({ email }, options)).status).toBe(429);
  });

  it('are counted when they are concurrent, too', async () => {
    const options = { remoteAddress: newAddress() };
    const answers = await Promise.all(Array.from({ length: 8 }, () => signUp({}, options)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  });

  it('of one company are refused for a day, but not of a public mail domain', async () => {
    for (let each = 0; each < 20; each++) {
      expect((await signUp({ email: `p${each}@company.example` })).status).toBe(201);
    }
    expect((await signUp({ email: 'p20@company.example' })).status).toBe(429);
    expect((await signUp({ email: 'p20@other.example' })).status).toBe(201);
    for (let each = 0; each < 21; each++) expect((await signUp()).status).toBe(201);
    clock.forward(24 * HOUR_MS);
    expect((await signUp({ email: 'p20@company.example' })).status).toBe(201);
  });

  it('from one IPv6 /64 count as one client', async () => {
    for (let each = 0; each < 5; each++) {
      expect((await signUp({}, { remoteAddress: `2001:db8:7:9::${each + 1}` })).status).toBe(201);
    }
    expect((await signUp({}, { remoteAddress: '2001:db8:7:9:ffff::1' })).status).toBe(429);
    expect((await signUp({}, { remoteAddress: '2001:db8:7:a::1' })).status).toBe(201);
  });
});
