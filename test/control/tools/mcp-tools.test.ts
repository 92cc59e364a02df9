import { beforeAll, expect, it } from 'vitest';
import { type McpSimulator, startMcpSimulator } from '../../../fixtures/simulators/mcp.ts';
import { afterFile } from '../../support/after-file.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';

const OBJECT = { type: 'object', properties: { id: { type: 'string' } } };
let api: TestApi;
let acme: Client;
let server: McpSimulator;

beforeAll(async () => {
  api = await startTestApi({}, { FETCH_ALLOW: '127.0.0.0/8' });
  acme = await api.newWorkspace('Acme');
  server = await startMcpSimulator([
    { name: 'find.order', description: 'Finds an order.', inputSchema: OBJECT },
    { name: 'cancel_order', inputSchema: OBJECT },
  ]);
  afterFile(() => server.close());
});

const shop = (more: object = {}) => ({ name: 'shop', url: server.url, tools: ['find.order'], ...more });
const list = (body: object, by = acme) => by.send('POST', '/tools/mcp', body);

it("lists a server's tools, and says which of them the model gets under which name", async () => {
  const { status, body } = await list({ server: shop() });
  expect([status, body]).toEqual([
    200,
    {
      ...{ server_name: 'simulated shop', protocol: '2025-06-18', latency_ms: expect.any(Number), error: '' },
      tools: [
        { name: 'find.order', called: 'find_order', description: 'Finds an order.', parameters: OBJECT, problem: '' },
        {
          ...{ name: 'cancel_order', called: '', description: '' },
          parameters: OBJECT,
          problem: 'not on the allow-list',
        },
      ],
    },
  ]);
});

it('says why there is no list', async () => {
  const { status, body } = await list({ server: shop({ url: 'http://127.0.0.1:1/' }) });
  expect([status, body]).toMatchObject([200, { tools: [], error: 'connection refused' }]);
});

it("takes covered header values from the agent's saved server, of this workspace only", async () => {
  const headers = { Authorization: 'Bearer secret' };
  const made = await acme.send('POST', '/agents', { name: 'Asha', mcp_servers: [shop({ headers })] });
  const masked = { server: shop({ headers: { Authorization: '***' } }), agent_id: made.body.id };
  expect((await list(masked)).body.error).toBe('');
  expect(server.authorization).toBe('Bearer secret');
  expect((await list(masked, await api.newWorkspace())).status).toBe(422);
});

it('servers of an agent have different names', async () => {
  const { status, body } = await acme.send('POST', '/agents', { name: 'Asha', mcp_servers: [shop(), shop()] });
  expect([status, body.detail?.[0]]).toMatchObject([
    422,
    { loc: ['body', 'mcp_servers', 1, 'name'], msg: 'two MCP servers are named shop' },
  ]);
});

it('a test of the agent has their tools, answered as the scenario says, without their address', async () => {
  const { body: agent } = await acme.send('POST', '/agents', { name: 'Asha', mcp_servers: [shop()] });
  const scenario = { name: 'order', persona: 'A customer', criteria: ['The order is found'] };
  const tests = `/agents/${agent.id}/tests`;
  const made = await acme.send('POST', tests, scenario);
  const run = await acme.send('POST', `${tests}/${made.body.id}/runs`, {});
  expect(run).toMatchObject({ status: 202 });
  const [stored] = await api.sql`select agent from agent_test_runs where id = ${run.body.id}`;
  expect(stored!.agent).toMatchObject({
    tools: [{ name: 'find_order', url: 'https://example.com/' }],
    mcp_servers: [],
  });
  expect(server.done).toEqual([]);
});
