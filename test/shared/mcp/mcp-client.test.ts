import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type McpSimulator, startMcpSimulator } from '../../../fixtures/simulators/mcp.ts';
import { createMcpClient, type McpClient } from '../../../shared/mcp/mcp-client.ts';
import { createSafeFetch } from '../../../shared/safe-fetch.ts';
import { afterFile } from '../../support/after-file.ts';

const ORDER = { type: 'object', properties: { id: { type: 'string' } } };
const safeFetch = createSafeFetch({ allow: ['127.0.0.0/8'] });
let server: McpSimulator;

beforeAll(async () => {
  server = await startMcpSimulator();
  afterFile(() => server.close());
});
beforeEach(() => {
  server.tools = [
    { name: 'find_order', description: 'Finds an order.', inputSchema: ORDER },
    { name: 'cancel_order', inputSchema: ORDER },
  ];
  Object.assign(server, { mode: 'json', authorization: '' });
  server.done.length = 0;
  server.methods.length = 0;
});

function open(more: { headers?: Record<string, string>; timeout_seconds?: number; url?: string } = {}): McpClient {
  const settings = { url: server.url, headers: {}, timeout_seconds: 5, ...more };
  const client = createMcpClient({ server: settings, values: { customer: 'acme' }, safeFetch });
  afterFile(() => client.close());
  return client;
}

describe('a client of an MCP server', () => {
  test('lists all pages of tools, with the headers of the agent and their variables', async () => {
    const client = open({ headers: { Authorization: 'Bearer {customer}' } });
    const listed = await client.list();
    expect(listed.map(({ name }) => name)).toEqual(['find_order', 'cancel_order']);
    expect(listed[0]).toEqual({ name: 'find_order', description: 'Finds an order.', parameters: ORDER });
    expect(server.authorization).toBe('Bearer acme');
    expect(client.facts).toEqual({ name: 'simulated shop', protocol: '2025-06-18' });
  });

  test.each(['json', 'stream', 'open stream', 'resumed stream'] as const)(
    'gets the answer of a call, done once, by a server that answers as: %s',
    async (mode) => {
      const client = open();
      await client.list();
      server.mode = mode;
      const outcome = await client.call('find_order', { id: '7' });
      expect(outcome).toEqual({ status: 200, result: 'find_order done', error: null, isOutdated: false });
      expect(server.done).toEqual([{ name: 'find_order', args: { id: '7' } }]);
    },
  );

  test('opens a new session when the server has forgotten the old one, and calls once', async () => {
    const client = open();
    await client.list();
    server.forgetSessions();
    expect(await client.call('find_order', {})).toMatchObject({ status: 200 });
    expect(server.done).toHaveLength(1);
  });

  test.each([
    ['silent', 1, 'did not answer within 1 seconds'],
    ['breaks', 30, 'broke before it answered'],
  ] as const)('does not know what became of a call whose server is: %s', async (mode, timeout_seconds, says) => {
    const client = open({ timeout_seconds });
    await client.list();
    server.mode = mode;
    const { status, result } = await client.call('find_order', {});
    expect([status, result]).toEqual([0, expect.stringContaining(says)]);
    expect(result).toContain('Whether it did its work is not known.');
    await expect.poll(() => server.done).toHaveLength(1);
  });

  test('says what a server that is gone answers, and that nothing was done', async () => {
    const client = open();
    await client.list();
    server.mode = 'gone';
    expect(await client.call('find_order', {})).toMatchObject({ status: 503, error: 'status 503' });
    await expect(open().list()).rejects.toThrow('the server answered with status 503');
  });

  test('learns that a server no longer has a tool', async () => {
    const client = open();
    server.tools = [];
    expect(await client.call('find_order', {})).toMatchObject({
      isOutdated: true,
      result: expect.stringContaining('Unknown tool: find_order'),
    });
  });

  test('gives the model the structured result, an error as one, and other content by its kind', async () => {
    const client = open();
    const answer = (fields: object) => {
      server.tools = [{ name: 'find_order', inputSchema: ORDER, answer: { content: [], ...fields } }];
      return client.call('find_order', {});
    };
    expect(await answer({ structuredContent: { state: 'sent' } })).toMatchObject({ result: '{"state":"sent"}' });
    const failed = await answer({ content: [{ type: 'text', text: 'no such order' }], isError: true });
    expect(failed).toMatchObject({ status: 500, result: 'The tool failed: no such order' });
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' };
    expect(await answer({ content: [image] })).toMatchObject({ result: '(image, which cannot be read as text)' });
  });

  test('cuts a long result, and reads no endless one', async () => {
    const client = open();
    server.tools = [
      { name: 'find_order', inputSchema: ORDER, answer: { content: [{ type: 'text', text: 'x'.repeat(9_000) }] } },
    ];
    expect((await client.call('find_order', {})).result).toHaveLength(3_000);
    server.mode = 'endless';
    expect(await client.call('find_order', {})).toMatchObject({ status: 0, error: 'connection broken' });
  });

  test('does not reach a private network', async () => {
    const guarded = createMcpClient({
      server: { url: server.url, headers: {}, timeout_seconds: 5 },
      values: {},
      safeFetch: createSafeFetch(),
    });
    await expect(guarded.list()).rejects.toThrow('address not allowed');
    expect(server.methods).toEqual([]);
  });

  test('ends its session', async () => {
    const client = open();
    await client.list();
    const before = server.sessions();
    await client.close();
    expect(server.sessions()).toBe(before - 1);
  });
});
