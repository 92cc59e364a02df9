import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../shared/ids.ts';
import { request, startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';
import { nameOf } from '../../support/endpoint-list.ts';
import {
  type ApiDocument,
  bodySchemaOf,
  type NamedOperation,
  operationsOf,
  resolved,
  type Schema,
  sampleOf,
} from '../../support/openapi-samples.ts';
import { changedTablesReader, idsOf } from '../../support/table-contents.ts';

/**
 * No input to any endpoint causes a 500, and a request that fails changes nothing. The seed is fixed so that runs are
 * reproducible; PROPERTY_SEED changes it, PROPERTY_RUNS sets the number of runs.
 */

const seed = Number(process.env.PROPERTY_SEED ?? 20_260_101);
const RUNS = Number(process.env.PROPERTY_RUNS ?? 6);

let api: TestApi;
let document: ApiDocument;
let owner: UserClient;
let ids: string[];

beforeAll(async () => {
  api = await startTestApi();
  document = (await request(api.http, { method: 'GET', url: '/openapi.json' })).body;
  owner = await api.asUser('owner');
  await api.sql`insert into numbers ${api.sql({
    ...{ number: '+919811110001', workspace_id: owner.workspace_id, agent_id: null, provider: 'twilio' },
    created_at: new Date(),
  })}`;
  const agent = await owner.send('POST', '/agents', { name: 'Asha' });
  await owner.send('POST', `/agents/${agent.body.id}/call`, { to_number: '+919811112222' });
  const base = await owner.send('POST', '/knowledge-bases', { name: 'Base' });
  await owner.send('POST', `/knowledge-bases/${base.body.id}/sources/text`, { name: 'T', text: 'One. Two.' });
  ids = [...(await idsOf(api.sql, owner.workspace_id)).values()].flat();
});

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', ' ', '0', '-1', '1e400', 'null', '%', '%00', '../..', "'; --", '\u0000', '+919811112222', 'hi'),
);
const anyJson = fc.oneof({ weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) }, { weight: 1, arbitrary: text });
const id = () => fc.constantFrom(...ids, newId(), 'x', '0', '99999999999999999999', 'office', '%2B919811110001');

/** A valid body, with some of its fields replaced by anything. */
function bent(schema: Schema): fc.Arbitrary<unknown> {
  const fitting = sampleOf(document, schema);
  const names = Object.keys(resolved(document, schema).properties ?? {});
  if (names.length === 0) return anyJson;
  const fields = fc.dictionary(fc.constantFrom(...names), fc.oneof(anyJson, id(), fc.integer()), { maxKeys: 4 });
  return fc.oneof(
    anyJson,
    fields.map((changed) => ({ ...(fitting as object), ...changed })),
  );
}

interface Sent {
  url: string;
  body: unknown;
  headers: Record<string, string>;
}

function anyRequest(operation: NamedOperation): fc.Arbitrary<Sent> {
  const { path, parameters = [] } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  const inQuery = parameters.filter((each) => each.in === 'query').map((each) => each.name);
  const reads = bodySchemaOf(operation);
  return fc.record({
    url: fc
      .tuple(
        fc.array(fc.oneof({ weight: 5, arbitrary: id() }, { weight: 1, arbitrary: text }), {
          minLength: inPath.length,
          maxLength: inPath.length,
        }),
        fc.dictionary(fc.constantFrom(...inQuery), fc.oneof(text, id()), { maxKeys: 3 }),
      )
      .map(([values, query]) => {
        const shown = (value: string) => (/^[\w%-]+$/.test(value) ? value : encoded(value)) || 'x';
        const url = inPath.reduce((whole, name, at) => whole.replace(`{${name}}`, () => shown(values[at]!)), path);
        const { timezone: _zone, ...asked } = query;
        const pairs = Object.entries(asked).map(([name, value]) => `${name}=${encoded(value)}`);
        return `${url.slice('/api/v1'.length)}${pairs.length > 0 ? '?' : ''}${pairs.join('&')}`;
      }),
    body: reads ? bent(reads.schema) : fc.constant(undefined),
    headers: fc.dictionary(
      fc.constantFrom('if-match', 'idempotency-key', 'x-workspace-id'),
      fc.constantFrom('1', 'x', '"9"'),
      {
        maxKeys: 1,
      },
    ),
  });
}

const encoded = (value: string) => encodeURIComponent(value.toWellFormed());

describe('any input', () => {
  it('never causes a 500, and changes nothing when it is rejected', async () => {
    const changedTables = await changedTablesReader(api.sql);
    const found: string[] = [];
    const changedByAccepted = new Set<string>();
    for (const operation of operationsOf(document)) {
      // Signing in is slow by design, and these end the session of the test.
      if (/\/auth\/|\/account$|sessions/.test(operation.path) && operation.method !== 'GET') continue;
      for (const { url, body, headers } of fc.sample(anyRequest(operation), { numRuns: RUNS, seed })) {
        const upload = bodySchemaOf(operation)?.type === 'multipart/form-data';
        const answer = await owner.send(operation.method, url, body === undefined ? undefined : JSON.stringify(body), {
          ...headers,
          ...(body === undefined
            ? {}
            : { 'content-type': upload ? 'multipart/form-data; boundary=x' : 'application/json' }),
        });
        const changed = await changedTables();
        const sent = `${nameOf(operation)} ${url} ${JSON.stringify(body)?.slice(0, 300)}`;
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
});
