import { beforeAll, describe, expect, it } from 'vitest';
import { weaknessOf } from '../../../control/accounts/weak-password.ts';
import { startTestApi, type TestApi } from '../../support/control-app.ts';
import { createTestUsers, newEmail, PASSWORD } from './test-users.ts';

const PERSON = { email: 'asha.kumar@tridentsteel.example', name: 'Asha Kumar', company: 'Trident Steel' };
const LEAKED = expect.stringContaining('known from leaks');
const REPEATED = expect.stringContaining('repeats or counts up');
const OWN = expect.stringContaining('made of your name');

describe('a new password', () => {
  it.each([
    ['password123', LEAKED],
    ['Password123!', LEAKED],
    ['P@ssw0rd2026', LEAKED],
    ['sunshine2024', LEAKED],
    ['welcome@123', LEAKED],
    ['1q2w3e4r5t', LEAKED],
    ['qwertyuiop', LEAKED],
    ['ｐａｓｓｗｏｒｄ１２３', LEAKED],
    ['aaaaaaaaaa', REPEATED],
    ['indiaindia', REPEATED],
    ['abcdefghijkl', REPEATED],
    ['9876543210', REPEATED],
    ['asha1234567', OWN],
    ['kumar-tridentsteel', OWN],
    ['Trident@2026', OWN],
    ['antiphon-voice', OWN],
  ])('is not %s', async (password, reason) => {
    expect(await weaknessOf(password, PERSON)).toEqual(reason);
  });

  it.each([
    PASSWORD,
    'kX9vQ2mPz7',
    'café au lait!',
    'नमस्ते दुनिया वाह',
    'asha likes green mangoes',
    `${'x7'.repeat(4)}correct horse`,
  ])('may be %s', async (password) => {
    expect(await weaknessOf(password, PERSON)).toBeNull();
  });

  it('of the greatest length and strangest words is judged', async () => {
    expect(await weaknessOf('p4ssw0rd'.repeat(25), PERSON)).not.toBeNull();
    expect(await weaknessOf('@4a0o1il$5s.*'.repeat(15), { email: '', name: '.*+?^$'.repeat(10) })).toBeNull();
  });
});

describe('a weak password is refused', () => {
  let api: TestApi;
  let users: ReturnType<typeof createTestUsers>;

  beforeAll(async () => {
    api = await startTestApi();
    users = createTestUsers(api);
  });

  it('at sign-up, with what to do and without the password', async () => {
    const body = { name: 'Asha', email: newEmail(), password: 'Password123!' };
    const answer = await users.post('/api/v1/auth/signup', body);
    expect([answer.status, answer.body.detail[0]]).toEqual([
      422,
      { type: 'value_error', loc: ['body', 'password'], msg: LEAKED, input: '***' },
    ]);
    expect(
      (await users.post('/api/v1/auth/signup', { ...body, workspace_name: 'Zanzibar', password: 'zanzibar2026' }))
        .status,
    ).toBe(422);
  });

  it('when it is changed', async () => {
    const user = await users.register();
    const change = { current_password: PASSWORD, new_password: user.email };
    const answer = await users.send(user.token, 'POST', '/account/password', change);
    expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ['body', 'new_password']]);
    expect((await users.login(user.email)).status).toBe(200);
  });

  it('when it is reset, on the page, and the link goes on working', async () => {
    const user = await users.register();
    await users.post('/api/auth/password-reset', { email: user.email });
    await expect.poll(async () => (await users.emailsTo(user.email)).at(-1)!.subject).toBe('Choose a new password');
    const { token } = (await users.emailsTo(user.email)).at(-1)!;
    const confirm = (password: string) => users.post('/api/auth/password-reset/confirm', { token, password });
    const refused = await confirm('Password123!');
    expect([refused.status, refused.body]).toEqual([422, expect.stringContaining('known from leaks')]);
    expect((await confirm('another long one')).status).toBe(200);
  });

  it('when an invited person chooses it', async () => {
    const owner = await api.asUser('owner');
    const invite = await owner.send('POST', '/invites', { email: newEmail(), role: 'viewer' });
    const token = invite.body.link.split('/').at(-1);
    const accept = (password: string) => users.post(`/api/v1/invites/${token}/accept`, { name: 'Asha', password });
    expect((await accept('Password123!')).status).toBe(422);
    const page = await users.post(`/invites/${token}`, { name: 'Asha', password: 'Password123!' });
    expect([page.status, page.body]).toEqual([422, expect.stringContaining('known from leaks')]);
    expect((await accept(PASSWORD)).status).toBe(200);
  });

  it('but goes on signing in where it was chosen before', async () => {
    const user = await users.register();
    const other = await users.register({ email: newEmail() });
    await api.sql`update users set password_hash = (select password_hash from users where id = ${other.id}), name = ${PASSWORD}
      where id = ${user.id}`;
    expect(await weaknessOf(PASSWORD, { email: '', name: PASSWORD })).not.toBeNull();
    expect((await users.login(user.email)).status).toBe(200);
  });
});
