import { beforeAll, describe, expect, it } from 'vitest';
import { DELIVERED_TYPES } from '../../../control/webhooks/event-types.ts';
import { request, startTestApi, type TestApi } from '../../support/control-app.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  description?: string;
  format?: string;
}

interface Operation {
  operationId: string;
  summary?: string;
  tags?: string[];
  security?: object[];
  parameters?: { name: string; in: string; required: boolean; explode?: boolean; schema: Schema }[];
  responses: Record<
    string,
    { $ref?: string; description: string; headers?: object; content?: Record<string, { schema: Schema }> }
  >;
}

interface Document {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, object>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, { headers: object }>;
    headers: Record<string, object>;
  };
}

let document: Document;
let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
  const { status, body } = await request(api.http, { method: 'GET', url: '/openapi.json' });
  expect(status).toBe(200);
  document = body;
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  );

describe('the OpenAPI document', () => {
  it('is 3.1', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info.version).toBe('1.0.0');
  });

  it('lists the endpoints of agents and calls, and nothing that is not public', () => {
    const names = operations().map(({ name }) => name);
    for (const name of [
      'GET /api/v1/agents',
      'POST /api/v1/agents',
      'GET /api/v1/agents/{agent_id}',
      'PUT /api/v1/agents/{agent_id}',
      'DELETE /api/v1/agents/{agent_id}',
      'POST /api/v1/agents/{agent_id}/call',
      'GET /api/v1/calls',
      'GET /api/v1/calls/{call_id}',
      'GET /api/v1/calls/{call_id}/events',
      'GET /api/v1/calls/{call_id}/recording',
      'POST /api/v1/calls/{call_id}/hangup',
    ]) {
      expect(names).toContain(name);
    }
    expect(names.filter((name) => !name.includes(' /api/v1/'))).toEqual([]);
  });

  it('resolves every reference', () => {
    const text = JSON.stringify(document);
    for (const [, name] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
      expect(document.components.schemas).toHaveProperty(name!);
    }
  });

  it('names every path parameter, and the time zone everywhere', () => {
    for (const { name, path, operation } of operations()) {
      const given = operation.parameters ?? [];
      const inPath = given.filter((each) => each.in === 'path').map((each) => each.name);
      expect([name, inPath]).toEqual([name, [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])]);
      expect([name, given.some((each) => each.name === 'timezone')]).toEqual([name, true]);
    }
  });

  it('has a summary, a response and errors for every operation', () => {
    for (const { name, operation } of operations()) {
      expect([name, operation.summary !== '' && operation.tags?.length]).toEqual([name, 1]);
      const statuses = Object.keys(operation.responses);
      expect([name, statuses.some((status) => status.startsWith('2'))]).toEqual([name, true]);
      const refuses = operation.security?.length === 0 ? ['400'] : ['400', '401', '403', '429'];
      expect([name, statuses]).toEqual([name, expect.arrayContaining(refuses)]);
    }
  });

  it('has a type for every field of a record', () => {
    for (const [record, schema] of Object.entries(document.components.schemas)) {
      for (const [field, value] of Object.entries(schema.properties ?? {})) {
        if (record === 'ValidationError') continue;
        expect([`${record}.${field}`, value.$ref ?? value.type ?? value.anyOf]).not.toEqual([
          `${record}.${field}`,
          undefined,
        ]);
      }
    }
  });

  it('describes the fields of an agent', () => {
    const { properties = {} } = document.components.schemas.Agent!;
    expect(Object.keys(properties)).toEqual(
      expect.arrayContaining(['id', 'llm', 'voice', 'transcriber', 'call', 'variables', 'phone_number', 'frozen_at']),
    );
    expect(properties.created_at).toMatchObject({ type: 'string', format: 'date-time' });
    expect(properties.call?.properties).toHaveProperty('hangup_after_silence_seconds');
  });

  it('calls every operation by a verb and what it is done to, and lists by `list`', () => {
    const isList = ({ responses }: Operation) => {
      const { $ref, type, properties } = responses['200']?.content?.['application/json']?.schema ?? {};
      const named = document.components.schemas[$ref?.split('/').at(-1) ?? ''];
      const fields = properties ?? named?.properties ?? {};
      return type === 'array' || ('items' in fields && 'total' in fields);
    };
    const wrong = operations().filter(({ name, operation }) => {
      const { operationId } = operation;
      const lists = name.startsWith('GET') && isList(operation);
      return !/^[a-z]+([A-Z][a-z]+)+$/.test(operationId) || lists !== /^list[A-Z]/.test(operationId);
    });
    expect(wrong.map(({ name, operation }) => `${name}: ${operation.operationId}`)).toEqual([]);
  });

  it('names the headers of every response, which the answers have', async () => {
    const key = await api.newWorkspace();
    const { headers } = await key.send('GET', '/agents');
    const named = document.paths['/api/v1/agents']!.get!.responses['200']!.headers!;
    expect(Object.keys(named)).toEqual(expect.arrayContaining(['X-Request-ID', 'X-Timezone', 'X-RateLimit-Limit']));
    for (const name of Object.keys(named)) expect(headers).toHaveProperty(name.toLowerCase());
  });

  it.each([
    [413, '/agents', { name: 'x'.repeat(1024 * 1024) }, {}],
    [414, `/agents/${'a'.repeat(501)}/call`, {}, {}],
    [415, '/agents', '<agent/>', { 'content-type': 'application/xml' }],
    [422, '/agents', {}, {}],
    [404, `/agents/${'0'.repeat(32)}/call`, { to_number: '+919811112222' }, {}],
  ])('has the status %d, which the API sends', async (status, url, body, headers) => {
    const key = await api.newWorkspace();
    const answer = await key.send('POST', url, body, headers as Record<string, string>);
    const path = url === '/agents' ? url : '/agents/{agent_id}/call';
    expect([answer.status, Object.keys(document.paths[`/api/v1${path}`]!.post!.responses)]).toEqual([
      status,
      expect.arrayContaining([String(status)]),
    ]);
  });

  it('says that lists in a query are one value with commas, as the API takes them', () => {
    const lists = operations().flatMap(({ operation }) =>
      (operation.parameters ?? []).filter((each) => each.in === 'query' && each.schema.type === 'array'),
    );
    expect(lists.length).toBeGreaterThan(0);
    expect(new Set(lists.map(({ explode }) => explode))).toEqual(new Set([false]));
  });

  it('has a record for every event that webhooks get', () => {
    expect(Object.keys(document.webhooks)).toEqual(DELIVERED_TYPES);
    expect(document.components.schemas).toHaveProperty('CallCompletedEvent');
  });
});
