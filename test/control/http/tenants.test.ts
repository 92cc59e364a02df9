import { beforeAll, describe, expect, it } from 'vitest';
import { request, startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';
import { nameOf } from '../../support/endpoint-list.ts';
import { furnish } from '../../support/furnish.ts';
import { multipartForm } from '../../support/multipart-form.ts';
import { type ApiDocument, bodySchemaOf, operationsOf, sampleOf } from '../../support/openapi-samples.ts';
import { changedTablesReader, idsOf } from '../../support/table-contents.ts';

/** Workspaces are isolated: one requests everything that the other has, at every endpoint. */

let api: TestApi;
let document: ApiDocument;
let acme: UserClient;
let other: UserClient;

beforeAll(async () => {
  api = await startTestApi();
  document = (await request(api.http, { method: 'GET', url: '/openapi.json' })).body;
  acme = await api.asUser('owner');
  other = await api.asUser('owner');
  await furnish(api.sql, acme, '+919811110001');
  await furnish(api.sql, other, '+919811110002');
});

const UPLOAD = multipartForm([
  { name: 'name', value: 'X' },
  { name: 'file', value: 'phone\n+919811112222\n', file_name: 'x.csv' },
]);

/** Public by their link. */
const OPEN = [
  'GET /api/v1/agent-shares/{token}',
  'POST /api/v1/agent-shares/{token}/copy',
  'GET /api/v1/invites/{invite}',
];

/** The specification's own answer: whether a number is in use here is no secret, whose it is stays one. */
const KNOWN_TO_ALL = 'POST /api/v1/numbers/{number}/connect';

describe('two workspaces', () => {
  it('have resources of every kind', async () => {
    const tables = [...(await idsOf(api.sql, acme.workspace_id)).keys()];
    expect(tables).toEqual(
      expect.arrayContaining(['agents.id', 'calls.id', 'knowledge_bases.id', 'knowledge_sources.id', 'numbers.number']),
    );
  });

  it("get 404 for each other's ids, at every endpoint, and change nothing", async () => {
    const hidden = [...(await idsOf(api.sql, acme.workspace_id))];
    const changedTables = await changedTablesReader(api.sql);
    const found: string[] = [];
    for (const operation of operationsOf(document)) {
      const { method, path } = operation;
      const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
      if (names.length === 0 || OPEN.includes(nameOf(operation))) continue;
      const reads = bodySchemaOf(operation);
      const upload = reads?.type === 'multipart/form-data' ? UPLOAD : null;
      const body = upload ? upload.payload : reads ? sampleOf(document, reads.schema) : undefined;
      for (const [table, ids] of hidden) {
        const url = names.reduce((whole, name) => whole.replace(`{${name}}`, encodeURIComponent(ids[0]!)), path);
        const answer = await other.send(method, url.slice('/api/v1'.length), body, upload?.headers);
        // An invalid sample is rejected before anything is looked up. Removing a pin that does not exist succeeds.
        const unpinned = method === 'DELETE' && path.endsWith('/pin') && answer.status === 204;
        const inUse = nameOf(operation) === KNOWN_TO_ALL && answer.status === 409;
        if (![404, 422].includes(answer.status) && !unpinned && !inUse) {
          found.push(`${method} ${path} with ${table}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 100)}`);
        }
      }
    }
    expect([found, await changedTables()]).toEqual([[], []]);
  });

  it("find nothing of each other's in any list", async () => {
    const hidden = [...(await idsOf(api.sql, acme.workspace_id)).values()].flat();
    // A member who requested none of them before, as requests appear in the log of their own workspace.
    const stranger = await api.asUser('owner');
    const found: string[] = [];
    for (const { method, path } of operationsOf(document)) {
      if (method !== 'GET' || path.includes('{')) continue;
      const query = path.endsWith('/search') ? '?q=Agent' : '';
      const answer = await stranger.send('GET', path.slice('/api/v1'.length) + query);
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      for (const id of hidden) if (text.includes(id)) found.push(`${path} shows ${id}`);
    }
    expect(found).toEqual([]);
  });

  it('cannot be chosen by users who are no members', async () => {
    const { status, body } = await other.send('GET', '/agents', undefined, { 'x-workspace-id': acme.workspace_id });
    expect([status, body.detail]).toEqual([400, 'choose a workspace with X-Workspace-ID']);
  });
});
