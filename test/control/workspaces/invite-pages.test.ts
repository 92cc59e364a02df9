import { beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';

/** The link in an invite leads to a page that works in a browser without scripts. */

let api: TestApi;
let owner: UserClient;

beforeAll(async () => {
  api = await startTestApi();
  owner = await api.asUser('owner');
});

let guests = 0;
const someone = () => `guest${++guests}@example.com`;

/** The path of the link in the email. */
async function invite(email: string): Promise<string> {
  const { status, body } = await owner.send('POST', '/invites', { email, role: 'viewer' });
  expect(status).toBe(201);
  const [queued] = await api.sql`select body from mail_outbox where recipient = ${email} order by id desc limit 1`;
  const link = /https?:\/\/\S+/.exec(queued!.body)![0];
  expect(link).toBe(body.link);
  return new URL(link).pathname;
}

const HERE = { host: 'voice.example.com', origin: 'https://voice.example.com' };
const look = (url: string, cookie = '') =>
  api.http.inject({ method: 'GET', url, headers: { host: HERE.host, ...(cookie ? { cookie } : {}) } });
const submit = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  api.http.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...HERE, ...headers },
    payload: new URLSearchParams(fields).toString(),
  });
const members = async () =>
  (await owner.send('GET', '/members')).body.map(({ email }: { email: string }) => email) as string[];

describe('a guest without an account', () => {
  it('enters a name and a password, and is signed in', async () => {
    const email = someone();
    const path = await invite(email);
    const shown = await look(path);
    expect([shown.statusCode, shown.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(shown.body).toContain(`The owner invites ${email} to join the workspace Acme as viewer.`);
    expect(shown.headers['content-security-policy']).toContain("default-src 'none'");

    const short = await submit(path, { name: 'Ravi', password: 'short' });
    expect([short.statusCode, short.body.includes('a password of 10 to 200 characters')]).toEqual([422, true]);
    expect(await members()).not.toContain(email);

    const done = await submit(path, { name: 'Ravi', password: 'correct horse battery' });
    expect([done.statusCode, done.body.includes('You belong to Acme now.')]).toEqual([200, true]);
    const cookie = String(done.headers['set-cookie']).split(';')[0]!;
    expect(cookie).toMatch(/^__Host-session=svcs_/);
    expect(await members()).toContain(email);
    const me = await api.http.inject({ method: 'GET', url: '/api/v1/auth/me', headers: { cookie } });
    expect(me.json()).toMatchObject({ credential: 'session', role: 'viewer', user: { email } });

    // Used up.
    for (const again of [await look(path), await submit(path, { name: 'Ravi', password: 'correct horse battery' })]) {
      expect([again.statusCode, again.body.includes('does not work any more')]).toEqual([404, true]);
    }
  });

  it('sees the errors of rules', async () => {
    const stranger = await api.asUser('owner');
    const path = await invite(stranger.email);
    const taken = await submit(path, { name: 'Ravi', password: 'correct horse battery' });
    expect([taken.statusCode, taken.body.includes('This email is already registered.')]).toEqual([409, true]);
  });
});

describe('a signed-in user', () => {
  it('joins by the button, if the invite is for them', async () => {
    const guest = await api.asUser('owner');
    const other = await api.asUser('owner');
    const path = await invite(guest.email);
    const cookieOf = ({ token }: UserClient) => `__Host-session=${token}`;
    expect((await look(path, cookieOf(guest))).body).toContain('You are signed in as The owner.');

    const wrong = await submit(path, {}, { cookie: cookieOf(other) });
    expect([wrong.statusCode, /This invite is for .\*\*\*@example\.com\./.test(wrong.body)]).toEqual([403, true]);
    const foreign = await submit(path, {}, { cookie: cookieOf(guest), origin: 'https://evil.example' });
    expect(foreign.statusCode).toBe(403);
    expect(await members()).not.toContain(guest.email);

    const done = await submit(path, {}, { cookie: cookieOf(guest) });
    expect([done.statusCode, done.body.includes('You belong to Acme now.')]).toEqual([200, true]);
    expect(await members()).toContain(guest.email);
  });
});

it('an unknown link leads to a page that says so, and names are escaped', async () => {
  for (const path of [`/invites/${'f'.repeat(32)}`, '/invites/nonsense']) {
    expect((await look(path)).statusCode).toBe(404);
  }
  await owner.send('PATCH', '/workspace', { name: '<script>alert(1)</script>' });
  const { body } = await look(await invite(someone()));
  expect(body).toContain('&lt;script&gt;');
  expect(body).not.toContain('<script>');
});
