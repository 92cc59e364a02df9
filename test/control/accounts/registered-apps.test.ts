import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { request, startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';

/** OAuth apps that a workspace registers itself. */

const REDIRECT = 'https://crm.example.com/callback';
const VERIFIER = 'v'.repeat(43);
let api: TestApi;
let owner: UserClient;

beforeAll(async () => {
  api = await startTestApi();
  owner = await api.asUser('owner');
});

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

const apps = (user: UserClient, method: Method, path = '', payload?: object) =>
  request(api.http, {
    ...{ method, url: `/api/oauth-apps${path}`, headers: { authorization: `Bearer ${user.token}` } },
    ...(payload ? { payload } : {}),
  });

const register = async (fields: object = {}, user = owner) =>
  (await apps(user, 'POST', '', { name: 'CRM', redirect_uris: [REDIRECT], ...fields })).body;

const form = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  request(api.http, {
    ...{ method: 'POST', url, headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } },
    payload: new URLSearchParams(fields).toString(),
  });

const consentOf = (client_id: string) => ({
  ...{ response_type: 'code', client_id, redirect_uri: REDIRECT, state: 's', code_challenge_method: 'S256' },
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
});

/** Returns what the token endpoint says after the user has consented. */
async function connect({ client_id, client_secret }: Record<string, string>, user = owner) {
  const headers = { cookie: `__Host-session=${user.token}`, 'sec-fetch-site': 'same-origin' };
  const decision = { workspace_id: user.workspace_id, decision: 'allow' };
  const answer = await form('/oauth/authorize', { ...consentOf(client_id!), ...decision }, headers);
  const code = new URL(answer.headers.location!).searchParams.get('code')!;
  const grant = { grant_type: 'authorization_code', client_id: client_id!, code, redirect_uri: REDIRECT };
  const { status, body } = await form('/oauth/token', {
    ...{ ...grant, code_verifier: VERIFIER },
    ...(client_secret ? { client_secret } : {}),
  });
  return { status, ...(typeof body === 'string' ? JSON.parse(body) : (body as object)) };
}

const statusWith = async (token: string, method: Method, url: string, payload?: object) =>
  (
    await request(api.http, {
      ...{ method, url: `/api/v1${url}`, headers: { authorization: `Bearer ${token}` } },
      ...(payload ? { payload } : {}),
    })
  ).status;

describe('a workspace', () => {
  it('registers an app, whose secret is shown once and stored as a hash', async () => {
    const made = await apps(owner, 'POST', '', { name: ' CRM ', redirect_uris: [REDIRECT, REDIRECT] });
    expect([made.status, made.body]).toEqual([
      201,
      {
        ...{ client_id: expect.stringMatching(/^[a-f0-9]{32}$/), client_secret: expect.stringMatching(/^[\w-]{43}$/) },
        ...{ name: 'CRM', redirect_uris: [REDIRECT], confidential: true, scopes: null, connections: 0 },
        ...{ created_by: 'The owner', created_at: expect.any(String) },
      },
    ]);
    const { client_secret, ...shown } = made.body;
    expect((await apps(owner, 'GET')).body).toEqual([shown]);
    const [row] = await api.sql`select secret_hash from oauth_apps where id = ${shown.client_id}`;
    expect(row!.secret_hash).toEqual(createHash('sha256').update(client_secret).digest());
    expect((await connect(made.body)).status).toBe(200);
    expect((await connect({ ...made.body, client_secret: 'x'.repeat(43) })).status).toBe(401);
    expect((await apps(owner, 'GET')).body[0].connections).toBe(1);
  });

  it.each([
    [{ redirect_uris: ['http://crm.example.com'] }, 'begins with https'],
    [{ redirect_uris: [`${REDIRECT}#part`] }, 'fragment'],
    [{ redirect_uris: [] }, ''],
    [{ name: ' ' }, ''],
    [{ scopes: ['everything:write'] }, ''],
  ])('is refused %j', async (fields, text) => {
    const { status, body } = await apps(owner, 'POST', '', { name: 'CRM', redirect_uris: [REDIRECT], ...fields });
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining(text)]);
  });

  it('has 20 apps at most', async () => {
    const user = await api.asUser('admin');
    const statuses = await Promise.all(
      Array.from({ length: 22 }, async (_, at) => {
        const { status } = await apps(user, 'POST', '', { name: `App ${at}`, redirect_uris: [REDIRECT] });
        return status;
      }),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    expect(statuses.filter((status) => status === 409)).toHaveLength(2);
  });

  it('does so through its owners and admins, who have entered their password', async () => {
    const { client_id } = await register();
    for (const role of ['viewer', 'developer'] as const) {
      const user = await api.asUser(role, owner.workspace_id);
      expect((await apps(user, 'GET')).status).toBe(403);
      expect((await apps(user, 'DELETE', `/${client_id}`)).status).toBe(403);
    }
    const key = await api.newWorkspace();
    expect((await apps({ ...owner, token: key.key }, 'GET')).status).toBe(403);
    const admin = await api.asUser('admin', owner.workspace_id);
    await api.sql`update sessions set confirmed_at = now() - interval '1 hour' where id = ${admin.session_id}`;
    const changes = [
      apps(admin, 'POST', '', { name: 'CRM', redirect_uris: [REDIRECT] }),
      apps(admin, 'PATCH', `/${client_id}`, { name: 'X' }),
      apps(admin, 'POST', `/${client_id}/rotate-secret`),
    ];
    for (const { status, body } of await Promise.all(changes)) {
      expect([status, body.code]).toEqual([403, 'confirmation_required']);
    }
  });

  it("does not see another's apps, nor the operator's", async () => {
    const other = await api.asUser('owner');
    const { client_id } = await register({}, other);
    const found = await Promise.all([
      apps(owner, 'PATCH', `/${client_id}`, { name: 'X' }),
      apps(owner, 'POST', `/${client_id}/rotate-secret`),
      apps(owner, 'DELETE', `/${client_id}`),
    ]);
    expect(found.map(({ status }) => status)).toEqual([404, 404, 404]);
    const listed: { client_id: string }[] = (await apps(owner, 'GET')).body;
    expect(listed.map((each) => each.client_id)).not.toContain(client_id);
  });

  it('renames an app, changes its addresses, replaces its secret, and deletes it; all is audited', async () => {
    const user = await api.asUser('owner');
    const app = await register({}, user);
    const path = `/${app.client_id}`;
    const changed = await apps(user, 'PATCH', path, {
      name: 'Sheets',
      redirect_uris: [REDIRECT, 'http://localhost/cb'],
    });
    expect(changed.body).toMatchObject({ name: 'Sheets', redirect_uris: [REDIRECT, 'http://localhost/cb'] });
    const { body: rotated } = await apps(user, 'POST', `${path}/rotate-secret`);
    expect((await connect(app, user)).status).toBe(401);
    const { access_token } = await connect(rotated, user);
    expect(await statusWith(access_token, 'GET', '/agents')).toBe(200);
    expect((await apps(user, 'DELETE', path)).status).toBe(204);
    expect(await statusWith(access_token, 'GET', '/agents')).toBe(401);
    expect((await apps(user, 'GET')).body).toEqual([]);
    const events = await api.sql<{ action: string }[]>`
      select action from audit_events where workspace_id = ${user.workspace_id} and target_id = ${app.client_id}
      order by action`;
    expect(events.map(({ action }) => action)).toEqual([
      ...['app.connected', 'app.connected', 'app.created', 'app.deleted', 'app.disconnected'],
      ...['app.secret_rotated', 'app.updated'],
    ]);
  });

  it('ends the connections of an app that it deletes, which the audit trail of each workspace says', async () => {
    const app = await register();
    const other = await api.asUser('owner');
    const { access_token } = await connect(app, other);
    expect((await apps(owner, 'DELETE', `/${app.client_id}`)).status).toBe(204);
    expect(await statusWith(access_token, 'GET', '/agents')).toBe(401);
    const events = await api.sql`
      select actor_kind, target_name, data from audit_events
      where workspace_id = ${other.workspace_id} and action = 'app.disconnected' and target_id = ${app.client_id}`;
    expect(events).toEqual([{ actor_kind: 'service', target_name: 'CRM', data: { reason: 'the app was deleted' } }]);
  });

  it('has apps that work only while it may work itself', async () => {
    const user = await api.asUser('owner');
    const app = await register({}, user);
    const { access_token, refresh_token } = await connect(app);
    const pair = { client_id: app.client_id, client_secret: app.client_secret };
    const renewed = () => form('/oauth/token', { grant_type: 'refresh_token', refresh_token, ...pair });
    await api.sql`update workspaces set state = 'suspended' where id = ${user.workspace_id}`;
    expect(await statusWith(access_token, 'GET', '/agents')).toBe(401);
    expect((await renewed()).status).toBe(401);
    await api.sql`update workspaces set state = 'active' where id = ${user.workspace_id}`;
    expect((await renewed()).status).toBe(200);
  });

  it('registers a public app, which has no secret', async () => {
    const app = await register({ confidential: false });
    expect(app.client_secret).toBeNull();
    expect((await connect(app)).status).toBe(200);
    expect((await apps(owner, 'POST', `/${app.client_id}/rotate-secret`)).status).toBe(409);
  });
});

describe('an app with scopes', () => {
  it('does no more than they allow, and makes no keys', async () => {
    const user = await api.asUser('owner');
    await api.sql`update workspaces set keys_may_make_keys = true where id = ${user.workspace_id}`;
    const app = await register({ scopes: ['agents:read', 'keys:write', 'agents:read'] }, user);
    expect(app.scopes).toEqual(['agents:read', 'keys:write']);
    const { access_token } = await connect(app, user);
    expect(await statusWith(access_token, 'GET', '/agents')).toBe(200);
    expect(await statusWith(access_token, 'POST', '/agents', { name: 'By the app' })).toBe(403);
    expect(await statusWith(access_token, 'POST', '/keys', { name: 'more' })).toBe(403);
  });

  it('names them, and its workspace, to the person who connects it', async () => {
    const app = await register({ scopes: ['agents:read'] });
    const { body } = await request(api.http, {
      ...{ method: 'GET', url: `/oauth/authorize?${new URLSearchParams(consentOf(app.client_id))}` },
      headers: { cookie: `__Host-session=${owner.token}` },
    });
    expect(body).toContain('only this: agents:read');
    expect(body).toContain('registered by the workspace Acme');
  });
});

describe('the page of consent', () => {
  it('sends nobody to an address of a workspace without asking', async () => {
    const app = await register();
    const wanted = { ...consentOf(app.client_id), response_type: 'token' };
    const answer = await request(api.http, {
      ...{ method: 'GET', url: `/oauth/authorize?${new URLSearchParams(wanted)}` },
      headers: { cookie: `__Host-session=${owner.token}` },
    });
    expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
  });
});
