import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, request, startTestApi, type TestApi } from '../../support/control-app.ts';
import { nameOf } from '../../support/endpoint-list.ts';
import { type ApiDocument, bodySchemaOf, operationsOf, sampleOf } from '../../support/openapi-samples.ts';

/** Input that only attackers and fuzzers send. */

let api: TestApi;
let acme: Client;

beforeAll(async () => {
  api = await startTestApi();
  acme = await api.newWorkspace();
});

const NO_TIME = { type: 'value_error', msg: 'Input should be an ISO 8601 time' };

describe('a time out of range', () => {
  const lists = ['/calls', '/calls/export', '/webhooks/deliveries', '/audit-events', '/logs', '/observability/summary'];
  // The last two leave their century, or the years of four digits, by their offset.
  const times = ['0000-01-01', '0001-01-01T00:00:00+18:00', '9999-12-31T23:59:59-18:00'];

  it.each(lists)('is rejected by %s', async (path) => {
    for (const time of times) {
      for (const name of ['since', 'until']) {
        const { status, body } = await acme.send('GET', `${path}?${name}=${encodeURIComponent(time)}`);
        expect([time, status, body.detail[0]]).toEqual([time, 422, { ...NO_TIME, loc: ['query', name], input: time }]);
      }
    }
  });

  it.each(lists)('is accepted by %s at the ends of the range', async (path) => {
    for (const query of ['since=1900-01-01T00:00:00Z', 'until=9999-12-31T23:59:59Z', 'until=1900-01-01T00:00:00Z']) {
      const { status, body } = await acme.send('GET', `${path}?${query}`);
      // A period longer than the summary's maximum has an error of its own.
      const words = body?.detail?.[0]?.msg ?? '';
      expect([query, status < 300 || (status === 422 && words.startsWith('the period'))]).toEqual([query, true]);
    }
  });

  it('does not break the summary of the last days', async () => {
    const { status, body } = await acme.send('GET', '/observability/summary?until=9999-12-31T23:59:59Z');
    expect([status, body.items[0].day]).toEqual([200, '9999-12-26']);
  });
});

describe('U+0000 in a path', () => {
  it('is no error of any endpoint', async () => {
    const owner = await api.asUser('owner');
    const document: ApiDocument = (await request(api.http, { method: 'GET', url: '/openapi.json' })).body;
    const found: string[] = [];
    for (const operation of operationsOf(document).filter(({ path }) => path.includes('{'))) {
      const reads = bodySchemaOf(operation);
      const body = reads?.type === 'application/json' ? sampleOf(document, reads.schema) : undefined;
      const url = operation.path.slice('/api/v1'.length).replace(/\{\w+\}/g, 'a%00b');
      const { status } = await owner.send(operation.method, url, body);
      if (status >= 500) found.push(`${status} ${nameOf(operation)}`);
    }
    expect(found).toEqual([]);
  });
});

describe('nested JSON', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const post = (url: string, payload: string, headers: Record<string, string> = {}) =>
    request(api.http, {
      method: 'POST',
      url: `/api/v1${url}`,
      headers: { 'content-type': 'application/json', ...headers },
      payload,
    });
  const tool = (parameters: string) =>
    `{"name":"x","tools":[{"name":"t","description":"abc","url":"https://example.com/x","parameters":${parameters}}]}`;
  const refused = {
    status: 422,
    body: {
      detail: [{ type: 'value_error', loc: ['body'], msg: 'JSON may be nested 100 levels deep at most', input: null }],
    },
  };

  it.each([101, 6_000, 400_000])('%d levels deep is rejected, with any credential', async (levels) => {
    expect(await post('/auth/login', `{"email":${nested(levels)}}`)).toMatchObject(refused);
    const key = { 'x-api-key': acme.key };
    expect(await post('/agents', tool(`{"a":${nested(levels)}}`), key)).toMatchObject(refused);
    if (levels > 100_000) return;
    expect(await post('/agents', tool(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`), key)).toMatchObject(refused);
  });

  it('is stored as it was sent up to the limit', async () => {
    const parameters = `{"a":${nested(90)}}`;
    const { status, body } = await post('/agents', tool(parameters), { 'x-api-key': acme.key });
    expect([status, JSON.stringify(body.tools[0].parameters)]).toEqual([201, parameters]);
  });

  it('does not count brackets within strings', async () => {
    const system_prompt = `${'[{'.repeat(500)}\\"${'["'.repeat(200)}`;
    const { status, body } = await acme.send('POST', '/agents', { name: 'x', system_prompt });
    expect([status, body.system_prompt]).toEqual([201, system_prompt]);
  });
});

describe('a body that is too large', () => {
  it('gets the limit of its endpoint', async () => {
    const base = await acme.send('POST', '/knowledge-bases', { name: 'Base' });
    const text = 'x'.repeat(5 * 1024 * 1024);
    const large = await acme.send('POST', `/knowledge-bases/${base.body.id}/sources/text`, { name: 'x', text });
    expect([large.status, large.body]).toEqual([413, { detail: 'the request body is larger than 4 MB' }]);
    const agent = await acme.send('POST', '/agents', { name: 'x', system_prompt: text });
    expect([agent.status, agent.body]).toEqual([413, { detail: 'the request body is larger than 1 MB' }]);
  });
});
