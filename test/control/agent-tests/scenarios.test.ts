import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';

let api: TestApi;
let acme: Client;
let agentId: string;
let tests: string;

beforeAll(async () => {
  api = await startTestApi();
  acme = await api.newWorkspace('Acme');
});

async function newAgent(by = acme): Promise<string> {
  return (await by.send('POST', '/agents', { name: 'Asha', system_prompt: 'Sell shoes.' })).body.id;
}

const SCENARIO = {
  name: 'Wants a refund',
  persona: 'You are Ravi. Your shoes are too small and you want your money back.',
  criteria: ['The agent offers a refund'],
};

describe('scenarios', () => {
  beforeAll(async () => {
    agentId = await newAgent();
    tests = `/agents/${agentId}/tests`;
  });

  it('are made with defaults, read, replaced and removed', async () => {
    const made = await acme.send('POST', tests, SCENARIO);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      ...SCENARIO,
      ...{ agent_id: agentId, first_message: '', user_data: {}, max_turns: 12, language: '', tool_results: {} },
      ...{ last_run: null, created_by: 'first key' },
    });
    const path = `${tests}/${made.body.id}`;
    expect((await acme.send('GET', path)).body).toEqual(made.body);
    expect((await acme.send('GET', tests)).body).toEqual([made.body]);
    const other = { ...SCENARIO, name: 'Wants more', max_turns: 4, tool_results: { look_up: 'in stock' } };
    const replaced = await acme.send('PUT', path, other);
    expect([replaced.status, replaced.body]).toEqual([200, { ...made.body, ...other, updated_at: expect.any(String) }]);
    expect((await acme.send('PUT', path, SCENARIO)).body.tool_results).toEqual({});
    expect((await acme.send('DELETE', path)).status).toBe(204);
    expect((await acme.send('GET', path)).body).toEqual({ detail: 'scenario not found' });
    expect((await acme.send('DELETE', path)).status).toBe(404);
  });

  it('are listed newest first', async () => {
    for (const name of ['first', 'second']) await acme.send('POST', tests, { ...SCENARIO, name });
    expect((await acme.send('GET', tests)).body.map(({ name }: { name: string }) => name)).toEqual(['second', 'first']);
  });

  it('of an agent that does not exist are not found', async () => {
    const nowhere = `/agents/${'f'.repeat(32)}/tests`;
    expect((await acme.send('GET', nowhere)).body).toEqual({ detail: 'agent not found' });
    expect((await acme.send('POST', nowhere, SCENARIO)).body).toEqual({ detail: 'agent not found' });
  });

  it('belong to their agent and workspace', async () => {
    const { body } = await acme.send('POST', tests, SCENARIO);
    const others = await api.newWorkspace('Other');
    expect((await others.send('GET', `${tests}/${body.id}`)).status).toBe(404);
    expect((await others.send('PUT', `${tests}/${body.id}`, SCENARIO)).status).toBe(404);
    expect((await acme.send('GET', `/agents/${await newAgent()}/tests/${body.id}`)).status).toBe(404);
  });

  it.each([
    ['no persona', { persona: undefined }, ['body', 'persona']],
    ['an empty persona', { persona: ' ' }, ['body', 'persona']],
    ['no criterion', { criteria: [] }, ['body', 'criteria']],
    ['eleven criteria', { criteria: Array(11).fill('is kind') }, ['body', 'criteria']],
    ['a criterion of two letters', { criteria: ['ok'] }, ['body', 'criteria', 0]],
    ['one turn', { max_turns: 1 }, ['body', 'max_turns']],
    ['41 turns', { max_turns: 41 }, ['body', 'max_turns']],
    ['a long first message', { first_message: 'x'.repeat(501) }, ['body', 'first_message']],
    ['a result that is no text', { tool_results: { look_up: 1 } }, ['body', 'tool_results', 'look_up']],
    ['a language that is none', { language: 'in english!' }, ['body', 'language']],
  ])('with %s are refused', async (_what, wrong, loc) => {
    const { status, body } = await acme.send('POST', tests, { ...SCENARIO, ...wrong });
    expect([status, body.detail?.[0].loc]).toEqual([422, loc]);
  });

  it('need the permission to be changed', async () => {
    const viewer = await api.asUser('viewer', acme.workspace_id);
    expect((await viewer.send('GET', tests)).status).toBe(200);
    expect((await viewer.send('POST', tests, SCENARIO)).status).toBe(403);
  });

  it('leave audit events without the persona', async () => {
    const { body } = await acme.send('POST', tests, SCENARIO);
    await acme.send('PUT', `${tests}/${body.id}`, { ...SCENARIO, name: 'Renamed', persona: 'You are a secret.' });
    await acme.send('DELETE', `${tests}/${body.id}`);
    const events = await api.sql`
      select action, changes from audit_events where target_id = ${body.id} order by id`;
    expect(events.map(({ action }) => action)).toEqual([
      'test_scenario.created',
      'test_scenario.updated',
      'test_scenario.deleted',
    ]);
    expect(events[1]!.changes).toEqual({ name: ['Wants a refund', 'Renamed'], persona: ['changed', 'changed'] });
  });

  it('go with their agent', async () => {
    const gone = await newAgent();
    const { body } = await acme.send('POST', `/agents/${gone}/tests`, SCENARIO);
    expect((await acme.send('DELETE', `/agents/${gone}`)).status).toBe(204);
    expect(await api.sql`select id from agent_test_scenarios where id = ${body.id}`).toHaveLength(0);
  });

  it('are at most 50 for an agent, also when made at once', async () => {
    const full = await newAgent();
    const made = await Promise.all(
      Array.from({ length: 52 }, () => acme.send('POST', `/agents/${full}/tests`, SCENARIO)),
    );
    expect(made.filter(({ status }) => status === 201)).toHaveLength(50);
    expect(made.find(({ status }) => status === 409)!.body).toEqual({ detail: 'scenario limit reached (50)' });
  });
});
