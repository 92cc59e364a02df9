import { beforeAll, expect, it } from 'vitest';
import { anyRequest } from '../../fuzz/api-requests.ts';
import { createDraws } from '../../fuzz/draws.ts';
import { request, startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';
import { nameOf } from '../../support/endpoint-list.ts';
import { furnish } from '../../support/furnish.ts';
import { type ApiDocument, operationsOf } from '../../support/openapi-samples.ts';
import { changedTablesReader, idsOf } from '../../support/table-contents.ts';

/**
 * A request that fails changes nothing, whatever is sent; `make fuzz` sends more of them. The seed is fixed so that runs are
 * reproducible; SEED changes it, RUNS sets the requests of each endpoint.
 */

const SEED = Number(process.env.SEED ?? 20_260_101);
const RUNS = Number(process.env.RUNS ?? 8);

let api: TestApi;
let document: ApiDocument;
let owner: UserClient;
let ids: Map<string, string[]>;

beforeAll(async () => {
  api = await startTestApi();
  document = (await request(api.http, { method: 'GET', url: '/openapi.json' })).body;
  owner = await api.asUser('owner');
  await furnish(api.sql, owner, '+919811110001');
  ids = await idsOf(api.sql, owner.workspace_id);
});

it('changes nothing when it is rejected, and never causes a 500', async () => {
  const changedTables = await changedTablesReader(api.sql);
  const draws = createDraws(SEED);
  const found: string[] = [];
  const changedByAccepted = new Set<string>();
  for (const operation of operationsOf(document)) {
    // Signing in is slow by design, and these end the session of the test.
    if (/\/auth\/|\/account$|sessions/.test(operation.path) && operation.method !== 'GET') continue;
    for (let run = 0; run < RUNS; run++) {
      const { method, path, headers, body } = anyRequest(draws, { document, ids }, operation);
      for (const name of ['authorization', 'x-api-key', 'x-workspace-id']) delete headers[name];
      const answer = await owner.send(method, path.slice('/api/v1'.length), body, headers);
      const changed = await changedTables();
      const sent = `${nameOf(operation)} ${path.slice(0, 200)} ${body?.toString().slice(0, 300)}`;
      // 502: no third party is available in tests.
      if (answer.status >= 500 && answer.status !== 502) found.push(`${answer.status} ${sent}`);
      if (answer.status < 400) for (const table of changed) changedByAccepted.add(table);
      else if (changed.length > 0) found.push(`${answer.status} changed ${changed}: ${sent}`);
    }
  }
  expect(found).toEqual([]);
  // Changes are recorded at all.
  expect([...changedByAccepted]).toContain('agents');
}, 300_000);
