import { beforeAll, describe, expect, it } from 'vitest';
import { stepAt, totpCode } from '../../../control/accounts/totp.ts';
import { startTestApi, type TestApi } from '../../support/control-app.ts';
import { type Changes, createAuthenticator, type SoftwareAuthenticator } from '../../support/software-authenticator.ts';
import { createManualClock, createTestUsers, MINUTE_MS, PASSWORD } from './test-users.ts';

const ORIGIN = 'https://voice.example.com';
const clock = createManualClock();
let api: TestApi;
let users: ReturnType<typeof createTestUsers>;

beforeAll(async () => {
  api = await startTestApi({}, { PUBLIC_API_URL: ORIGIN }, { clock });
  users = createTestUsers(api);
});

type User = Awaited<ReturnType<typeof users.register>>;
const newAuthenticator = () => createAuthenticator(ORIGIN);

const setup = async (user: User) => (await users.send(user.token, 'POST', '/account/passkeys/setup')).body.options;
const add = (user: User, response: object, name = 'Laptop') =>
  users.send(user.token, 'POST', '/account/passkeys', { name, response });
const list = async (user: User) => (await users.send(user.token, 'GET', '/account/passkeys')).body;

async function withPasskey() {
  const user = await users.register();
  const authenticator = newAuthenticator();
  const added = await add(user, authenticator.register(await setup(user)));
  return { ...user, authenticator, added, passkey_id: added.body.passkey.id as string };
}

const firstStep = async (email: string) => (await users.login(email)).body.login_token as string;
const challengeFor = async (login_token: string) =>
  (await users.post('/api/v1/auth/login/passkey/challenge', { login_token })).body.options;
const secondStep = (login_token: string, response: object) =>
  users.post('/api/v1/auth/login/passkey', { login_token, response });

async function signIn(email: string, authenticator: SoftwareAuthenticator, changes: Changes = {}) {
  const login_token = await firstStep(email);
  return secondStep(login_token, authenticator.use(await challengeFor(login_token), changes));
}

const REFUSED = [401, 'the passkey was not accepted'];
const answerOf = ({ status, body }: { status: number; body: { detail?: unknown } }) => [status, body.detail];

describe('adding a passkey', () => {
  it('switches two-step sign-in on, shows ten recovery codes once, and is audited and mailed', async () => {
    const user = await withPasskey();
    expect([user.added.status, user.added.body.recovery_codes.length]).toEqual([201, 10]);
    expect(await list(user)).toEqual([
      {
        ...{ id: user.passkey_id, name: 'Laptop', synced: false, last_used_at: null },
        created_at: expect.stringMatching(/\+05:30$/),
      },
    ]);
    const account = (await users.send(user.token, 'GET', '/account')).body;
    expect([account.two_factor, account.authenticator, account.recovery_codes_left]).toEqual([true, false, 10]);
    expect(await users.audit(user.workspace_id)).toEqual(
      expect.arrayContaining(['account.two_factor_enabled', 'account.passkey_added']),
    );
    expect((await users.emailsTo(user.email)).at(-1)!.subject).toBe('Two-step sign-in is on');
    const second = await add(user, newAuthenticator().register(await setup(user)), 'Key');
    expect([second.status, second.body.recovery_codes]).toEqual([201, []]);
    expect((await users.emailsTo(user.email)).at(-1)!.subject).toBe('A passkey was added');
  });

  it('asks for a domain, no attestation, and none of the authenticators that have one', async () => {
    const user = await withPasskey();
    expect(await setup(user)).toMatchObject({
      rp: { id: 'voice.example.com' },
      attestation: 'none',
      excludeCredentials: [{ id: user.authenticator.id }],
      authenticatorSelection: { userVerification: 'preferred' },
    });
  });

  it('needs a password of the last 15 minutes, whatever the workspace waives', async () => {
    const user = await users.register();
    await api.sql`update workspaces set confirm_password = false where id = ${user.workspace_id}`;
    clock.forward(15 * MINUTE_MS);
    const { status, body } = await users.send(user.token, 'POST', '/account/passkeys/setup');
    expect([status, body.code]).toEqual([403, 'confirmation_required']);
  });

  it('takes a challenge once, in its session, for five minutes', async () => {
    const user = await users.register();
    const response = newAuthenticator().register(await setup(user));
    const other = (await users.login(user.email)).body.token as string;
    expect(answerOf(await users.send(other, 'POST', '/account/passkeys', { name: 'x', response }))).toEqual(REFUSED);
    expect((await add(user, response)).status).toBe(201);
    expect(answerOf(await add(user, response))).toEqual(REFUSED);
    const late = newAuthenticator().register(await setup(user));
    clock.forward(5 * MINUTE_MS);
    expect(answerOf(await add(user, late))).toEqual(REFUSED);
  });

  it.each<[string, Changes]>([
    ['a foreign origin', { origin: 'https://voice.example.com.evil.example' }],
    ['a response to a sign-in', { type: 'webauthn.get' }],
  ])('refuses %s', async (_name, changes) => {
    const user = await users.register();
    expect(answerOf(await add(user, newAuthenticator().register(await setup(user), changes)))).toEqual(REFUSED);
    expect(await list(user)).toEqual([]);
  });

  it('refuses what is not a response of an authenticator', async () => {
    const user = await users.register();
    const response = newAuthenticator().register(await setup(user));
    const broken = { ...response, response: { ...response.response, attestationObject: 'AAAA' } };
    expect(answerOf(await add(user, broken))).toEqual(REFUSED);
    expect((await add(user, { ...response, id: 'x'.repeat(2000) })).status).toBe(422);
    expect((await add(user, {})).status).toBe(422);
  });

  it('refuses the credential of another user', async () => {
    const [mine, theirs] = [await withPasskey(), await users.register()];
    const { status } = await add(theirs, mine.authenticator.register(await setup(theirs)));
    expect([status, await list(theirs)]).toEqual([409, []]);
  });
});

describe('signing in with a passkey', () => {
  it('is the second step', async () => {
    const user = await withPasskey();
    expect((await users.login(user.email)).body).toMatchObject({
      two_factor_required: true,
      methods: ['passkey', 'recovery_code'],
    });
    const { status, body, headers } = await signIn(user.email, user.authenticator);
    expect([status, body.user.two_factor]).toEqual([200, true]);
    expect(headers['set-cookie']).toContain(body.token);
    expect((await users.send(body.token, 'GET', '/account')).status).toBe(200);
    expect((await list(user))[0].last_used_at).toEqual(expect.any(String));
  });

  it('works with each of several passkeys, without a PIN too', async () => {
    const user = await withPasskey();
    const key = newAuthenticator();
    await add(user, key.register(await setup(user)), 'Key');
    expect((await signIn(user.email, user.authenticator, { verified: false })).status).toBe(200);
    expect((await signIn(user.email, key)).status).toBe(200);
  });

  it('does not take a response twice, or of another challenge', async () => {
    const user = await withPasskey();
    const token = await firstStep(user.email);
    const response = user.authenticator.use(await challengeFor(token));
    const other = await firstStep(user.email);
    await challengeFor(other);
    expect(answerOf(await secondStep(other, response))).toEqual(REFUSED);
    const both = await Promise.all([secondStep(token, response), secondStep(token, response)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it.each<[string, Changes]>([
    ['of a foreign origin', { origin: 'https://evil.example' }],
    ['to a registration', { type: 'webauthn.create' }],
  ])('refuses a response %s', async (_name, changes) => {
    const user = await withPasskey();
    expect(answerOf(await signIn(user.email, user.authenticator, changes))).toEqual(REFUSED);
  });

  it('refuses the passkey of another user, one that was removed, and a wrong signature', async () => {
    const [user, other] = [await withPasskey(), await withPasskey()];
    expect(answerOf(await signIn(user.email, other.authenticator))).toEqual(REFUSED);
    const token = await firstStep(user.email);
    const response = user.authenticator.use(await challengeFor(token));
    const forged = {
      ...response.response,
      signature: other.authenticator.use({ challenge: 'x', rpId: 'x' }).response.signature,
    };
    expect(answerOf(await secondStep(token, { ...response, response: forged }))).toEqual(REFUSED);
    await add(user, newAuthenticator().register(await setup(user)));
    expect((await users.send(user.token, 'DELETE', `/account/passkeys/${user.passkey_id}`)).status).toBe(204);
    expect(answerOf(await signIn(user.email, user.authenticator))).toEqual(REFUSED);
  });

  it('refuses a copy, whose counter does not grow, and writes it to the audit trail', async () => {
    const user = await withPasskey();
    expect((await signIn(user.email, user.authenticator, { counter: 7 })).status).toBe(200);
    expect(answerOf(await signIn(user.email, user.authenticator, { counter: 7 }))).toEqual(REFUSED);
    expect(await users.audit(user.workspace_id)).toContain('account.passkey_copied');
    expect((await signIn(user.email, user.authenticator, { counter: 8 })).status).toBe(200);
  });

  it('does not count the counter of an authenticator that has none', async () => {
    const user = await withPasskey();
    for (let time = 0; time < 2; time++) {
      expect((await signIn(user.email, user.authenticator, { counter: 0 })).status).toBe(200);
    }
  });

  it('counts refused passkeys as failed sign-ins', async () => {
    const user = await withPasskey();
    const stranger = newAuthenticator();
    for (let time = 0; time < 5; time++) expect((await signIn(user.email, stranger)).status).toBe(401);
    expect((await users.login(user.email)).status).toBe(429);
  });

  it('gives no challenge without a login token, or without a passkey', async () => {
    const url = '/api/v1/auth/login/passkey/challenge';
    expect((await users.post(url, { login_token: `svcl_${'a'.repeat(43)}` })).status).toBe(401);
    const user = await users.register();
    const { secret } = (await users.send(user.token, 'POST', '/account/2fa/setup', { password: PASSWORD })).body;
    await users.send(user.token, 'POST', '/account/2fa/enable', { code: totpCode(secret, stepAt(clock.wall())) });
    expect((await users.post(url, { login_token: await firstStep(user.email) })).status).toBe(409);
  });
});

describe('beside passkeys', () => {
  it('an authenticator app may be added, and recovery codes work', async () => {
    const user = await withPasskey();
    const code = user.added.body.recovery_codes[0];
    const byCode = await users.post('/api/v1/auth/login/2fa', { login_token: await firstStep(user.email), code });
    expect(byCode.status).toBe(200);
    const { secret } = (await users.send(user.token, 'POST', '/account/2fa/setup', { password: PASSWORD })).body;
    const first = totpCode(secret, stepAt(clock.wall()));
    const enabled = await users.send(user.token, 'POST', '/account/2fa/enable', { code: first });
    expect(enabled.body.recovery_codes).toHaveLength(10);
    expect((await users.login(user.email)).body.methods).toEqual(['passkey', 'authenticator', 'recovery_code']);
    expect((await signIn(user.email, user.authenticator)).status).toBe(200);
    clock.forward(30_000);
    const disabled = await users.send(user.token, 'POST', '/account/2fa/disable', {
      ...{ password: PASSWORD, code: totpCode(secret, stepAt(clock.wall())) },
    });
    expect([disabled.status, await list(user)]).toEqual([204, []]);
    expect((await users.login(user.email)).body.token).toMatch(/^svcs_/);
  });
});

describe('removing a passkey', () => {
  it('switches two-step sign-in off with the last one', async () => {
    const user = await withPasskey();
    const remove = () => users.send(user.token, 'DELETE', `/account/passkeys/${user.passkey_id}`);
    clock.forward(15 * MINUTE_MS);
    expect((await remove()).body.code).toBe('confirmation_required');
    await users.send(user.token, 'POST', '/account/confirm', { password: PASSWORD });
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
    const account = (await users.send(user.token, 'GET', '/account')).body;
    expect([account.two_factor, account.recovery_codes_left]).toEqual([false, 0]);
    expect((await users.login(user.email)).body.token).toMatch(/^svcs_/);
  });

  it('or renaming it is not for another user', async () => {
    const [user, other] = [await withPasskey(), await users.register()];
    const path = `/account/passkeys/${user.passkey_id}`;
    expect((await users.send(other.token, 'DELETE', path)).status).toBe(404);
    expect((await users.send(other.token, 'PATCH', path, { name: 'mine' })).status).toBe(404);
    expect((await users.send(user.token, 'PATCH', path, { name: 'Phone' })).body.name).toBe('Phone');
  });
});

describe('a confirmation by passkey', () => {
  const challenge = async (token: string) =>
    (await users.send(token, 'POST', '/account/passkeys/challenge')).body.options;
  const confirm = (token: string, passkey: object) => users.send(token, 'POST', '/account/confirm', { passkey });

  it('is one of the session, with a PIN or a fingerprint', async () => {
    const user = await withPasskey();
    clock.forward(15 * MINUTE_MS);
    const options = await challenge(user.token);
    expect(options.userVerification).toBe('required');
    expect((await confirm(user.token, user.authenticator.use(options, { verified: false }))).status).toBe(401);
    const response = user.authenticator.use(await challenge(user.token));
    expect((await confirm(user.token, response)).status).toBe(200);
    expect((await confirm(user.token, response)).status).toBe(401);
    expect((await users.send(user.token, 'POST', '/account/passkeys/setup')).status).toBe(200);
  });

  it('does not take what was signed to sign in', async () => {
    const user = await withPasskey();
    const response = user.authenticator.use(await challengeFor(await firstStep(user.email)));
    expect((await confirm(user.token, response)).status).toBe(401);
  });
});

it('passkeys end with the account', async () => {
  const user = await withPasskey();
  expect((await users.send(user.token, 'DELETE', '/account', { password: PASSWORD })).status).toBe(204);
  expect(await api.sql`select id from passkeys where user_id = ${user.id}`).toEqual([]);
});
