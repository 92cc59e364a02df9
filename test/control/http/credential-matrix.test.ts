import { beforeAll, describe, expect, it } from 'vitest';
import { disableOauthApp, registerOauthApp } from '../../../control/accounts/oauth.ts';
import { insertGrant, insertOauthToken } from '../../../control/accounts/oauth-store.ts';
import { hashOfToken, newToken } from '../../../control/accounts/secret-token.ts';
import { credentialCachesExpired } from '../../../control/http/credential-cache.ts';
import { SCOPES, type Scope } from '../../../control/http/scopes.ts';
import { createKey } from '../../../control/workspaces/keys.ts';
import type { KeyLimits } from '../../../control/workspaces/keys-store.ts';
import { systemClock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import { type Client, type Response, request, startTestApi, type TestApi } from '../../support/control-app.ts';
import { asked, nameOf } from '../../support/endpoint-list.ts';
import { type ApiDocument, type NamedOperation, operationsOf } from '../../support/openapi-samples.ts';

/**
 * Every endpoint × credentials that are over, limited, of another workspace or not confirmed. What roles may do at each is in
 * endpoints.test.ts, and that ids of another workspace do not exist in tenants.test.ts.
 */

let api: TestApi;
let acme: Client;
let operations: NamedOperation[];

beforeAll(async () => {
  api = await startTestApi();
  acme = await api.newWorkspace();
  const document: ApiDocument = (await request(api.http, { method: 'GET', url: '/openapi.json' })).body;
  operations = operationsOf(document);
});

const isPublic = ({ security }: NamedOperation) => security?.length === 0;
const takesKeys = ({ security = [] }: NamedOperation) => security.some((each) => 'apiKey' in each);
const scopeOf = ({ description = '' }: NamedOperation) => /Scope of a limited key: ([\w:]+)/.exec(description)?.[1];
const needsConfirmation = ({ description = '' }: NamedOperation) => description.includes('last 15 minutes');

/** The endpoints at which the response is not the right one. */
async function wrongs(
  among: readonly NamedOperation[],
  look: (
    operation: NamedOperation,
  ) => Promise<[Response<{ detail: unknown }>, (response: Response<{ detail: string }>) => boolean]>,
): Promise<string[]> {
  const found: string[] = [];
  for (const operation of among) {
    const [response, isRight] = await look(operation);
    const { status, body } = response;
    if (!isRight(response as Response<{ detail: string }>)) {
      found.push(`${nameOf(operation)}: ${status} ${JSON.stringify(body)?.slice(0, 120)}`);
    }
  }
  return found;
}

function bearer(token: string, workspace_id = acme.workspace_id): Client {
  const send: Client['send'] = (method, url, body, headers = {}) =>
    request(api.http, {
      ...{ method: method as 'GET', url: `/api/v1${url}` },
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body === undefined ? {} : { payload: body as object }),
    });
  return { workspace_id, key: token, send };
}

async function key(limits: Partial<KeyLimits> = {}): Promise<Client & { id: string }> {
  const wanted = { workspace_id: acme.workspace_id, name: 'limited', created_by: 'tests', ...limits };
  const made = await createKey(api.sql, Date.now(), wanted);
  return { ...bearer(made!.key), id: made!.record.id };
}

const ago = (ms: number) => new Date(Date.now() - ms);

async function appToken(expires_at = new Date(Date.now() + 60_000)): Promise<{ client: Client; app_id: string }> {
  const user = await api.asUser('owner', acme.workspace_id);
  const wanted = { name: 'App', redirect_uris: ['https://app.example.com'], confidential: false };
  const app = (await registerOauthApp(api.sql, wanted, Date.now())) as { client_id: string };
  const [grant_id, token] = [newId(), newToken('svco_')];
  const base = { workspace_id: acme.workspace_id, created_at: ago(3_600_000) };
  await insertGrant(api.sql, { ...base, id: grant_id, app_id: app.client_id, user_id: user.user_id });
  await insertOauthToken(api.sql, hashOfToken(token), { ...base, grant_id, kind: 'access', expires_at });
  return { client: bearer(token), app_id: app.client_id };
}

async function session(change: { expires_at?: Date; revoked_at?: Date; confirmed_at?: Date }) {
  const user = await api.asUser('owner', acme.workspace_id);
  await api.sql`update sessions set ${api.sql(change)} where id = ${user.session_id}`;
  return user;
}

const OVER: Record<string, () => Promise<Client>> = {
  'a key after its end': () => key({ expires_at: ago(1) }),
  'a key that was revoked': async () => {
    const revoked = await key();
    await api.sql`update api_keys set revoked_at = now() where id = ${revoked.id}`;
    return revoked;
  },
  'a session after its end': () => session({ expires_at: ago(1) }),
  'a session that was ended': () => session({ revoked_at: ago(1) }),
  'the token of an app after its end': async () => (await appToken(ago(1))).client,
  'the token of a disabled app': async () => {
    const { client, app_id } = await appToken();
    await disableOauthApp(api.sql, app_id, Date.now());
    return client;
  },
};

describe.each(Object.keys(OVER))('%s', (name) => {
  it('is a 401 at every endpoint', async () => {
    const client = await OVER[name]!();
    const found = await wrongs(
      operations.filter((each) => !isPublic(each)),
      async (operation) => [await asked(client, operation), ({ status }) => status === 401],
    );
    expect(found).toEqual([]);
  });
});

describe('a key with an address list', () => {
  it('is a 403 from elsewhere at every endpoint', async () => {
    const client = await key({ allowed_addresses: ['203.0.113.0/24'] });
    const found = await wrongs(
      operations.filter((each) => !isPublic(each)),
      async (operation) => [
        await asked(client, operation),
        ({ status, body }) => status === 403 && body.detail === 'this key is not accepted from 127.0.0.1',
      ],
    );
    expect(found).toEqual([]);
  });
});

describe('a key with scopes', () => {
  it('is refused at every endpoint of another scope, and at no other for its scope', async () => {
    const [only, allBut] = [new Map<string, Client>(), new Map<string, Client>()];
    for (const scope of SCOPES) {
      only.set(scope, await key({ scopes: [scope] }));
      await api.sql`update api_keys set replaced_by = id where workspace_id = ${acme.workspace_id}`;
      allBut.set(scope, await key({ scopes: SCOPES.filter((each) => each !== scope) }));
    }
    const scoped = operations.filter((each) => scopeOf(each));
    const lacks = (scope: string) => `the key lacks the scope ${scope}`;
    const found = [
      ...(await wrongs(scoped, async (operation) => [
        await asked(only.get(scopeOf(operation)!)!, operation),
        ({ body }) => !String(body?.detail).includes('scope'),
      ])),
      ...(await wrongs(scoped, async (operation) => [
        await asked(allBut.get(scopeOf(operation)!)!, operation),
        ({ status, body }) => status === 403 && body.detail.endsWith(lacks(scopeOf(operation)!)),
      ])),
    ];
    expect(found).toEqual([]);
  });

  it('may be limited to what some endpoint needs, and every endpoint of keys needs one', () => {
    expect(new Set(operations.map(scopeOf).filter((scope) => scope !== undefined))).toEqual(new Set<Scope>(SCOPES));
    const without = operations.filter((each) => takesKeys(each) && !scopeOf(each)).map(nameOf);
    expect(without).toEqual(['GET /api/v1/auth/me']);
  });
});

describe('a viewer', () => {
  it('is refused at every endpoint of another permission, also beyond the specification', async () => {
    const viewer = await api.asUser('viewer', acme.workspace_id);
    const mine = ['agents.view', 'calls.view', 'logs.view', 'members.view'];
    const permissionOf = ({ description = '' }: NamedOperation) => /^Permission: ([\w.]+)\./.exec(description)?.[1];
    const others = operations.filter((each) => permissionOf(each) && !mine.includes(permissionOf(each)!));
    const found = await wrongs(others, async (operation) => [
      await asked(viewer, operation),
      ({ status, body }) =>
        status === 403 && body.detail.startsWith(`your role cannot do this (${permissionOf(operation)})`),
    ]);
    expect([others.length > 80, found]).toEqual([true, []]);
  });
});

describe('a member of another workspace', () => {
  it('cannot choose this one at any endpoint', async () => {
    const stranger = await api.asUser('owner');
    const inWorkspace = operations.filter(({ description = '' }) => description.startsWith('Permission'));
    const found = await wrongs(inWorkspace, async (operation) => [
      await asked(stranger, operation, { 'x-workspace-id': acme.workspace_id }),
      ({ status }) => status === 400,
    ]);
    expect([inWorkspace.length > 140, found]).toEqual([true, []]);
  });
});

describe('where a confirmed person is asked for', () => {
  const CONFIRMED = [
    'PATCH /api/v1/workspace/security',
    'POST /api/v1/workspace/exports',
    'POST /api/v1/workspace/erasures',
    'GET /api/v1/workspace/exports/{export_id}/download',
    'PATCH /api/v1/members/{user_id}',
    'DELETE /api/v1/members/{user_id}',
    'POST /api/v1/invites',
    'POST /api/v1/keys',
    'POST /api/v1/keys/{key_id}/rotate',
    'POST /api/v1/account/passkeys',
    'POST /api/v1/account/passkeys/setup',
    'DELETE /api/v1/account/passkeys/{passkey_id}',
  ];
  /** What shows a secret of webhooks: keys get it as specified. */
  const CONFIRMED_SESSIONS = [
    'POST /api/v1/webhooks',
    'POST /api/v1/webhooks/default-secret/rotate',
    'POST /api/v1/webhooks/{endpoint_id}/rotate-secret',
  ];

  it('these endpoints do', () => {
    expect(operations.filter(needsConfirmation).map(nameOf).toSorted()).toEqual(
      [...CONFIRMED, ...CONFIRMED_SESSIONS].toSorted(),
    );
  });

  it('a session whose password was entered 15 minutes ago is a 403 at those of the account, which no workspace waives', async () => {
    const stale = await session({ confirmed_at: ago(15 * 60_000) });
    await api.sql`update workspaces set confirm_password = false where id = ${acme.workspace_id}`;
    const found = await wrongs(
      operations.filter(({ path }) => path.startsWith('/api/v1/account/passkeys')),
      async (operation) => [
        await asked(stale, operation),
        ({ status, body }) =>
          (status === 403 && 'code' in body && body.code === 'confirmation_required') === needsConfirmation(operation),
      ],
    );
    await api.sql`update workspaces set confirm_password = true where id = ${acme.workspace_id}`;
    expect(found).toEqual([]);
  });

  it('keys need no confirmation for the secrets of webhooks', async () => {
    const found = await wrongs(
      operations.filter((each) => CONFIRMED_SESSIONS.includes(nameOf(each))),
      async (operation) => [await asked(acme, operation), ({ status }) => status !== 403],
    );
    expect(found).toEqual([]);
  });

  it('a session whose password was entered 15 minutes ago is a 403 there, unless the workspace waives it', async () => {
    const stale = await session({ confirmed_at: ago(15 * 60_000) });
    const found = await wrongs(
      operations.filter(({ path }) => !/account|auth/.test(path) && path !== '/api/v1/invites/{invite}/accept'),
      async (operation) => [
        await asked(stale, operation),
        ({ status, body }) =>
          (status === 403 && 'code' in body && body.code === 'confirmation_required') === needsConfirmation(operation),
      ],
    );
    expect(found).toEqual([]);
    await api.sql`update workspaces set confirm_password = false where id = ${acme.workspace_id}`;
    expect((await stale.send('POST', '/keys', {})).status).toBe(422);
    await api.sql`update workspaces set confirm_password = true where id = ${acme.workspace_id}`;
  });

  it('keys and apps are a 403 there, unless the workspace lets them make keys', async () => {
    const [limited, { client: app }] = [await key({ scopes: [...SCOPES] }), await appToken()];
    const refused = async (client: Client) => {
      const { status, body } = await client.send('POST', '/keys', {});
      return status === 403 && body.detail === 'your role cannot do this (keys.manage): sign in, API keys are refused';
    };
    expect([await refused(acme), await refused(limited), await refused(app)]).toEqual([true, true, true]);
    await api.sql`update workspaces set keys_may_make_keys = true where id = ${acme.workspace_id}`;
    await credentialCachesExpired(systemClock);
    expect([await refused(acme), await refused(limited), await refused(app)]).toEqual([false, true, false]);
  });
});
