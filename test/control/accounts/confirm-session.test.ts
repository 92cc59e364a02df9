import { beforeAll, describe, expect, it } from 'vitest';
import { stepAt, totpCode } from '../../../control/accounts/totp.ts';
import { startTestApi, type TestApi } from '../../support/control-app.ts';
import { createManualClock, createTestUsers, MINUTE_MS, PASSWORD } from './test-users.ts';

const clock = createManualClock();
clock.standStill();
let api: TestApi;
let users: ReturnType<typeof createTestUsers>;

beforeAll(async () => {
  api = await startTestApi({}, {}, { clock });
  users = createTestUsers(api);
});

const invite = async (token: string) =>
  users.send(token, 'POST', '/invites', { email: `${Math.random()}@example.com`, role: 'viewer' });
const confirm = (token: string, body: object) => users.send(token, 'POST', '/account/confirm', body);

describe('a session', () => {
  it('is confirmed for 15 minutes from its sign-in, and from each time the password is entered again', async () => {
    const { token } = await users.registerVerified();
    clock.forward(15 * MINUTE_MS - 1_000);
    expect((await invite(token)).status).toBe(201);
    clock.forward(1_000);
    const refused = await invite(token);
    expect([refused.status, refused.body]).toEqual([
      403,
      { detail: 'enter your password again: POST /api/v1/account/confirm', code: 'confirmation_required' },
    ]);
    const { status, body } = await confirm(token, { password: PASSWORD });
    expect([status, Math.round((Date.parse(body.confirmed_until) - clock.wall()) / MINUTE_MS)]).toEqual([200, 15]);
    expect((await invite(token)).status).toBe(201);
  });

  it('is confirmed by a code, once', async () => {
    const { token } = await users.registerVerified();
    const { secret } = (await users.send(token, 'POST', '/account/2fa/setup', { password: PASSWORD })).body;
    const codeNow = () => totpCode(secret, stepAt(clock.wall()));
    await users.send(token, 'POST', '/account/2fa/enable', { code: codeNow() });
    clock.forward(15 * MINUTE_MS);
    const code = codeNow();
    expect([(await confirm(token, { code })).status, (await confirm(token, { code })).status]).toEqual([200, 401]);
    expect((await invite(token)).status).toBe(201);
  });

  it('stays unconfirmed after a wrong password or code, and these count as failed sign-ins', async () => {
    const { token } = await users.registerVerified();
    clock.forward(15 * MINUTE_MS);
    const statuses: number[] = [];
    for (const body of [{ password: 'wrong' }, { code: '000000' }, { password: '' }, { code: '' }, { password: 'x' }]) {
      statuses.push((await confirm(token, body)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401]);
    expect((await confirm(token, { password: PASSWORD })).status).toBe(429);
    expect((await invite(token)).status).toBe(403);
  });

  it.each([[{}], [{ password: PASSWORD, code: '123456' }]])('is not confirmed by %j', async (body) => {
    const { token } = await users.registerVerified();
    expect((await confirm(token, body)).status).toBe(422);
  });

  it('is the only one that is confirmed', async () => {
    const user = await users.registerVerified();
    clock.forward(15 * MINUTE_MS);
    expect((await users.login(user.email)).status).toBe(200);
    expect((await invite(user.token)).status).toBe(403);
  });
});

describe('what a workspace asks for', () => {
  const security = (token: string, body: object) => users.send(token, 'PATCH', '/workspace/security', body);

  it('is changed by its owner after the password, and is audited', async () => {
    const { token, workspace_id } = await users.registerVerified();
    const { body } = await security(token, { confirm_password: false });
    expect(body.security).toEqual({ keys_may_make_keys: false, confirm_password: false });
    clock.forward(15 * MINUTE_MS);
    expect((await invite(token)).status).toBe(201);
    expect((await security(token, { confirm_password: true })).status).toBe(200);
    expect((await security(token, { confirm_password: false })).body.code).toBe('confirmation_required');
    expect(await users.audit(workspace_id)).toContain('workspace.security_updated');
  });

  it('is not changed by an admin', async () => {
    const admin = await api.asUser('admin');
    await api.sql`update sessions set confirmed_at = ${new Date(clock.wall())} where id = ${admin.session_id}`;
    const { status, body } = await admin.send('PATCH', '/workspace/security', { keys_may_make_keys: true });
    expect([status, body.detail]).toEqual([403, 'your role cannot do this (members.manage): only owners change it']);
  });
});
