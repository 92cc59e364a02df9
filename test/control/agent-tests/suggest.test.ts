import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { contentText, type OpenAiSimulator, startOpenAiSimulator } from '../../../fixtures/simulators/openai.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';

const draft = (name: string, more: object = {}) => ({
  ...{ name, persona: 'You are Ravi.', first_message: '', user_data: { who: 'Ravi' } },
  ...{ criteria: ['The agent is kind'], tool_results: {}, max_turns: 5, ...more },
});

let simulator: OpenAiSimulator;
let api: TestApi;
let acme: Client;
let path: string;
let answer: object;

beforeAll(async () => {
  simulator = await startOpenAiSimulator({
    firstTokenMs: 1,
    tokenIntervalMs: 0,
    answer: () => ({ text: `Here: ${JSON.stringify(answer)}` }),
  });
  api = await startTestApi({}, { OPENAI_BASE_URL: simulator.url, OPENAI_API_KEY: simulator.apiKey });
});
afterAll(() => simulator.close());
beforeEach(async () => {
  simulator.setMode('normal');
  simulator.requests.length = 0;
  acme = await api.newWorkspace('Acme');
  const agent = { name: 'Asha', system_prompt: 'You serve {who}.' };
  path = `/agents/${(await acme.send('POST', '/agents', agent)).body.id}/tests/suggest`;
});

it('scenarios are drafted from the agent, charged and not saved', async () => {
  answer = { scenarios: [draft('First'), draft('Second')] };
  const { status, body } = await acme.send('POST', path, { count: 2, focus: 'refunds' });
  expect([status, body.items]).toEqual([200, [draft('First', { language: '' }), draft('Second', { language: '' })]]);
  const asked = simulator.requests[0]!.body!.messages.map(contentText).join();
  for (const part of ['Write 2 scenarios', 'refunds', 'You serve {who}.', '"variables":["who"]']) {
    expect(asked).toContain(part);
  }
  const [row] = (await acme.send('GET', '/billing/ledger')).body.items;
  expect(row).toMatchObject({
    kind: 'composer',
    amount_paise: -body.cost_paise,
    note: 'test scenarios were suggested',
  });
  expect((await acme.send('GET', path.replace('/suggest', ''))).body).toEqual([]);
  expect((await acme.send('POST', path.replace('/suggest', ''), body.items[0])).status).toBe(201);
});

it('drafts that could not be saved are left out, and those beyond the number', async () => {
  answer = { scenarios: [draft('No criterion', { criteria: [] }), draft('a'), draft('b')] };
  const { body } = await acme.send('POST', path, { count: 1 });
  expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['a']);
});

it('a model that fails or drafts nothing is a 502, free of charge', async () => {
  answer = { scenarios: [draft('No criterion', { criteria: [] })] };
  expect((await acme.send('POST', path, {})).status).toBe(502);
  simulator.setMode('broken');
  const { status, body } = await acme.send('POST', path, {});
  expect([status, body]).toEqual([502, { detail: 'language model did not answer; try again shortly' }]);
  const { items } = (await acme.send('GET', '/billing/ledger')).body;
  expect(items.map(({ kind }: { kind: string }) => kind)).not.toContain('composer');
});

it('needs credits, an agent of the workspace, and one to ten', async () => {
  const others = await api.newWorkspace('Other');
  expect((await others.send('POST', path, {})).body).toEqual({ detail: 'agent not found' });
  expect((await acme.send('POST', path, { count: 11 })).status).toBe(422);
  await api.sql`update wallets set paid_paise = 0, free_paise = 0 where workspace_id = ${acme.workspace_id}`;
  expect((await acme.send('POST', path, {})).status).toBe(402);
  expect(simulator.requests).toHaveLength(0);
});
