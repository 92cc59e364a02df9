import { scryptSync } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../support/control-app.ts';
import { createManualClock, createTestUsers, MINUTE_MS, newAddress, newEmail, PASSWORD } from './test-users.ts';

const clock = createManualClock();
let api: TestApi;
let users: ReturnType<typeof createTestUsers>;

beforeAll(async () => {
  api = await startTestApi({}, {}, { clock });
  users = createTestUsers(api);
});

describe('signing in', () => {
  it('opens a session', async () => {
    const user = await users.register();
    const { status, body, headers } = await users.login(` ${user.email.toUpperCase()} `);
    expect(status).toBe(200);
    expect(body).toMatchObject({ user: { id: user.id, two_factor: false }, workspaces: [{ id: user.workspace_id }] });
    expect(headers['set-cookie']).toContain(body.token);
    expect((await users.send(body.token, 'GET', '/account')).status).toBe(200);
    expect(await users.audit(user.workspace_id)).toEqual(['session.opened', 'session.opened', 'workspace.created']);
  });

  it('does not reveal whether an email exists', async () => {
    const { email } = await users.register();
    const wrong = await users.login(email, 'not the password');
    const unknown = await users.login(newEmail(), 'not the password');
    const odd = await users.login('no address at all', '');
    for (const { status, body, headers } of [wrong, unknown, odd]) {
      expect([status, body]).toEqual([401, { detail: 'wrong email or password' }]);
      expect(headers['www-authenticate']).toBe('Bearer');
      expect(headers['set-cookie']).toBeUndefined();
    }
  });

  it('accepts the same characters in another Unicode form', async () => {
    const { email } = await users.register({ password: 'caf\u00e9 au lait!' });
    expect((await users.login(email, 'cafe\u0301 au lait!')).status).toBe(200);
  });

  it('replaces a hash made by scrypt, once', async () => {
    const user = await users.register();
    const salt = Buffer.alloc(16, 7);
    const made = scryptSync(PASSWORD, salt, 32, { N: 64, r: 8, p: 1 });
    const scrypt = `scrypt$6$${salt.toString('base64')}$${made.toString('base64')}`;
    await api.sql`update users set password_hash = ${scrypt} where id = ${user.id}`;
    const stored = async () => (await api.sql`select password_hash from users where id = ${user.id}`)[0]!.password_hash;
    expect((await users.login(user.email)).status).toBe(200);
    const renewed = await stored();
    expect(renewed).toMatch(/^\$argon2id\$/);
    expect((await users.login(user.email)).status).toBe(200);
    expect(await stored()).toBe(renewed);
  });

  it('is refused to deleted users', async () => {
    const user = await users.register();
    await users.send(user.token, 'DELETE', '/account', { password: PASSWORD });
    expect((await users.login(user.email)).status).toBe(401);
    expect((await users.login('', PASSWORD)).status).toBe(401);
  });

  it('out ends the session at once', async () => {
    const user = await users.register();
    const { status, headers } = await users.send(user.token, 'POST', '/auth/logout');
    expect([status, headers['set-cookie']]).toEqual([204, expect.stringMatching(/^__Host-session=; Max-Age=0;/)]);
    expect((await users.send(user.token, 'GET', '/account')).status).toBe(401);
    const place = await api.newWorkspace();
    expect((await place.send('POST', '/auth/logout')).body.detail).toBe(
      'your role cannot do this: sign in, API keys are refused',
    );
  });
});

describe('failed sign-ins', () => {
  const locked = /^too many failed sign-ins; try again in \d minutes$/;

  it('lock an email for five minutes, for a client, known or not', async () => {
    for (const email of [(await users.register()).email, newEmail()]) {
      const here = { remoteAddress: newAddress() };
      for (let each = 0; each < 5; each++) expect((await users.login(email, 'wrong', here)).status).toBe(401);
      const { status, body, headers } = await users.login(email, PASSWORD, here);
      expect([status, body.detail]).toEqual([429, expect.stringMatching(locked)]);
      expect(Number(headers['retry-after'])).toBeGreaterThan(280);
    }
  });

  it('expire after five minutes', async () => {
    const { email } = await users.register();
    const here = { remoteAddress: newAddress() };
    for (let each = 0; each < 5; each++) await users.login(email, 'wrong', here);
    clock.forward(4 * MINUTE_MS);
    const { body, headers } = await users.login(email, PASSWORD, here);
    expect(body.detail).toBe('too many failed sign-ins; try again in 1 minutes');
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
    clock.forward(MINUTE_MS);
    expect((await users.login(email, PASSWORD, here)).status).toBe(200);
  });

  it('lock a client, whatever emails it tries, and nobody else', async () => {
    const user = await users.register();
    const here = { remoteAddress: newAddress() };
    for (let each = 0; each < 5; each++) expect((await users.login(newEmail(), 'wrong', here)).status).toBe(401);
    expect((await users.login(user.email, PASSWORD, here)).status).toBe(429);
    expect((await users.login(user.email)).status).toBe(200);
  });

  it('are counted whatever succeeds in between', async () => {
    const user = await users.register();
    const here = { remoteAddress: newAddress() };
    for (let each = 0; each < 8; each++) expect((await users.login(user.email, PASSWORD, here)).status).toBe(200);
    for (let each = 0; each < 5; each++) expect((await users.login(user.email, 'wrong', here)).status).toBe(401);
    expect((await users.login(user.email, PASSWORD, here)).status).toBe(429);
  });

  it('are counted when they are concurrent, too', async () => {
    const { email } = await users.register();
    const here = { remoteAddress: newAddress() };
    const guesses = await Promise.all(
      Array.from({ length: 20 }, (_, each) => users.login(email, `guess ${each}`, here)),
    );
    expect(guesses.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(5);
    expect(guesses.every(({ status }) => status === 401 || status === 429)).toBe(true);
  });

  it('count where the password is asked for again, too, for that session alone', async () => {
    const user = await users.register();
    for (let each = 0; each < 5; each++) {
      const { status } = await users.send(user.token, 'POST', '/account/2fa/setup', { password: 'wrong' });
      expect(status).toBe(401);
    }
    expect((await users.send(user.token, 'DELETE', '/account', { password: PASSWORD })).status).toBe(429);
    expect((await users.login(user.email)).status).toBe(200);
  });

  it('are stored in the database for all processes, without the addresses', async () => {
    const email = newEmail();
    await users.login(email, 'wrong');
    const rows = await api.sql<{ subject: string }[]>`select subject from attempts`;
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.some(({ subject }) => subject.includes(email))).toBe(false);
  });
});

describe('GET /auth/me', () => {
  it('shows a user with the permissions of the role', async () => {
    const user = await api.asUser('admin');
    const { status, body } = await user.send('GET', '/auth/me');
    expect(status).toBe(200);
    expect(body).toEqual({
      credential: 'session',
      user: { id: user.user_id, name: 'The admin', email: user.email, two_factor: false },
      key: null,
      workspace: { id: user.workspace_id, name: 'Acme', state: 'active', currency: 'INR', timezone: 'Asia/Kolkata' },
      role: 'admin',
      permissions: [
        'agents.view',
        'calls.view',
        'logs.view',
        'members.view',
        'agents.edit',
        'calls.place',
        'keys.manage',
        'billing.view',
        'numbers.manage',
        'members.manage',
      ],
      workspaces: [{ id: user.workspace_id, name: 'Acme', role: 'admin', state: 'active' }],
    });
  });

  it('shows a key', async () => {
    const place = await api.newWorkspace('Acme');
    const { body } = await place.send('GET', '/auth/me');
    expect(body).toMatchObject({
      credential: 'api_key',
      user: null,
      key: { name: 'first key', prefix: place.key.slice(0, 12) },
      workspace: { id: place.workspace_id },
      role: 'developer',
      workspaces: [{ id: place.workspace_id, role: 'developer' }],
    });
    expect(body.permissions).toContain('billing.view');
    expect(body.permissions).not.toContain('members.manage');
  });

  it('works before activation, and without any workspace', async () => {
    const waiting = await api.signUp();
    expect((await waiting.send('GET', '/auth/me')).body.workspace.state).toBe('onboarding');
    await api.sql`delete from memberships where user_id = ${waiting.user_id}`;
    const { status, body } = await waiting.send('GET', '/auth/me');
    expect(status).toBe(200);
    expect(body).toMatchObject({ workspace: null, role: null, permissions: [], workspaces: [] });
  });

  it('is a 401 without a credential', async () => {
    expect((await users.send('', 'GET', '/auth/me')).status).toBe(401);
  });
});
