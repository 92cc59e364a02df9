import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, type Response, request, startTestApi, type TestApi } from '../../support/control-app.ts';
import {
  addressOf,
  asked,
  type ListedEndpoint,
  listedEndpoints,
  nameOf,
  shapeOf,
} from '../../support/endpoint-list.ts';
import { type ApiDocument, bodySchemaOf, type NamedOperation, operationsOf } from '../../support/openapi-samples.ts';

/** Every endpoint of the specification's list, what they all have in common. */

/** How many of the 168 do not exist yet. It may only fall. */
const MISSING_AT_MOST = 0;

/** Beyond the list: what the specification's fields lead to. */
const EXTENSIONS = [
  'POST /api/v1/account/confirm',
  'GET /api/v1/account/passkeys',
  'POST /api/v1/account/passkeys',
  'POST /api/v1/account/passkeys/setup',
  'POST /api/v1/account/passkeys/challenge',
  'PATCH /api/v1/account/passkeys/{passkey_id}',
  'DELETE /api/v1/account/passkeys/{passkey_id}',
  'POST /api/v1/auth/login/passkey/challenge',
  'POST /api/v1/auth/login/passkey',
  'GET /api/v1/agents/{agent_id}/canary',
  'PUT /api/v1/agents/{agent_id}/canary',
  'DELETE /api/v1/agents/{agent_id}/canary',
  'POST /api/v1/agents/{agent_id}/canary/promote',
  'POST /api/v1/agents/{agent_id}/versions',
  'PATCH /api/v1/workspace/security',
  'POST /api/v1/keys/{key_id}/rotate',
  'POST /api/v1/calls/{call_id}/recording/pause',
  'POST /api/v1/calls/{call_id}/recording/resume',
  'POST /api/v1/calls/{call_id}/say',
  'POST /api/v1/calls/{call_id}/instructions',
  'POST /api/v1/calls/{call_id}/variables',
  'POST /api/v1/calls/{call_id}/mute',
  'POST /api/v1/calls/{call_id}/dtmf',
  'POST /api/v1/calls/{call_id}/transfer',
  'POST /api/v1/calls/{call_id}/hand-back',
  'GET /api/v1/test-runs/{run_id}/recording',
  'GET /api/v1/workspace/exports',
  'POST /api/v1/workspace/exports',
  'GET /api/v1/workspace/exports/{export_id}/download',
  'DELETE /api/v1/workspace/exports/{export_id}',
  'POST /api/v1/workspace/erasures',
  'POST /api/v1/tools/mcp',
  'POST /api/v1/agents/{agent_id}/stream-call',
  'POST /api/v1/calls/{call_id}/listen',
  'POST /api/v1/calls/{call_id}/whisper',
  'POST /api/v1/calls/{call_id}/take-over',
];

/** The table of the specification, independent of the program's. */
const ROLES = {
  viewer: ['agents.view', 'calls.view', 'logs.view', 'members.view'],
  developer: ['agents.view', 'calls.view', 'logs.view', 'members.view', 'agents.edit', 'calls.place', 'keys.manage'],
  admin: [
    ...['agents.view', 'calls.view', 'logs.view', 'members.view', 'agents.edit', 'calls.place', 'keys.manage'],
    ...['billing.view', 'numbers.manage', 'members.manage'],
  ],
  owner: [
    ...['agents.view', 'calls.view', 'logs.view', 'members.view', 'agents.edit', 'calls.place', 'keys.manage'],
    ...['billing.view', 'numbers.manage', 'members.manage', 'billing.manage', 'kyc.manage'],
  ],
  key: [
    ...['agents.view', 'calls.view', 'logs.view', 'members.view', 'agents.edit', 'calls.place', 'keys.manage'],
    'billing.view',
  ],
} as const;
type Holder = keyof typeof ROLES;
const HOLDERS = Object.keys(ROLES) as Holder[];

const listed = listedEndpoints();
let api: TestApi;
let document: ApiDocument;
let existing: (ListedEndpoint & { operation: NamedOperation })[];
let missing: string[];

beforeAll(async () => {
  api = await startTestApi();
  document = (await request(api.http, { method: 'GET', url: '/openapi.json' })).body;
  const operations = new Map(operationsOf(document).map((each) => [`${each.method} ${shapeOf(each.path)}`, each]));
  const found = listed.map((row) => ({ ...row, operation: operations.get(`${row.method} ${shapeOf(row.path)}`) }));
  existing = found.filter((row): row is (typeof existing)[number] => row.operation !== undefined);
  missing = found.filter(({ operation }) => !operation).map(nameOf);
});

const isUpload = ({ operation }: { operation: NamedOperation }) =>
  bodySchemaOf(operation)?.type === 'multipart/form-data';

/** Collects the problems of all endpoints, so that one run shows them all. */
async function wrongs(
  rows: readonly (typeof existing)[number][],
  look: (row: (typeof existing)[number]) => Promise<string | null>,
): Promise<string[]> {
  const found: string[] = [];
  for (const row of rows) {
    const wrong = await look(row);
    if (wrong !== null) found.push(`${nameOf(row)}: ${wrong}`);
  }
  return found;
}

const summary = ({ status, body }: Response<unknown>) => `${status} ${JSON.stringify(body)?.slice(0, 120)}`;

async function holder(role: Holder): Promise<Client> {
  const workspace = await api.newWorkspace();
  // As in the specification; the workspace's default is stricter, see credential-matrix.test.ts.
  await api.sql`update workspaces set keys_may_make_keys = true where id = ${workspace.workspace_id}`;
  return role === 'key' ? workspace : api.asUser(role, workspace.workspace_id);
}

describe('the endpoints of the list', () => {
  it('are 168', () => {
    expect(listed).toHaveLength(168);
    expect(new Set(listed.map(nameOf)).size).toBe(168);
  });

  it('that are missing do not increase', () => {
    expect(missing.length, missing.join('\n')).toBeLessThanOrEqual(MISSING_AT_MOST);
  });

  it('are those of the OpenAPI document, with the extensions', () => {
    const shapes = new Set(listed.map((row) => `${row.method} ${shapeOf(row.path)}`));
    const others = operationsOf(document).filter(({ method, path }) => !shapes.has(`${method} ${shapeOf(path)}`));
    expect(others.map(nameOf)).toEqual(EXTENSIONS);
  });

  it('have the success status and the tag of the list', async () => {
    const found = await wrongs(existing, async ({ operation, success_status, group }) => {
      const success = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
      const is = `${success.join()} in ${operation.tags?.join()}`;
      return is === `${success_status} in ${group}` ? null : `${is} instead of ${success_status} in ${group}`;
    });
    expect(found).toEqual([]);
  });
});

describe('without a credential', () => {
  it('every endpoint that needs one responds 401 with WWW-Authenticate', async () => {
    const nobody = async (row: ListedEndpoint, headers: Record<string, string>) =>
      request(api.http, { method: row.method as 'GET', url: `/api/v1${addressOf(row.path)}`, headers });
    const found = await wrongs(existing, async (row) => {
      if (row.credential === 'public') return null;
      for (const [headers, detail] of [
        [{}, 'not signed in'],
        [{ authorization: 'Bearer svcs_nonsense' }, 'invalid, expired or revoked credentials'],
      ] as const) {
        const response = await nobody(row, headers as Record<string, string>);
        const right = response.status === 401 && response.body.detail === detail;
        if (!right || response.headers['www-authenticate'] !== 'Bearer') return summary(response);
      }
      return null;
    });
    expect(found).toEqual([]);
  });

  it('a public endpoint works', async () => {
    const found = await wrongs(existing, async (row) => {
      if (row.credential !== 'public') return null;
      const response = await request(api.http, {
        ...{ method: row.method as 'GET', url: `/api/v1${addressOf(row.path)}` },
        ...(row.method === 'GET' ? {} : { payload: [] as unknown as object }),
      });
      return [404, 422].includes(response.status) ? null : summary(response);
    });
    expect(found).toEqual([]);
  });
});

describe.each(HOLDERS)('the permissions of %s', (role) => {
  it('are those of the table, at every endpoint', async () => {
    const mine: readonly string[] = ROLES[role];
    let client = await holder(role);
    const found = await wrongs(existing, async (row) => {
      if (row.credential === 'public') return null;
      const response = await asked(client, row);
      // Some end the session of the request, or close its account.
      if (row.permission === 'any session') client = await holder(role);
      const { permission, credential } = row;
      const refused = role === 'key' && credential === 'session';
      const lacking = !permission.startsWith('any ') && !mine.includes(permission);
      const named = permission.startsWith('any ') ? '' : ` (${permission})`;
      const start = `your role cannot do this${named}`;
      if (refused) {
        const right = response.status === 403 && response.body.detail === `${start}: sign in, API keys are refused`;
        return right ? null : summary(response);
      }
      if (lacking) return response.status === 403 && response.body.detail.startsWith(start) ? null : summary(response);
      return [401, 403, 500].includes(response.status) ? summary(response) : null;
    });
    expect(found).toEqual([]);
  });
});

describe('a workspace that is not active', () => {
  it('gets 403 from the endpoints that need an active one, after the permission', async () => {
    let owner = await api.signUp();
    const viewer = await api.asUser('viewer', owner.workspace_id);
    const found = await wrongs(existing, async (row) => {
      if (row.credential === 'public') return null;
      const response = await asked(owner, row);
      if (row.permission === 'any session') owner = await api.signUp();
      const inactive = response.status === 403 && response.body.code === 'workspace_inactive';
      if (inactive !== (row.works_before_activation === 'no')) return summary(response);
      if (inactive && response.body.detail !== 'workspace not active') return summary(response);
      if (row.permission.startsWith('any ') || (ROLES.viewer as readonly string[]).includes(row.permission))
        return null;
      const lacking = await asked(viewer, row);
      return lacking.body.detail?.startsWith('your role') ? null : summary(lacking);
    });
    expect(found).toEqual([]);
  });
});

describe('an unknown time zone', () => {
  it('is a 400 at every endpoint, before the credential is checked', async () => {
    const found = await wrongs(existing, async (row) => {
      const method = row.method as 'GET';
      const response = await request(api.http, { method, url: `/api/v1${addressOf(row.path)}?timezone=Mars/Base` });
      const detail = 'unknown timezone "Mars/Base": use an IANA name such as Asia/Kolkata or UTC';
      const right = response.status === 400 && response.body.detail === detail;
      return right && response.headers['x-timezone'] === 'Asia/Kolkata' ? null : summary(response);
    });
    expect(found).toEqual([]);
  });
});

describe('a resource that does not exist', () => {
  it('is a 404 where no body is read', async () => {
    const owner = await api.asUser('owner');
    const found = await wrongs(existing, async (row) => {
      if (!row.path.includes('{') || bodySchemaOf(row.operation)) return null;
      const response = await asked(owner, row);
      return response.status === 404 ? null : summary(response);
    });
    // Removing a pin that does not exist succeeds.
    expect(found.filter((each) => !/\/pin:/.test(each))).toEqual([]);
  });
});

describe('a body of the wrong shape', () => {
  it('is a 422 with items, at every endpoint that reads one', async () => {
    const owner = await api.asUser('owner');
    const found = await wrongs(existing, async (row) => {
      if (!bodySchemaOf(row.operation) || isUpload(row)) return null;
      const response = await asked(owner, row);
      if (row.method === 'DELETE') return null;
      const item = Array.isArray(response.body.detail) ? response.body.detail[0] : null;
      const right = response.status === 422 && item?.type === 'dict_type' && item.loc[0] === 'body';
      return right && typeof item.msg === 'string' && 'input' in item ? null : summary(response);
    });
    expect(found).toEqual([]);
  });

  it('is a 415 where a file is uploaded', async () => {
    const owner = await api.asUser('owner');
    const found = await wrongs(existing, async (row) => {
      if (!isUpload(row)) return null;
      const response = await asked(owner, row);
      return response.status === 415 ? null : summary(response);
    });
    expect(found).toEqual([]);
  });

  it('is a 422 for a page that is too long', async () => {
    const owner = await api.asUser('owner');
    const found = await wrongs(existing, async (row) => {
      const { parameters = [] } = row.operation;
      if (!parameters.some((each) => each.in === 'query' && each.name === 'limit')) return null;
      const response = await owner.send('GET', `${addressOf(row.path)}?limit=100000`);
      const [item] = Array.isArray(response.body.detail) ? response.body.detail : [null];
      const right = response.status === 422 && item?.type === 'less_than_equal';
      return right && item.loc.join('.') === 'query.limit' && item.input === '100000' ? null : summary(response);
    });
    expect(found).toEqual([]);
  });
});
