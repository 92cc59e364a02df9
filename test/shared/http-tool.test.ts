import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AgentTool, agentConfigSchema } from '../../shared/agent.ts';
import { callHttpTool, type HttpToolCall, MAX_RESULT_CHARS, type ToolArguments } from '../../shared/http-tool.ts';
import { createSafeFetch, SafeFetchError, type SafeFetchFailure } from '../../shared/safe-fetch.ts';
import { until } from '../support/until.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

interface Asked {
  method: string;
  url: string;
  headers: Record<string, unknown>;
  body: string;
}

let base = '';
let asked: Asked[] = [];
/** Null keeps the tool waiting. */
let answer: { status?: number; headers?: Record<string, string>; body?: string | Buffer } | null = {};

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    asked.push({ method: request.method!, url: request.url!, headers: request.headers, body });
    if (answer) response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
  });
});

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked = [];
  answer = { body: 'ok' };
});

const safeFetch = createSafeFetch({ allow: ['127.0.0.0/8'] });

function tool(fields: Record<string, unknown> = {}): AgentTool {
  const given = { name: 'book', description: 'Books a table.', url: `${base}/book`, ...fields };
  return agentConfigSchema.parse({ name: 'a', tools: [given] }).tools[0]!;
}

const call = (of: AgentTool, args: string | ToolArguments = {}, more: Partial<HttpToolCall> = {}) =>
  callHttpTool(of, args, { safeFetch, values: {}, ...more });

describe('the request', () => {
  it('of POST carries the arguments as JSON', async () => {
    const outcome = await call(tool({ headers: { 'X-Key': 'k' } }), '{"guests": 4, "name": "अनिल"}');
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: '/book',
      body: '{"guests":4,"name":"अनिल"}',
      headers: { 'content-type': 'application/json', 'x-key': 'k' },
    });
    expect(outcome).toMatchObject({ status: 200, result: 'ok', error: null });
    expect(outcome.request).toMatchObject({
      method: 'POST',
      url: `${base}/book`,
      body: '{"guests":4,"name":"अनिल"}',
      headers: { 'content-type': 'application/json', 'x-key': '***' },
    });
  });

  it('of GET carries them in the query', async () => {
    const args = { day: 'next fri & sat', n: 2, ok: false, none: null, at: { h: 7 }, tags: ['a', 'b'] };
    const outcome = await call(tool({ method: 'GET', url: `${base}/free?flag&sig=a%2Bb%20c` }), args);
    const query =
      'flag&sig=a%2Bb%20c&day=next%20fri%20%26%20sat&n=2&ok=false&at=%7B%22h%22%3A7%7D&tags=%5B%22a%22%2C%22b%22%5D';
    expect(asked[0]).toMatchObject({ method: 'GET', url: `/free?${query}`, body: '' });
    expect(outcome.request).toMatchObject({ url: `${base}/free?${query}`, body: null });
  });

  it('of GET keeps what the address fixes, unless the argument is declared', async () => {
    const url = `${base}/free?account=7&limit=5`;
    const parameters = { type: 'object', properties: { limit: { type: 'integer' } } };
    await call(tool({ method: 'GET', url, parameters }), { account: 8, limit: 1 });
    expect(asked[0]!.url).toBe('/free?account=7&limit=1');
  });

  it('fills variables into headers, and no line break with them', async () => {
    const headers = {
      Authorization: 'Bearer {token}',
      'X-Name': '{name}',
      'X-Evil': 'a{evil}b',
      'Content-Type': 'text/x',
    };
    const values = { token: 't', name: 'अनिल', evil: '\r\nHost: x\u0000' };
    const outcome = await call(tool({ headers }), {}, { values });
    expect(asked[0]!.headers).toMatchObject({
      authorization: 'Bearer t',
      'x-evil': 'a  Host: x b',
      'content-type': 'text/x',
    });
    expect(Buffer.from(String(asked[0]!.headers['x-name']), 'latin1').toString()).toBe('अनिल');
    expect(JSON.stringify(outcome.request)).not.toMatch(/Bearer|Host/);
  });

  it('is shown without its password', async () => {
    const outcome = await call(tool({ url: base.replace('//', '//ann:secret@') }));
    expect(asked[0]!.headers.authorization).toMatch(/^Basic /);
    expect(outcome.request!.url).toBe(`${base}/`);
  });
});

describe('arguments', () => {
  const parameters = { type: 'object', properties: { guests: { type: 'integer' } }, required: ['guests'] };

  it.each([
    ['{"guests": ', 'its arguments are not valid JSON'],
    ['[4]', 'its arguments are not a JSON object'],
    ['null', 'its arguments are not a JSON object'],
    ['', 'guests is missing'],
    ['{"guests": "four"}', 'guests must be a whole number, not a string'],
  ])('%j are reported to the model and not sent', async (text, problem) => {
    const outcome = await call(tool({ parameters }), text);
    expect(outcome).toMatchObject({ status: 0, latency_ms: 0, request: null, error: 'invalid arguments' });
    expect(outcome.result).toContain(problem);
    expect(asked).toEqual([]);
  });

  it('may be none at all', async () => {
    expect(await call(tool(), ' ')).toMatchObject({ status: 200 });
    expect(asked[0]!.body).toBe('{}');
  });
});

describe('the answer', () => {
  it.each<[string, NonNullable<typeof answer>, string]>([
    ['JSON without spaces', { body: '{\n  "slots": [ "7 pm",\t"8 pm" ]\n}' }, '{"slots":["7 pm","8 pm"]}'],
    ['long numbers as they are', { body: '{ "id": 12345678901234567890 }' }, '{"id":12345678901234567890}'],
    [
      'characters unescaped',
      { body: '["\\u0905 \\\\u0905 \\n \\u0022 \\"x  y\\""]' },
      '["अ \\\\u0905 \\n \\u0022 \\"x  y\\""]',
    ],
    ['text as it is', { body: ' Tables are free. ' }, 'Tables are free.'],
    ['broken JSON as text', { body: '{ "a": ' }, '{ "a":'],
    ['nothing', { status: 204 }, 'The tool answered with status 204 and no content.'],
    ['an error', { status: 503, body: 'busy' }, 'The tool answered with status 503: busy'],
    [
      'an error with JSON',
      { status: 404, body: '{ "detail": "no" }' },
      'The tool answered with status 404: {"detail":"no"}',
    ],
    ['an error without words', { status: 500 }, 'The tool answered with status 500.'],
    [
      'a redirect',
      { status: 302, headers: { location: '/else' } },
      'The tool answered with status 302, which leads to another address and was not followed.',
    ],
    [
      'a picture',
      { headers: { 'content-type': 'image/png' }, body: Buffer.from([0x89, 0x50, 0x4e, 0x47]) },
      '(4 bytes of image/png, which cannot be read as text)',
    ],
    [
      'bytes without a type',
      { body: Buffer.from([0xff, 0xfe, 0x00, 0x01, 0x90]) },
      '(5 bytes of binary content, which cannot be read as text)',
    ],
    [
      'compressed content',
      { headers: { 'content-encoding': 'gzip' }, body: Buffer.from([31, 139, 8, 0]) },
      '(4 bytes of compressed content, which cannot be read)',
    ],
  ])('%s', async (_, given, result) => {
    answer = given;
    const outcome = await call(tool());
    expect(outcome.result).toBe(result);
    expect(outcome).toMatchObject({ status: given.status ?? 200, error: null });
  });

  it('is cut for the model, between characters', async () => {
    for (const body of [`x${'😀'.repeat(3000)}`, '😀'.repeat(3000)]) {
      answer = { body };
      const { result } = await call(tool());
      expect(result.length).toBeLessThanOrEqual(MAX_RESULT_CHARS);
      expect(result).toMatch(/😀 … \(cut here\)$/u);
      expect(result.isWellFormed()).toBe(true);
    }
  });

  it('of many megabytes is read in part', async () => {
    answer = { body: 'x'.repeat(5_000_000) };
    expect((await call(tool())).result).toMatch(/^x+ … \(cut here\)$/);
  });

  it('of a picture too large is described', async () => {
    answer = { headers: { 'content-type': 'image/png' }, body: Buffer.alloc(1_000_000, 0x89) };
    expect((await call(tool())).result).toBe('(more than 262144 bytes of image/png, which cannot be read as text)');
  });

  it('that does not come gives a result after the timeout', async () => {
    answer = null;
    const clock = createVirtualClock();
    const waiting = call(
      tool({ timeout_seconds: 2.5 }),
      {},
      { clock, safeFetch: createSafeFetch({ allow: ['127.0.0.1'], clock }) },
    );
    await until(() => asked.length === 1);
    await clock.advance(2500);
    expect(await waiting).toMatchObject({
      status: 0,
      latency_ms: 2500,
      result: 'The tool did not answer within 2.5 seconds. Whether it did its work is not known.',
      error: 'timeout',
    });
  });

  it('of a private address is refused', async () => {
    const outcome = await call(tool(), {}, { safeFetch: createSafeFetch() });
    expect(outcome).toMatchObject({ status: 0, error: 'address not allowed' });
    expect(outcome.result).toContain('not allowed');
    expect(asked).toEqual([]);
  });

  it.each<SafeFetchFailure>([
    'host not found',
    'timeout',
    'connection refused',
    'certificate not valid',
    'connection broken',
    'redirect',
    'invalid url',
    'aborted',
  ])('that fails with "%s" becomes words', async (kind) => {
    const failing = () => Promise.reject(new SafeFetchError(kind));
    const outcome = await call(tool({ method: 'GET' }), {}, { safeFetch: failing });
    expect(outcome).toMatchObject({ status: 0, error: kind });
    expect(outcome.result).toMatch(/^The .+\.$/);
  });
});
