import { beforeAll, describe, expect, it } from 'vitest';
import { request, startTestApi, type TestApi } from '../../support/control-app.ts';
import { createManualClock, createTestUsers, HOUR_MS, newAddress, newEmail, PASSWORD } from './test-users.ts';

const clock = createManualClock();
let api: TestApi;
let users: ReturnType<typeof createTestUsers>;

beforeAll(async () => {
  api = await startTestApi({}, { PUBLIC_API_URL: 'https://svc.example.com/' }, { clock });
  users = createTestUsers(api);
});

const RESET = '/api/auth/password-reset';
const VERIFY = '/api/auth/verify-email';
const ask = (email: string, options = {}, url = RESET) => users.post(url, { email }, options);
const confirm = (token: string, password: string) => users.post(`${RESET}/confirm`, { token, password });
const show = (url: string) => request(api.http, { method: 'GET', url });
const emailsTo = async (email: string, subject: string) =>
  (await users.emailsTo(email)).filter((message) => message.subject === subject);

/** The response is sent before the email is written. */
async function newLink(email: string): Promise<string> {
  const before = (await emailsTo(email, 'Choose a new password')).length;
  expect((await ask(email)).status).toBe(202);
  await expect.poll(async () => (await emailsTo(email, 'Choose a new password')).length).toBe(before + 1);
  return (await emailsTo(email, 'Choose a new password')).at(-1)!.token;
}

describe('a password reset by email', () => {
  it('gets the same response whether the address exists or not', async () => {
    const user = await users.register();
    const known = await ask(user.email);
    const unknown = await ask(newEmail());
    expect([known.status, unknown.status]).toEqual([202, 202]);
    expect(known.body).toBe(unknown.body);
    const { 'x-request-id': _, date: _d, ...headers } = known.headers;
    const { 'x-request-id': _2, date: _d2, ...others } = unknown.headers;
    expect(headers).toEqual(others);
  });

  it('has a link to the public URL, whatever the Host header says', async () => {
    const user = await users.register();
    await ask(user.email, { headers: { host: 'evil.example' } });
    await expect.poll(() => emailsTo(user.email, 'Choose a new password')).toHaveLength(1);
    const [message] = await emailsTo(user.email, 'Choose a new password');
    expect(message!.body).toContain(`https://svc.example.com${RESET}?token=${message!.token}`);
  });

  it('ends all sessions and replaces the password', async () => {
    const user = await users.register();
    const token = await newLink(user.email);
    const shown = await show(`${RESET}?token=${token}`);
    expect([shown.status, shown.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(shown.body).toContain(`value="${token}"`);
    const done = await confirm(token, 'another long one');
    expect([done.status, done.body]).toEqual([200, expect.stringContaining('Your password was changed')]);
    expect((await users.send(user.token, 'GET', '/account')).status).toBe(401);
    expect((await users.login(user.email)).status).toBe(401);
    const again = (await users.login(user.email, 'another long one')).body.token;
    expect((await users.send(again, 'GET', '/account')).body.email_verified).toBe(true);
    expect(await emailsTo(user.email, 'Your password was changed')).toHaveLength(1);
    expect(await users.audit(user.workspace_id)).toContain('account.password_reset');
  });

  it('works as a form without a script', async () => {
    const user = await users.register();
    const token = await newLink(user.email);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const payload = `token=${token}&password=another+long+one`;
    const done = await request(api.http, { method: 'POST', url: `${RESET}/confirm`, headers, payload });
    expect(done.status).toBe(200);
    expect((await users.login(user.email, 'another long one')).status).toBe(200);
  });

  it('works once, within an hour, with the newest link and a password that is long enough', async () => {
    const user = await users.register();
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

  it('does not work with a link of another purpose or to a former address', async () => {
    const user = await users.register();
    const [verify] = await emailsTo(user.email, 'Confirm your email address');
    expect((await confirm(verify!.token, 'another long one')).status).toBe(400);
    const link = await newLink(user.email);
    await api.sql`update users set email = ${newEmail()} where id = ${user.id}`;
    expect((await confirm(link, 'another long one')).status).toBe(400);
  });

  it.each(['', 'x', '%00', 'a'.repeat(5_000), '<script>'])('shows a page for the token %j', async (token) => {
    const shown = await show(`${RESET}?token=${encodeURIComponent(token)}`);
    expect([200, 400]).toContain(shown.status);
    expect(shown.body).not.toContain('<script>');
    expect((await users.post(`${RESET}/confirm`, { token, password: 'another long one' })).status).toBe(400);
  });

  it('is mailed up to five times an hour, with the same response', async () => {
    const user = await users.register();
    for (let each = 0; each < 5; each++) await newLink(user.email);
    expect((await ask(user.email)).status).toBe(202);
    // Once a later request was processed, the sixth was too.
    const other = await users.register();
    await newLink(other.email);
    expect(await emailsTo(user.email, 'Choose a new password')).toHaveLength(5);
  });

  it('is mailed up to five times an hour for one client', async () => {
    const here = { remoteAddress: newAddress() };
    const emails: string[] = [];
    for (let each = 0; each < 6; each++) emails.push((await users.register()).email);
    for (const email of emails) await ask(email, here);
    const counted = async () => {
      const [row] = await api.sql`
        select cardinality(happened_at) as count from attempts where subject = ${`reset_password address ${here.remoteAddress}`}`;
      return row?.count;
    };
    await expect.poll(counted).toBe(6);
    const messages = await Promise.all(emails.map((email) => emailsTo(email, 'Choose a new password')));
    expect(messages.flat().length).toBeLessThanOrEqual(5);
  });
});

describe('the link that confirms an address', () => {
  it('is mailed again while the address is not confirmed, with the same response to all', async () => {
    const user = await users.register();
    expect((await ask(user.email, {}, VERIFY)).status).toBe(202);
    await expect.poll(() => emailsTo(user.email, 'Confirm your email address')).toHaveLength(2);
    const [, message] = await emailsTo(user.email, 'Confirm your email address');
    const shown = await show(`${VERIFY}?token=${message!.token}`);
    expect(shown.body).toContain('Yes, confirm');
    // Looking at it does nothing: programs look into messages too.
    expect((await users.send(user.token, 'GET', '/account')).body.email_verified).toBe(false);
    expect((await users.post(`${VERIFY}/confirm`, { token: message!.token })).status).toBe(200);
    expect((await ask(user.email, {}, VERIFY)).status).toBe(202);
    expect((await ask(newEmail(), {}, VERIFY)).status).toBe(202);
    const other = await users.register();
    await ask(other.email, {}, VERIFY);
    await expect.poll(() => emailsTo(other.email, 'Confirm your email address')).toHaveLength(2);
    expect(await emailsTo(user.email, 'Confirm your email address')).toHaveLength(2);
  });
});

describe('the pages', () => {
  it('load nothing, run nothing, cannot be framed and send no Referer to other sites', async () => {
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
    const user = await users.register();
    const email = `"><b>${newEmail()}`;
    expect((await ask(email)).status).toBe(422);
    await api.sql`update email_links set email = '<b>x</b>' where user_id = ${user.id}`;
    const [message] = await users.emailsTo(user.email);
    const shown = await show(`${VERIFY}?token=${message!.token}`);
    expect(shown.body).toContain('&lt;b&gt;x&lt;/b&gt;');
  });

  it('are no part of the API document', async () => {
    const { body } = await show('/openapi.json');
    expect(Object.keys(body.paths).filter((path) => !path.startsWith('/api/v1/'))).toEqual([]);
  });
});

it('no response contains a password, and a sent email leaves no link behind', async () => {
  const user = await users.register();
  expect(JSON.stringify(user.answer)).not.toContain(PASSWORD);
});
