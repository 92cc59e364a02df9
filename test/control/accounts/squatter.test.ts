import { beforeAll, describe, expect, it } from 'vitest';
import { stepAt, totpCode } from '../../../control/accounts/totp.ts';
import { startTestApi, type TestApi } from '../../support/control-app.ts';
import { createAuthenticator } from '../../support/software-authenticator.ts';
import { createManualClock, createTestUsers, newEmail, PASSWORD } from './test-users.ts';

const ORIGIN = 'https://voice.example.com';
const clock = createManualClock();
let api: TestApi;
let users: ReturnType<typeof createTestUsers>;

beforeAll(async () => {
  api = await startTestApi({}, { PUBLIC_API_URL: ORIGIN, VERIFIED_EMAIL: 'optional' }, { clock });
  users = createTestUsers(api);
});

type User = Awaited<ReturnType<typeof users.register>>;
const NEW_PASSWORD = 'the owner of the address';

async function resetPassword(user: User): Promise<void> {
  const before = (await users.emailsTo(user.email)).length;
  await users.post('/api/auth/password-reset', { email: user.email });
  await expect.poll(async () => (await users.emailsTo(user.email)).length).toBe(before + 1);
  const { token } = (await users.emailsTo(user.email)).at(-1)!;
  const done = await users.post('/api/auth/password-reset/confirm', { token, password: NEW_PASSWORD });
  expect(done.status).toBe(200);
}

async function addSecondFactors(user: User): Promise<void> {
  const { secret } = (await users.send(user.token, 'POST', '/account/2fa/setup', { password: PASSWORD })).body;
  const code = totpCode(secret, stepAt(clock.wall()));
  expect((await users.send(user.token, 'POST', '/account/2fa/enable', { code })).status).toBe(200);
  const { options } = (await users.send(user.token, 'POST', '/account/passkeys/setup')).body;
  const response = createAuthenticator(ORIGIN).register(options);
  const added = await users.send(user.token, 'POST', '/account/passkeys', { name: 'Laptop', response });
  expect(added.status).toBe(201);
}

async function makeKey(user: User): Promise<string> {
  await api.sql`update workspaces set state = 'active' where id = ${user.workspace_id}`;
  const made = await users.send(user.token, 'POST', '/keys', { name: 'mine' });
  expect(made.status).toBe(201);
  return made.body.key;
}

async function makeWebhook(user: User): Promise<void> {
  const made = await users.send(user.token, 'POST', '/webhooks', {
    url: 'https://8.8.8.8/hook',
    events: ['call.completed'],
  });
  expect(made.status).toBe(201);
}

const follow = async (email: string, subject: string) => {
  const message = (await users.emailsTo(email)).filter((each) => each.subject === subject).at(-1)!;
  return users.post('/api/auth/verify-email/confirm', { token: message.token });
};

describe('the reset of a password by an address that was never confirmed', () => {
  it('leaves nothing that the squatter set: second factors, sessions, keys, webhooks', async () => {
    const user = await users.register();
    const key = await makeKey(user);
    await makeWebhook(user);
    await addSecondFactors(user);
    await resetPassword(user);
    const signedIn = await users.login(user.email, NEW_PASSWORD);
    expect([signedIn.status, signedIn.body.two_factor_required]).toEqual([200, undefined]);
    const mine = (method: string, url: string) => users.send(signedIn.body.token, method, url);
    expect((await users.send(user.token, 'GET', '/account')).status).toBe(401);
    expect((await mine('GET', '/account')).body).toMatchObject({ two_factor: false, recovery_codes_left: 0 });
    expect((await mine('GET', '/account/passkeys')).body).toEqual([]);
    expect((await users.send(key, 'GET', '/auth/me')).status).toBe(401);
    expect((await mine('GET', '/webhooks')).body.map(({ active }: { active: boolean }) => active)).toEqual([false]);
    expect((await users.emailsTo(user.email)).map(({ subject }) => subject)).toContain('Two-step sign-in is off');
  });

  it('ends the connections of apps', async () => {
    const user = await users.register();
    await api.sql`insert into oauth_apps (id, name, redirect_uris, created_at) values ('app', 'App', '{}', now())`;
    await api.sql`
      insert into oauth_grants (workspace_id, id, app_id, user_id, created_at)
      values (${user.workspace_id}, 'grant', 'app', ${user.id}, now())`;
    await resetPassword(user);
    const [after] = await api.sql`select revoked_at from oauth_grants where user_id = ${user.id}`;
    expect(after!.revoked_at).not.toBeNull();
  });
});

describe('the reset of a confirmed address', () => {
  it('leaves the second factors and the keys', async () => {
    const user = await users.register();
    await follow(user.email, 'Confirm your email address');
    const key = await makeKey(user);
    await addSecondFactors(user);
    await resetPassword(user);
    expect((await users.login(user.email, NEW_PASSWORD)).body.two_factor_required).toBe(true);
    expect((await users.send(key, 'GET', '/auth/me')).status).toBe(200);
  });
});

describe('a new address that waits for its link', () => {
  it('is withdrawn with a new password, however that was set', async () => {
    for (const change of [
      resetPassword,
      (user: User) =>
        users.send(user.token, 'POST', '/account/password', { current_password: PASSWORD, new_password: NEW_PASSWORD }),
    ]) {
      const user = await users.register();
      const other = newEmail();
      await users.send(user.token, 'POST', '/account/email', { email: other, password: PASSWORD });
      await change(user);
      expect((await follow(other, 'Confirm your new email address')).status).toBe(400);
      expect((await users.login(user.email, NEW_PASSWORD)).status).toBe(200);
    }
  });
});
