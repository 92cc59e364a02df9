import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type McpSimulator, startMcpSimulator } from '../../../fixtures/simulators/mcp.ts';
import type { McpServer } from '../../../shared/agent.ts';
import { systemClock } from '../../../shared/clock.ts';
import { namedTools, schemaProblem } from '../../../shared/mcp/mcp-tool-names.ts';
import { openMcpTools } from '../../../shared/mcp/mcp-tools.ts';
import { createToolRunner } from '../../../shared/reply/tools.ts';
import { createSafeFetch } from '../../../shared/safe-fetch.ts';
import { afterFile } from '../../support/after-file.ts';
import { until } from '../../support/until.ts';

const OBJECT = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
const listed = (name: string, parameters: Record<string, unknown> = OBJECT) => ({
  name,
  description: name,
  parameters,
});
const serverOf = (name: string, more: Partial<McpServer> = {}): McpServer => ({
  ...{ name, url: 'https://mcp.example.com/', headers: {}, tools: [], timeout_seconds: 8 },
  ...more,
});
const namesOf = (...from: Parameters<typeof namedTools>) => namedTools(...from).map(({ name }) => name);

describe('the names of tools of MCP servers', () => {
  test('are their own, or preceded by the server where another tool has them', () => {
    const shop = { server: serverOf('shop'), listed: [listed('find'), listed('end_call')] };
    const bank = { server: serverOf('bank'), listed: [listed('find'), listed('bank_find')] };
    expect(namesOf([shop, bank], ['end_call'])).toEqual(['find', 'shop_end_call', 'bank_find', 'bank_bank_find']);
  });

  test('have characters that every model takes, at most 64', () => {
    const shop = {
      server: serverOf('shop'),
      listed: [listed('orders/find.by-id'), listed('7th'), listed('x'.repeat(90))],
    };
    expect(namesOf([shop], [])).toEqual(['orders_find_by_id', '_7th', 'x'.repeat(64)]);
  });

  test('are those of the allow-list, and at most 64 of a server', () => {
    const many = Array.from({ length: 70 }, (_, nth) => listed(`tool_${nth}`));
    expect(namesOf([{ server: serverOf('shop', { tools: ['tool_3'] }), listed: many }], [])).toEqual(['tool_3']);
    expect(namesOf([{ server: serverOf('shop'), listed: many }], [])).toHaveLength(64);
  });

  test.each([
    [{ type: 'string' }, 'its arguments are not an object'],
    [{ type: 'object', description: 'x'.repeat(20_000) }, 'more than 16000 characters'],
    [{ type: 'object', properties: [] }, 'no table of properties'],
    [
      { type: 'object', properties: { a: Array.from({ length: 20 }).reduce((inner) => ({ items: inner }), {}) } },
      'more than 12 deep',
    ],
  ])('a schema that a model cannot be given is left out: %j', (schema, problem) => {
    expect(schemaProblem(listed('find', schema))).toContain(problem);
    expect(namesOf([{ server: serverOf('shop'), listed: [listed('find', schema)] }], [])).toEqual([]);
  });
});

describe('the MCP servers of a call', () => {
  let server: McpSimulator;
  const problems: string[] = [];
  const log = { info() {}, warn() {}, error() {}, debug() {} } as never;

  beforeAll(async () => {
    server = await startMcpSimulator();
    afterFile(() => server.close());
  });
  beforeEach(() => {
    server.mode = 'json';
    server.tools = [{ name: 'find_order', inputSchema: OBJECT }];
    server.done.length = 0;
    problems.length = 0;
  });

  function open(...servers: Partial<McpServer>[]) {
    const remote = openMcpTools({
      agent: { mcp_servers: servers.map((more, nth) => serverOf(`shop${nth}`, { url: server.url, ...more })) },
      ...{ taken: [], values: {}, clock: systemClock, log },
      safeFetch: createSafeFetch({ allow: ['127.0.0.0/8'] }),
      onUnavailable: (name, problem) => problems.push(`${name}: ${problem}`),
    });
    const callTool = () => Promise.reject(new Error('not an own tool'));
    const runner = createToolRunner({ agent: { tools: [] }, values: {}, callTool, remote, clock: systemClock, log });
    afterFile(() => runner.closeAll());
    return runner;
  }
  const called = (name: string, args: string) => ({ id: '1', name, arguments: args });

  test('give the model their tools once they have answered; a call runs once', async () => {
    const runner = open({});
    expect(runner.remoteDefinitions()).toEqual([]);
    await until(() => runner.remoteDefinitions().length === 1);
    const call = called('find_order', '{"id":"7"}');
    expect(runner.announce(call)).toMatchObject({ args: { id: '7' }, url: server.url });
    const [first, again] = await Promise.all([runner.run(call), runner.run(call)]);
    expect(first).toMatchObject({ status: 200, result: 'find_order done', level: 'info' });
    expect(again).toBe(first);
    expect(server.done).toHaveLength(1);
  });

  test('check arguments before anything is sent', async () => {
    const runner = open({});
    await until(() => runner.remoteDefinitions().length === 1);
    expect(await runner.run(called('find_order', '{}'))).toMatchObject({
      status: 0,
      result: expect.stringContaining('The tool was not called'),
    });
    expect(server.done).toEqual([]);
  });

  test('that no longer know a tool are asked again for what they have', async () => {
    const runner = open({});
    await until(() => runner.remoteDefinitions().length === 1);
    server.tools = [{ name: 'look_up_order', inputSchema: OBJECT }];
    expect(await runner.run(called('find_order', '{"id":"7"}'))).toMatchObject({ status: 0, level: 'warning' });
    await until(() => runner.remoteDefinitions()[0]?.name === 'look_up_order');
  });

  test('that do not answer are reported, and the others have their tools', async () => {
    const runner = open({ url: 'http://127.0.0.1:1/' }, {});
    await until(() => runner.remoteDefinitions().length === 1);
    await until(() => problems.length === 1);
    expect(problems).toEqual(['shop0: connection refused']);
  });
});
