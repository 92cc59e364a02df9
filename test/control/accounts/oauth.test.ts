import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { disableOauthApp, registerOauthApp } from '../../../control/accounts/oauth.ts';
import { credentialCachesExpired } from '../../../control/http/credential-cache.ts';
import { systemClock } from '../../../shared/clock.ts';
import { type Response, request, startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';
import { createManualClock, createTestUsers, HOUR_MS, MINUTE_MS, PASSWORD } from './test-users.ts';

const clock = createManualClock();
const REDIRECT = 'https://app.example.com/callback?x=1';
let api: TestApi;
let owner: UserClient;
let publicApp: { client_id: string; client_secret: string | null };
let secretApp: { client_id: string; client_secret: string | null };

beforeAll(async () => {
  api = await startTestApi({}, { PUBLIC_API_URL: 'https://svc.example.com' }, { clock });
  owner = await api.asUser('owner');
  publicApp = await register(false);
  secretApp = await register(true);
});

async function register(confidential: boolean, redirect_uris = [REDIRECT, 'http://127.0.0.1/done']) {
  const made = await registerOauthApp(api.sql, { name: 'Sheets <b>', redirect_uris, confidential }, clock.wall());
  if (typeof made === 'string') throw new Error(made);
  return made;
}

const verifier = () => randomBytes(32).toString('base64url');
const challengeOf = (text: string) => createHash('sha256').update(text).digest('base64url');
const cookie = (user: UserClient) => ({ cookie: `__Host-session=${user.token}` });
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const asked = (fields: Record<string, string> = {}) => ({
  response_type: 'code',
  client_id: publicApp.client_id,
  redirect_uri: REDIRECT,
  state: 'the state & more',
  code_challenge: challengeOf('x'.repeat(43)),
  code_challenge_method: 'S256',
  ...fields,
});

const show = (fields: Record<string, string>, headers: Record<string, string> = cookie(owner)) =>
  request(api.http, { method: 'GET', url: `/oauth/authorize?${new URLSearchParams(fields)}`, headers });

const decide = (fields: Record<string, string>, user = owner, headers: Record<string, string> = {}) =>
  request(api.http, {
    method: 'POST',
    url: '/oauth/authorize',
    headers: { ...FORM, ...cookie(user), 'sec-fetch-site': 'same-origin', ...headers },
    payload: new URLSearchParams({ workspace_id: user.workspace_id, decision: 'allow', ...fields }).toString(),
  });

const send = (url: string, fields: Record<string, string> | string, headers: Record<string, string> = {}) =>
  request(api.http, {
    method: 'POST',
    url,
    headers: { ...FORM, ...headers },
    payload: new URLSearchParams(fields).toString(),
  }).then(parsed);

/** Parses the JSON of a response. */
function parsed(answer: Response<unknown>) {
  const body = typeof answer.body === 'string' ? JSON.parse(answer.body) : answer.body;
  return { ...answer, body: body as Record<string, string> };
}

const answerTo = (answer: Response<unknown>) => new URL(answer.headers.location!).searchParams;

const confirmNow = ({ session_id }: UserClient) =>
  api.sql`update sessions set confirmed_at = ${new Date(clock.wall())} where id = ${session_id}`;

async function connect(user = owner, app = publicApp, redirect_uri = REDIRECT) {
  const code_verifier = verifier();
  const fields = asked({ client_id: app.client_id, redirect_uri, code_challenge: challengeOf(code_verifier) });
  // The clock of these tests moves on.
  await confirmNow(user);
  const code = answerTo(await decide(fields, user)).get('code')!;
  return { grant_type: 'authorization_code', client_id: app.client_id, code, redirect_uri, code_verifier };
}

async function tokensOf(user = owner) {
  const { status, body } = await send('/oauth/token', await connect(user));
  expect(status).toBe(200);
  return body as { access_token: string; refresh_token: string };
}

const use = (token: string, method: 'GET' | 'POST' = 'GET', url = '/agents', payload?: object) =>
  request(api.http, {
    method,
    url: `/api/v1${url}`,
    headers: { authorization: `Bearer ${token}` },
    ...(payload ? { payload } : {}),
  });

const refreshing = (refresh_token: string, client_id = publicApp.client_id) =>
  send('/oauth/token', { grant_type: 'refresh_token', refresh_token, client_id });

describe('connecting an app', () => {
  it('leads over the consent page, a code and its verifier to an access token', async () => {
    const page = await show(asked());
    expect(page.status).toBe(200);
    expect(page.body).toContain('Connect Sheets &lt;b&gt;?');
    expect(page.body).toContain(`value="${owner.workspace_id}"`);
    expect(page.headers['content-security-policy']).toContain("form-action 'self' https://app.example.com");
    const allowed = await decide(asked());
    expect(allowed.status).toBe(303);
    const back = answerTo(allowed);
    expect(Object.fromEntries(back)).toEqual({
      x: '1',
      code: expect.stringMatching(/^svcc_/),
      iss: 'https://svc.example.com',
      state: 'the state & more',
    });
    const { body, headers } = await send('/oauth/token', await connect());
    expect(body).toEqual({
      access_token: expect.stringMatching(/^svco_[\w-]{43}$/),
      refresh_token: expect.stringMatching(/^svcr_[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
    });
    expect(headers['cache-control']).toBe('no-store');
    const made = await use(body.access_token!, 'POST', '/agents', { name: 'By the app' });
    expect([made.status, made.body.updated_by]).toEqual([201, 'Sheets <b>']);
    const [event] = await api.sql`
      select actor_id, target_id from audit_events
      where workspace_id = ${owner.workspace_id} and action = 'app.connected' limit 1`;
    expect(event).toEqual({ actor_id: owner.user_id, target_id: publicApp.client_id });
  });

  it('works for an app with a secret, sent in either way', async () => {
    const { client_id, client_secret } = secretApp;
    const inBody = { ...(await connect(owner, secretApp)), client_secret: client_secret! };
    expect((await send('/oauth/token', inBody)).status).toBe(200);
    const { client_id: _, ...rest } = await connect(owner, secretApp);
    const basic = { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` };
    expect((await send('/oauth/token', rest, basic)).status).toBe(200);
  });

  it('works for a loopback redirect on any port', async () => {
    const fields = await connect(owner, publicApp, 'http://127.0.0.1:53211/done');
    expect((await send('/oauth/token', fields)).status).toBe(200);
  });

  it('has metadata', async () => {
    const { body } = parsed(await request(api.http, { method: 'GET', url: '/.well-known/oauth-authorization-server' }));
    expect(body).toMatchObject({
      issuer: 'https://svc.example.com',
      token_endpoint: 'https://svc.example.com/oauth/token',
      code_challenge_methods_supported: ['S256'],
    });
  });
});

describe('the consent page', () => {
  it.each([
    { client_id: 'nobody' },
    { client_id: '0'.repeat(32) },
    { redirect_uri: 'https://evil.example/' },
    { redirect_uri: '' },
    { redirect_uri: `${REDIRECT}2` },
  ])('sends nobody anywhere for %o', async (fields) => {
    for (const answer of [await show(asked(fields as never)), await decide(asked(fields as never))]) {
      expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
    }
  });

  it.each([
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge: '' }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
  ])('sends the error to the app: %o', async (fields, error) => {
    const answer = await show(asked(fields as never));
    expect(answer.status).toBe(303);
    expect(Object.fromEntries(answerTo(answer))).toMatchObject({ error, state: 'the state & more' });
  });

  it('is for signed-in users', async () => {
    expect((await show(asked(), {})).status).toBe(401);
    expect((await show(asked(), { cookie: '__Host-session=nonsense' })).status).toBe(401);
    expect((await show(asked(), { authorization: `Bearer ${owner.token}` })).status).toBe(401);
    const place = await api.newWorkspace();
    expect((await show(asked(), { cookie: `__Host-session=${place.key}` })).status).toBe(401);
  });

  it('grants nothing to a page of another site, or when the user declines', async () => {
    const foreign = await decide(asked(), owner, { 'sec-fetch-site': 'cross-site' });
    expect([foreign.status, foreign.body.detail]).toEqual([403, 'cross-site request refused']);
    const denied = await decide(asked({ decision: 'deny' }));
    expect(answerTo(denied).get('error')).toBe('access_denied');
    expect(answerTo(denied).get('code')).toBeNull();
  });

  it('asks for the password when it was entered more than 15 minutes ago', async () => {
    const users = createTestUsers(api);
    const { token, workspace_id } = await users.register();
    const user = { token, workspace_id } as UserClient;
    expect((await show(asked(), cookie(user))).body).not.toContain('name="password"');
    clock.forward(15 * MINUTE_MS);
    expect((await show(asked(), cookie(user))).body).toContain('name="password"');
    const none = await decide(asked(), user);
    expect([none.status, none.headers.location]).toEqual([422, undefined]);
    const wrong = await decide(asked({ password: 'not the password' }), user);
    expect([wrong.status, wrong.headers.location]).toEqual([422, undefined]);
    expect(wrong.body).toContain('That password is not right.');
    expect(wrong.body).not.toContain('not the password');
    const right = await decide(asked({ password: PASSWORD }), user);
    expect(answerTo(right).get('code')).not.toBeNull();
  });

  it('lets the user choose among their own workspaces only', async () => {
    const other = await api.newWorkspace();
    const answer = await decide(asked({ workspace_id: other.workspace_id }));
    expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
  });
});

describe('an authorization code', () => {
  const refused = async (fields: Record<string, string>) => {
    const { status, body } = await send('/oauth/token', fields);
    expect([status, body.error]).toEqual([400, 'invalid_grant']);
  };

  it('fails with another verifier, redirect URI or app, and is used up by it', async () => {
    for (const change of [
      { code_verifier: verifier() },
      { code_verifier: 'short' },
      { redirect_uri: 'http://127.0.0.1/done' },
      { code: 'svcc_nonsense' },
    ]) {
      const right = await connect();
      await refused({ ...right, ...change });
      if (!('code' in change)) await refused(right);
    }
    const other = await register(false);
    await refused({ ...(await connect()), client_id: other.client_id });
  });

  it('expires after a minute', async () => {
    const fields = await connect();
    clock.forward(60_000);
    await refused(fields);
  });

  it('works once; a second use revokes its tokens', async () => {
    const fields = await connect();
    const { body } = await send('/oauth/token', fields);
    expect((await use(body.access_token!)).status).toBe(200);
    await refused(fields);
    expect((await use(body.access_token!)).status).toBe(401);
    expect((await refreshing(body.refresh_token!)).status).toBe(400);
    const [event] = await api.sql`
      select actor_kind, data from audit_events where workspace_id = ${owner.workspace_id} and action = 'app.disconnected'`;
    expect(event).toEqual({ actor_kind: 'service', data: { reason: 'a code was used twice' } });
  });

  it('is exchanged by one of two concurrent requests', async () => {
    const fields = await connect();
    const answers = await Promise.all([send('/oauth/token', fields), send('/oauth/token', fields)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});

describe('the token endpoint rejects', () => {
  it.each([
    [{ grant_type: 'password' }, 400, 'unsupported_grant_type'],
    [{ grant_type: '' }, 400, 'invalid_request'],
    [{ code: '' }, 400, 'invalid_request'],
    [{ code_verifier: '' }, 400, 'invalid_request'],
    [{ client_id: '0'.repeat(32) }, 401, 'invalid_client'],
    [{ client_id: '' }, 401, 'invalid_client'],
    [{ client_secret: 'guess' }, 401, 'invalid_client'],
  ])('%o', async (change, status, error) => {
    const answer = await send('/oauth/token', {
      ...(await connect()),
      ...(change as unknown as Record<string, string>),
    });
    expect([answer.status, answer.body.error]).toEqual([status, error]);
  });

  it('an app with a secret that sends none, a wrong one, or two', async () => {
    const fields = await connect(owner, secretApp);
    expect((await send('/oauth/token', fields)).status).toBe(401);
    expect((await send('/oauth/token', { ...fields, client_secret: 'x'.repeat(43) })).status).toBe(401);
    const { client_id, client_secret } = secretApp;
    const basic = { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` };
    const twice = await send('/oauth/token', { ...fields, client_secret: client_secret! }, basic);
    expect([twice.status, twice.headers['www-authenticate']]).toEqual([401, 'Basic']);
    expect((await send('/oauth/token', fields, { authorization: 'Basic %%%' })).status).toBe(401);
  });

  it('repeated parameters and bodies that are no form', async () => {
    const fields = await connect();
    const payload = `${new URLSearchParams(fields)}&code=${fields.code}`;
    const answer = await request(api.http, { method: 'POST', url: '/oauth/token', headers: FORM, payload });
    expect([answer.status, parsed(answer).body.error]).toEqual([400, 'invalid_request']);
    for (const body of ['', '[]', 'null', '{"client_id":{}}']) {
      const headers = { 'content-type': 'application/json' };
      const odd = await request(api.http, { method: 'POST', url: '/oauth/token', headers, payload: body });
      expect(odd.status).toBe(401);
    }
  });
});

describe('an access token', () => {
  it('has the permissions of the user, and never more than a key', async () => {
    const viewer = await api.asUser('viewer', owner.workspace_id);
    const { access_token } = await tokensOf(viewer);
    expect((await use(access_token)).status).toBe(200);
    expect((await use(access_token, 'POST', '/agents', { name: 'A' })).status).toBe(403);
    const mine = await tokensOf();
    expect((await use(mine.access_token, 'GET', '/account')).body.detail).toContain('sign in, API keys are refused');
    const { body } = await use(mine.access_token, 'GET', '/auth/me');
    expect(body).toMatchObject({ credential: 'oauth_app', user: { id: owner.user_id }, key: null, role: 'developer' });
    expect(body.permissions).toContain('billing.view');
    expect(body.permissions).not.toContain('members.manage');
    const developer = await api.asUser('developer', owner.workspace_id);
    const me = await use((await tokensOf(developer)).access_token, 'GET', '/auth/me');
    expect(me.body.permissions).not.toContain('billing.view');
  });

  it('belongs to the chosen workspace, whatever the header says', async () => {
    const other = await api.newWorkspace();
    const { access_token } = await tokensOf();
    const headers = { authorization: `Bearer ${access_token}`, 'x-workspace-id': other.workspace_id };
    const { body } = await request(api.http, { method: 'GET', url: '/api/v1/auth/me', headers });
    expect(body.workspace.id).toBe(owner.workspace_id);
  });

  it('stops working when the membership, the app, the grant or its hour ends', async () => {
    const member = await api.asUser('developer', owner.workspace_id);
    const own = await tokensOf(member);
    await api.sql`delete from memberships where user_id = ${member.user_id}`;
    expect((await use(own.access_token)).status).toBe(401);

    const app = await register(false);
    const { body } = await send('/oauth/token', await connect(owner, app));
    expect((await use(body.access_token!)).status).toBe(200);
    expect(await disableOauthApp(api.sql, app.client_id, clock.wall())).toBe(true);
    expect((await use(body.access_token!)).status).toBe(401);
    expect((await refreshing(body.refresh_token!, app.client_id)).status).toBe(401);

    const old = await tokensOf();
    clock.forward(HOUR_MS);
    expect((await use(old.access_token)).status).toBe(401);
  });
});

describe('a refresh token', () => {
  it('works once; a second use revokes the grant', async () => {
    const first = await tokensOf();
    const { status, body } = await refreshing(first.refresh_token);
    expect(status).toBe(200);
    expect((await use(body.access_token!)).status).toBe(200);
    const again = await refreshing(first.refresh_token);
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    expect((await use(body.access_token!)).status).toBe(401);
    expect((await refreshing(body.refresh_token!)).status).toBe(400);
  });

  it('fails for another app, as an access token or after 30 days', async () => {
    const tokens = await tokensOf();
    expect((await refreshing(tokens.access_token)).status).toBe(400);
    expect((await use(tokens.refresh_token)).status).toBe(401);
    const other = await register(false);
    expect((await refreshing(tokens.refresh_token, other.client_id)).status).toBe(400);
    await api.sql`update oauth_tokens set expires_at = now() - interval '1 second' where kind = 'refresh'`;
    expect((await refreshing(tokens.refresh_token)).status).toBe(400);
  });
});

describe('ending a connection', () => {
  const revoke = (token: string, client_id = publicApp.client_id) => send('/oauth/revoke', { token, client_id });

  it('works for the app: an access token alone, a refresh token with its grant', async () => {
    const tokens = await tokensOf();
    expect((await revoke(tokens.access_token)).status).toBe(200);
    expect((await use(tokens.access_token)).status).toBe(401);
    const next = (await refreshing(tokens.refresh_token)).body;
    expect((await revoke(next.refresh_token!)).status).toBe(200);
    expect((await use(next.access_token!)).status).toBe(401);
    expect((await revoke('nonsense')).status).toBe(200);
    expect((await revoke('')).status).toBe(400);
  });

  it('fails for another app', async () => {
    const tokens = await tokensOf();
    const other = await register(false);
    expect((await revoke(tokens.access_token, other.client_id)).status).toBe(200);
    expect((await use(tokens.access_token)).status).toBe(200);
    expect((await revoke(tokens.access_token, '0'.repeat(32))).status).toBe(401);
  });

  it('works for the user, who sees a list', async () => {
    const user = await api.asUser('developer', owner.workspace_id);
    await connect(user);
    const tokens = await tokensOf(user);
    const outside = (method: 'GET' | 'DELETE', url: string, as = user) =>
      request(api.http, { method, url, headers: { authorization: `Bearer ${as.token}` } });
    const { body } = await outside('GET', '/api/connected-apps');
    expect(body).toEqual([
      {
        id: expect.any(String),
        app_id: publicApp.client_id,
        name: 'Sheets <b>',
        workspace_id: owner.workspace_id,
        workspace_name: 'Acme',
        created_at: expect.any(String),
        last_used_at: null,
      },
    ]);
    const url = `/api/connected-apps/${body[0].id}`;
    expect((await outside('DELETE', url, owner)).status).toBe(404);
    expect((await use(tokens.access_token)).status).toBe(200);
    expect((await outside('DELETE', url)).status).toBe(204);
    expect((await use(tokens.access_token)).status).toBe(401);
    expect((await outside('DELETE', url)).status).toBe(404);
    expect((await outside('GET', '/api/connected-apps')).body).toEqual([]);
  });
});

describe('what an app made', () => {
  /** An app with a webhook endpoint, and with a key that has made a key and a webhook endpoint. */
  async function appAndWhatItMade(user: UserClient, app = publicApp) {
    const { access_token } = (await send('/oauth/token', await connect(user, app))).body;
    const made = async (token: string, url: string, payload: object) =>
      (await use(token, 'POST', url, payload)).body as Record<string, string>;
    const { key: first } = await made(access_token!, '/keys', { name: 'of the app' });
    const { key: second } = await made(first!, '/keys', { name: 'of its key' });
    await made(access_token!, '/webhooks', { url: 'https://example.com/app' });
    await made(second!, '/webhooks', { url: 'https://example.com/key' });
    const keys = async () => Promise.all([first!, second!].map(async (key) => (await use(key)).status));
    const endpoints = async () =>
      (await user.send('GET', '/webhooks')).body.map(({ active }: { active: boolean }) => active);
    return { keys, endpoints };
  }

  async function ownerWhoseKeysMakeKeys() {
    const user = await api.asUser('owner');
    await api.sql`update workspaces set keys_may_make_keys = true where id = ${user.workspace_id}`;
    await confirmNow(user);
    await user.send('POST', '/webhooks', { url: 'https://example.com/own' });
    return user;
  }

  it('stops with the response of the removal, and nothing else does', async () => {
    const user = await ownerWhoseKeysMakeKeys();
    const { keys, endpoints } = await appAndWhatItMade(user);
    expect([await keys(), await endpoints()]).toEqual([
      [200, 200],
      [true, true, true],
    ]);
    const headers = { authorization: `Bearer ${user.token}` };
    const [connection] = (await request(api.http, { url: '/api/connected-apps', headers })).body;
    await request(api.http, { method: 'DELETE', url: `/api/connected-apps/${connection.id}`, headers });
    expect([await keys(), await endpoints()]).toEqual([
      [401, 401],
      [false, false, true],
    ]);
  });

  it('stops when the operator disables the app', async () => {
    const user = await ownerWhoseKeysMakeKeys();
    const app = await register(false);
    const { keys, endpoints } = await appAndWhatItMade(user, app);
    await disableOauthApp(api.sql, app.client_id, clock.wall());
    await credentialCachesExpired(systemClock);
    expect([await keys(), await endpoints()]).toEqual([
      [401, 401],
      [false, false, true],
    ]);
  });
});
