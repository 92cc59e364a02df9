import { beforeAll, describe, expect, it } from 'vitest';
import { request, startTestApi, type TestApi } from '../../support/control-app.ts';
import { createManualClock, createTestUsers, HOUR_MS, newAddress, newEmail, PASSWORD } from './test-users.ts';

const clock = createManualClock();
let api: TestApi;
let people: ReturnType<typeof createTestUsers>;

beforeAll(async () => {
  api = await startTestApi({}, { PUBLIC_API_URL: 'https://svc.example.com/' }, { clock });
  people = createTestUsers(api);
});

const RESET = '/api/auth/password-reset';
const VERIFY = '/api/auth/verify-email';
const ask = (email: string, options = {}, url = RESET) => people.post(url, { email }, options);
const confirm = (token: string, password: string) => people.post(`${RESET}/confirm`, { token, password });
const show = (url: string) => request(api.http, { method: 'GET', url });
const lettersTo = async (email: string, subject: string) =>
  (await people.lettersTo(email)).filter((letter) => letter.subject === subject);

/** The answer does not wait for the letter. */
async function newLink(email: string): Promise<string> {
  const before = (await lettersTo(email, 'Choose a new password')).length;
  expect((await ask(email)).status).toBe(202);
  await expect
    .poll(async () => (await lettersTo(email, 'Choose a new password')).length, { timeout: 10_000 })
    .toBe(before + 1);
  return (await lettersTo(email, 'Choose a new password')).at(-1)!.token;
}

describe('a new password by mail', () => {
  it('is asked for with the same answer, whether the email exists or not', async () => {
    const user = await people.register();
    const known = await ask(user.email);
    const unknown = await ask(newEmail());
    expect([known.status, unknown.status]).toEqual([202, 202]);
    expect(known.body).toBe(unknown.body);
    const { 'x-request-id': _, date: _d, ...headers } = known.headers;
    const { 'x-request-id': _2, date: _d2, ...others } = unknown.headers;
    expect(headers).toEqual(others);
  });

  it('is chosen behind a link to our own address, whatever host was asked', async () => {
    const user = await people.register();
    await ask(user.email, { headers: { host: 'evil.example' } });
    await expect.poll(() => lettersTo(user.email, 'Choose a new password')).toHaveLength(1);
    const [letter] = await lettersTo(user.email, 'Choose a new password');
    expect(letter!.body).toContain(`https://svc.example.com${RESET}?token=${letter!.token}`);
  });

  it('ends all sessions, and takes the place of the old one', async () => {
    const user = await people.register();
    const token = await newLink(user.email);
    const shown = await show(`${RESET}?token=${token}`);
    expect([shown.status, shown.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(shown.body).toContain(`value="${token}"`);
    const done = await confirm(token, 'another long one');
    expect([done.status, done.body]).toEqual([200, expect.stringContaining('Your password was changed')]);
    expect((await people.send(user.token, 'GET', '/account')).status).toBe(401);
    expect((await people.login(user.email)).status).toBe(401);
    const again = (await people.login(user.email, 'another long one')).body.token;
    expect((await people.send(again, 'GET', '/account')).body.email_verified).toBe(true);
    expect(await lettersTo(user.email, 'Your password was changed')).toHaveLength(1);
    expect(await people.audit(user.workspace_id)).toContain('account.password_reset');
  });

  it('can be chosen in a form without a script', async () => {
    const user = await people.register();
    const token = await newLink(user.email);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const payload = `token=${token}&password=another+long+one`;
    const done = await request(api.http, { method: 'POST', url: `${RESET}/confirm`, headers, payload });
    expect(done.status).toBe(200);
    expect((await people.login(user.email, 'another long one')).status).toBe(200);
  });

  it('is chosen once, within an hour, behind the newest link, long enough', async () => {
    const user = await people.register();
    const old = await newLink(user.email);
    const link = await newLink(user.email);
    expect((await confirm(old, 'another long one')).status).toBe(400);
    expect((await confirm(link, 'short')).status).toBe(422);
    const answers = await Promise.all([confirm(link, 'the first long one'), confirm(link, 'the second long one')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await confirm(link, 'the third long one')).status).toBe(400);
    const late = await newLink(user.email);
    clock.forward(HOUR_MS);
    expect((await confirm(late, 'another long one')).status).toBe(400);
    expect((await show(`${RESET}?token=${late}`)).status).toBe(400);
  });

  it('is not chosen behind a link of another kind, or for an address given up', async () => {
    const user = await people.register();
    const [verify] = await lettersTo(user.email, 'Confirm your email address');
    expect((await confirm(verify!.token, 'another long one')).status).toBe(400);
    const link = await newLink(user.email);
    await api.sql`update users set email = ${newEmail()} where id = ${user.id}`;
    expect((await confirm(link, 'another long one')).status).toBe(400);
  });

  it.each(['', 'x', '%00', 'a'.repeat(5_000), '<script>'])('shows a page for the token %j', async (token) => {
    const shown = await show(`${RESET}?token=${encodeURIComponent(token)}`);
    expect([200, 400]).toContain(shown.status);
    expect(shown.body).not.toContain('<script>');
    expect((await people.post(`${RESET}/confirm`, { token, password: 'another long one' })).status).toBe(400);
  });

  it('is mailed five times an hour at most, with the same answer', async () => {
    const user = await people.register();
    for (let each = 0; each < 5; each++) await newLink(user.email);
    expect((await ask(user.email)).status).toBe(202);
    // Whoever comes after the sixth: by then it was seen to.
    const other = await people.register();
    await newLink(other.email);
    expect(await lettersTo(user.email, 'Choose a new password')).toHaveLength(5);
  });

  it('is mailed for one client five times an hour at most', async () => {
    const here = { remoteAddress: newAddress() };
    const emails: string[] = [];
    for (let each = 0; each < 6; each++) emails.push((await people.register()).email);
    for (const email of emails) await ask(email, here);
    const counted = async () => {
      const [row] = await api.sql`
        select cardinality(happened_at) as count from attempts where subject = ${`reset_password address ${here.remoteAddress}`}`;
      return row?.count;
    };
    await expect.poll(counted).toBe(6);
    const letters = await Promise.all(emails.map((email) => lettersTo(email, 'Choose a new password')));
    expect(letters.flat().length).toBeLessThanOrEqual(5);
  });
});

describe('the link that confirms an address', () => {
  it('is mailed again to who needs it, with the same answer to all', async () => {
    const user = await people.register();
    expect((await ask(user.email, {}, VERIFY)).status).toBe(202);
    await expect.poll(() => lettersTo(user.email, 'Confirm your email address')).toHaveLength(2);
    const [, letter] = await lettersTo(user.email, 'Confirm your email address');
    const shown = await show(`${VERIFY}?token=${letter!.token}`);
    expect(shown.body).toContain('Yes, confirm');
    // Looking at it does nothing: programs look into letters too.
    expect((await people.send(user.token, 'GET', '/account')).body.email_verified).toBe(false);
    expect((await people.post(`${VERIFY}/confirm`, { token: letter!.token })).status).toBe(200);
    expect((await ask(user.email, {}, VERIFY)).status).toBe(202);
    expect((await ask(newEmail(), {}, VERIFY)).status).toBe(202);
    const other = await people.register();
    await ask(other.email, {}, VERIFY);
    await expect.poll(() => lettersTo(other.email, 'Confirm your email address')).toHaveLength(2);
    expect(await lettersTo(user.email, 'Confirm your email address')).toHaveLength(2);
  });
});

describe('the pages', () => {
  it('load nothing, run nothing, may not be framed and tell their address to nobody', async () => {
    for (const url of [RESET, VERIFY, `${RESET}?token=x`]) {
      const { headers, body } = await show(url);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers['referrer-policy']).toBe('same-origin');
      expect(headers['cache-control']).toBe('no-store');
      expect(body).not.toContain('<script');
    }
  });

  it('show names as text', async () => {
    const user = await people.register();
    const email = `"><b>${newEmail()}`;
    expect((await ask(email)).status).toBe(422);
    await api.sql`update email_links set email = '<b>x</b>' where user_id = ${user.id}`;
    const [letter] = await people.lettersTo(user.email);
    const shown = await show(`${VERIFY}?token=${letter!.token}`);
    expect(shown.body).toContain('&lt;b&gt;x&lt;/b&gt;');
  });

  it('are no part of the API document', async () => {
    const { body } = await show('/openapi.json');
    expect(Object.keys(body.paths).filter((path) => !path.startsWith('/api/v1/'))).toEqual([]);
  });
});

it('a password is never in an answer, and a letter leaves no link behind', async () => {
  const user = await people.register();
  expect(JSON.stringify(user.answer)).not.toContain(PASSWORD);
});
