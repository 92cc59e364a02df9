import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { stepAt, totpCode } from '../../../control/accounts/totp.ts';
import { startTestApi, type TestApi } from '../../support/control-app.ts';
import { createManualClock, createTestUsers, MINUTE_MS, newAddress, PASSWORD } from './test-users.ts';

const clock = createManualClock();
let api: TestApi;
let users: ReturnType<typeof createTestUsers>;

beforeAll(async () => {
  api = await startTestApi({}, {}, { clock });
  users = createTestUsers(api);
});

/** Of the present step, or so many steps from it. */
const codeOf = (secret: string, steps = 0) => totpCode(secret, stepAt(clock.wall()) + steps);
/** Moves on, so that the next code is a new one. */
const nextStep = () => clock.forward(30_000);

async function withTwoFactor() {
  const user = await users.register();
  const setup = await users.send(user.token, 'POST', '/account/2fa/setup', { password: PASSWORD });
  const enable = await users.send(user.token, 'POST', '/account/2fa/enable', { code: codeOf(setup.body.secret) });
  nextStep();
  return { ...user, secret: setup.body.secret as string, codes: enable.body.recovery_codes as string[], setup, enable };
}

const firstStep = async (email: string) => (await users.login(email)).body.login_token as string;
const secondStep = (login_token: string, code: string) => users.post('/api/v1/auth/login/2fa', { login_token, code });

describe('switching two-step sign-in on', () => {
  it('shows a secret, takes a first code and shows ten recovery codes', async () => {
    const user = await withTwoFactor();
    expect(user.setup.body).toEqual({
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      otpauth_url: expect.stringContaining(`?issuer=Voice%20Agent%20Service&secret=${user.secret}&`),
    });
    expect(user.enable.status).toBe(200);
    expect(new Set(user.codes).size).toBe(10);
    for (const code of user.codes) expect(code).toMatch(/^[a-z2-9]{5}-[a-z2-9]{5}$/);
    const { body } = await users.send(user.token, 'GET', '/account');
    expect([body.two_factor, body.authenticator, body.recovery_codes_left]).toEqual([true, true, 10]);
    expect(await users.audit(user.workspace_id)).toContain('account.two_factor_enabled');
    expect((await users.emailsTo(user.email)).at(-1)!.subject).toBe('Two-step sign-in is on');
    const rows = await api.sql`select hash from recovery_codes where user_id = ${user.id}`;
    expect(rows).toHaveLength(10);
    const [row] = await api.sql`select * from users where id = ${user.id}`;
    expect(JSON.stringify(row)).not.toContain(user.secret);
    expect(row!.two_factor_secret).not.toBeNull();
  });

  it('needs the password, and a code of that secret within 15 minutes', async () => {
    const user = await users.register();
    const setup = (password = PASSWORD) => users.send(user.token, 'POST', '/account/2fa/setup', { password });
    const enable = (code: string) => users.send(user.token, 'POST', '/account/2fa/enable', { code });
    expect((await setup('wrong')).status).toBe(401);
    expect((await enable('123456')).status).toBe(409);
    const { secret } = (await setup()).body;
    for (const code of [codeOf(secret, 3), codeOf(secret, -3), 'abcdef', '', '１２３４５６']) {
      const { status, body } = await enable(code);
      expect([status, body.detail]).toEqual([401, 'wrong or used code']);
    }
    clock.forward(15 * MINUTE_MS);
    expect((await enable(codeOf(secret))).status).toBe(409);
    const again = (await setup()).body.secret;
    expect(again).not.toBe(secret);
    expect((await enable(codeOf(again, 1))).status).toBe(200);
  });

  it('works once', async () => {
    const user = await withTwoFactor();
    for (const [url, body] of [
      ['/account/2fa/setup', { password: PASSWORD }],
      ['/account/2fa/enable', { code: codeOf(user.secret) }],
    ] as const) {
      const answer = await users.send(user.token, 'POST', url, body);
      expect([answer.status, answer.body.detail]).toEqual([409, 'two-step sign-in is already on']);
    }
  });
});

describe('signing in in two steps', () => {
  it('opens a session after the second', async () => {
    const user = await withTwoFactor();
    const first = await users.login(user.email);
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      two_factor_required: true,
      login_token: expect.stringMatching(/^svcl_/),
      expires_at: expect.stringMatching(/\+05:30$/),
    });
    expect(first.headers['set-cookie']).toBeUndefined();
    expect((await users.send(first.body.login_token, 'GET', '/account')).status).toBe(401);
    const second = await secondStep(first.body.login_token, codeOf(user.secret));
    expect([second.status, second.body.user.two_factor]).toEqual([200, true]);
    expect(second.headers['set-cookie']).toContain(second.body.token);
    expect((await users.send(second.body.token, 'GET', '/account')).status).toBe(200);
  });

  it('accepts each code once, also of two concurrent requests', async () => {
    const user = await withTwoFactor();
    const tokens = [await firstStep(user.email), await firstStep(user.email), await firstStep(user.email)];
    const answers = await Promise.all(tokens.map((token) => secondStep(token, codeOf(user.secret))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const refused = answers.find(({ status }) => status === 401)!;
    expect(refused.body.detail).toBe('wrong or used code');
  });

  it('accepts the code of one step before and after, and none before the last one used', async () => {
    // Time stands still, so that no code becomes one of another step meanwhile.
    onTestFinished(clock.standStill());
    const user = await withTwoFactor();
    nextStep();
    expect((await secondStep(await firstStep(user.email), codeOf(user.secret, -1))).status).toBe(200);
    expect((await secondStep(await firstStep(user.email), codeOf(user.secret, 1))).status).toBe(200);
    expect((await secondStep(await firstStep(user.email), codeOf(user.secret))).status).toBe(401);
    expect((await secondStep(await firstStep(user.email), codeOf(user.secret, 2))).status).toBe(401);
  });

  it('accepts each recovery code once', async () => {
    const user = await withTwoFactor();
    const code = user.codes[3]!;
    const tokens = [await firstStep(user.email), await firstStep(user.email)];
    const answers = await Promise.all(tokens.map((token) => secondStep(token, ` ${code.toUpperCase()} `)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await users.send(user.token, 'GET', '/account')).body.recovery_codes_left).toBe(9);
    const other = await withTwoFactor();
    expect((await secondStep(await firstStep(other.email), user.codes[4]!)).status).toBe(401);
  });

  it('ends a login token after five tries', async () => {
    const user = await withTwoFactor();
    const token = await firstStep(user.email);
    for (let each = 0; each < 5; each++) expect((await secondStep(token, '000000')).status).toBe(401);
    clock.forward(5 * MINUTE_MS + 1);
    const { status, body } = await secondStep(token, codeOf(user.secret));
    expect([status, body.detail]).toEqual([401, 'invalid, expired or revoked credentials']);
  });

  it('ends a login token after ten minutes and after use', async () => {
    const user = await withTwoFactor();
    const late = await firstStep(user.email);
    clock.forward(10 * MINUTE_MS);
    expect((await secondStep(late, codeOf(user.secret))).status).toBe(401);
    const used = await firstStep(user.email);
    expect((await secondStep(used, codeOf(user.secret))).status).toBe(200);
    nextStep();
    expect((await secondStep(used, codeOf(user.secret))).status).toBe(401);
    expect((await secondStep('svcl_nonsense', '123456')).status).toBe(401);
  });

  it('counts wrong codes as failed sign-ins, over all login tokens', async () => {
    const user = await withTwoFactor();
    const tokens = await Promise.all(Array.from({ length: 6 }, () => firstStep(user.email)));
    const here = { remoteAddress: newAddress() };
    for (const token of tokens.slice(0, 5)) expect((await secondStep(token, '000000')).status).toBe(401);
    const url = '/api/v1/auth/login/2fa';
    const locked = await users.post(url, { login_token: tokens[5], code: codeOf(user.secret) }, here);
    expect([locked.status, locked.body.detail]).toEqual([429, expect.stringContaining('too many failed sign-ins')]);
    expect((await users.login(user.email)).status).toBe(429);
  });

  it('is aborted by a new password', async () => {
    const user = await withTwoFactor();
    const token = await firstStep(user.email);
    const body = { current_password: PASSWORD, new_password: 'another long one' };
    await users.send(user.token, 'POST', '/account/password', body);
    expect((await secondStep(token, codeOf(user.secret))).status).toBe(401);
  });
});

describe('switching two-step sign-in off', () => {
  it('needs the password and a code', async () => {
    const user = await withTwoFactor();
    const off = (password: string, code: string) =>
      users.send(user.token, 'POST', '/account/2fa/disable', { password, code });
    expect((await off('wrong', codeOf(user.secret))).body.detail).toBe('wrong email or password');
    expect((await off(PASSWORD, '000000')).body.detail).toBe('wrong or used code');
    expect((await off(PASSWORD, codeOf(user.secret))).status).toBe(204);
    expect((await off(PASSWORD, codeOf(user.secret))).status).toBe(409);
    const { body } = await users.send(user.token, 'GET', '/account');
    expect([body.two_factor, body.authenticator, body.recovery_codes_left]).toEqual([false, false, 0]);
    expect((await users.login(user.email)).body.token).toMatch(/^svcs_/);
    expect(await users.audit(user.workspace_id)).toContain('account.two_factor_disabled');
  });

  it('works with a recovery code', async () => {
    const user = await withTwoFactor();
    const body = { password: PASSWORD, code: user.codes[0] };
    expect((await users.send(user.token, 'POST', '/account/2fa/disable', body)).status).toBe(204);
  });
});
