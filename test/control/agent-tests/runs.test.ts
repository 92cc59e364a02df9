import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { leaseRuns } from '../../../control/agent-tests/run-store.ts';
import { type RunTimes, type RunWorkerDeps, startRunWorker } from '../../../control/agent-tests/run-worker.ts';
import { readControlConfig } from '../../../control/config.ts';
import type { PollingJob } from '../../../control/db/polling-job.ts';
import { contentText, type OpenAiSimulator, startOpenAiSimulator } from '../../../fixtures/simulators/openai.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';
import { createMemoryStore } from '../../support/memory-store.ts';
import { eventually } from '../../support/until.ts';
import { CALLER_PROMPT, JUDGE_PROMPT, judgeByRule } from './scripted-models.ts';

const NO_ENGINES = {} as RunWorkerDeps['bus'];

let simulator: OpenAiSimulator;
let api: TestApi;
let acme: Client;
let agentId: string;
let settings: Record<string, string>;
let workers: PollingJob[] = [];
let logged: object[] = [];
let agentSays: string;

beforeAll(async () => {
  simulator = await startOpenAiSimulator({
    firstTokenMs: 1,
    tokenIntervalMs: 0,
    answer(messages) {
      const [system, user] = [messages[0]!, messages.at(-1)!].map(contentText) as [string, string];
      if (system.includes(JUDGE_PROMPT)) return { text: judgeByRule(system, user) };
      if (!system.includes(CALLER_PROMPT)) return { text: agentSays };
      const isFirst = !messages.some(({ role }) => role === 'assistant');
      return isFirst
        ? { text: 'Where is my order?' }
        : { text: 'Bye.', toolCalls: [{ name: 'hang_up', arguments: {} }] };
    },
  });
  settings = { OPENAI_BASE_URL: simulator.url, OPENAI_API_KEY: simulator.apiKey };
  api = await startTestApi({}, settings);
});
afterAll(() => simulator.close());

beforeEach(async () => {
  agentSays = 'It left Pune.';
  logged = [];
  simulator.requests.length = 0;
  simulator.setMode('normal');
  acme = await api.newWorkspace('Acme');
  agentId = (await acme.send('POST', '/agents', { name: 'Asha', system_prompt: 'You serve {who}.' })).body.id;
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  workers = [];
  await api.sql`delete from agent_test_runs where status in ('queued', 'running')`;
});

function startWorker(times: Partial<RunTimes> = {}): PollingJob {
  const config = readControlConfig({
    ...{ DATABASE_URL: 'x', MEDIA_TOKEN_SECRET: 'a secret of the tests', RECORDINGS_DIR: 'x' },
    ...settings,
  });
  const worker = startRunWorker({
    ...{ sql: api.sql, clock: systemClock, log: createLogger('control', 'silent'), settings: config, testModel: null },
    ...{ bus: NO_ENGINES, recordings: createMemoryStore() },
    searchKnowledge: async () => ({ items: [], hits: 0, embed_ms: 0, search_ms: 0 }),
    writeLog: (line) => logged.push(line),
    times: { interval_ms: 20, ...times },
  });
  workers.push(worker);
  return worker;
}

async function newScenario(more: object = {}, by = acme, agent = agentId): Promise<string> {
  const scenario = {
    name: 'Order',
    persona: 'Ravi',
    criteria: ['agent says Pune'],
    user_data: { who: 'Ravi' },
    ...more,
  };
  return (await by.send('POST', `/agents/${agent}/tests`, scenario)).body.id;
}

const start = (scenarioId: string) => acme.send('POST', `/agents/${agentId}/tests/${scenarioId}/runs`);

const finished = (runId: string) =>
  eventually('the end of the run', 60_000, async () => {
    const { body } = await acme.send('GET', `/test-runs/${runId}`);
    return ['queued', 'running'].includes(body.status) ? null : body;
  });

/** Leases the run as a process that died at once. */
const abandon = () => leaseRuns(api.sql, { limit: 8, leaseMs: -1, slots: 2, maxTries: 2 }, systemClock.wall());

describe('a run', () => {
  it('is queued, carried out, judged and charged', async () => {
    const scenario = await newScenario();
    const queued = await start(scenario);
    expect([queued.status, queued.body]).toMatchObject([
      202,
      { status: 'queued', scenario_id: scenario, agent_version: 1, transcript: [], started_at: null, cost_paise: 0 },
    ]);
    startWorker();
    const run = await finished(queued.body.id);
    expect(run).toMatchObject({
      status: 'passed',
      criteria: [{ text: 'agent says Pune', passed: true, reason: 'By rule.', quote: 'It left Pune.' }],
      transcript: [
        { role: 'user', text: 'Where is my order?', interrupted: false, at: expect.stringContaining('+05:30') },
        { role: 'agent', text: 'It left Pune.' },
        { role: 'user', text: 'Bye.' },
      ],
      error: '',
      usage: { llm_calls: 4 },
    });
    expect(run.cost_paise).toBeGreaterThan(0);
    const [row] = (await acme.send('GET', '/billing/ledger')).body.items;
    expect(row).toMatchObject({ kind: 'test', amount_paise: -run.cost_paise, by_name: 'first key' });
    const { last_run } = (await acme.send('GET', `/agents/${agentId}/tests/${scenario}`)).body;
    expect(last_run).toEqual({ id: run.id, status: 'passed', finished_at: run.finished_at });
    expect(logged).toMatchObject([{ level: 'info', message: 'agent test finished', data: { status: 'passed' } }]);
    const prompts = simulator.requests.map(({ body }) => JSON.stringify(body!.messages));
    expect(prompts.find((text) => text.includes('You serve Ravi.'))).toContain('Today is');
  });

  it('fails when one criterion is not met', async () => {
    const { body } = await start(await newScenario({ criteria: ['agent says Pune', 'agent says Goa'] }));
    startWorker();
    expect(await finished(body.id)).toMatchObject({
      status: 'failed',
      criteria: [{ passed: true }, { passed: false }],
    });
  });

  it('keeps scenario and agent as they were when it was queued', async () => {
    const scenario = await newScenario();
    const { body } = await start(scenario);
    await acme.send('PUT', `/agents/${agentId}`, { name: 'Other', system_prompt: 'Changed.' });
    await acme.send('DELETE', `/agents/${agentId}/tests/${scenario}`);
    startWorker();
    expect(await finished(body.id)).toMatchObject({ status: 'passed', scenario_name: 'Order', agent_version: 1 });
    expect(JSON.stringify(simulator.requests.map((request) => request.body))).not.toContain('Changed.');
    expect((await acme.send('GET', `/agents/${agentId}/tests/${scenario}/runs`)).status).toBe(404);
  });

  it('whose model fails is an error, and free', async () => {
    simulator.setMode('broken');
    const { body } = await start(await newScenario());
    startWorker();
    expect(await finished(body.id)).toMatchObject({
      status: 'error',
      error: 'provider failed: unavailable',
      cost_paise: 0,
    });
    expect(
      (await acme.send('GET', '/billing/ledger')).body.items.map((row: { kind: string }) => row.kind),
    ).not.toContain('test');
    expect(logged).toMatchObject([{ level: 'warning', message: 'agent test could not be run' }]);
  });

  it('that takes too long is an error', async () => {
    simulator.setMode('silent');
    const { body } = await start(await newScenario());
    startWorker({ timeout_ms: 300 });
    expect(await finished(body.id)).toMatchObject({
      status: 'error',
      error: expect.stringContaining('minutes passed'),
    });
  });

  it('needs credits when it is asked for and when it begins', async () => {
    const scenario = await newScenario();
    const { body } = await start(scenario);
    await api.sql`update wallets set paid_paise = 0, free_paise = 0 where workspace_id = ${acme.workspace_id}`;
    const refused = await start(scenario);
    expect([refused.status, refused.body]).toEqual([402, { detail: 'out of credits: add credits in Billing' }]);
    startWorker();
    expect(await finished(body.id)).toMatchObject({ status: 'error', error: 'out of credits' });
  });

  it('belongs to its workspace', async () => {
    const scenario = await newScenario();
    const { body } = await start(scenario);
    const others = await api.newWorkspace('Other');
    expect((await others.send('GET', `/test-runs/${body.id}`)).body).toEqual({ detail: 'test run not found' });
    expect((await others.send('POST', `/agents/${agentId}/tests/${scenario}/runs`)).status).toBe(404);
    expect((await others.send('POST', `/agents/${agentId}/tests/run-all`)).status).toBe(404);
  });
});

describe('runs', () => {
  it('of all scenarios are queued at once', async () => {
    const all = () => acme.send('POST', `/agents/${agentId}/tests/run-all`);
    expect((await all()).body).toEqual({ detail: 'the agent has no test scenario' });
    const scenarios = [await newScenario(), await newScenario()];
    const { status, body } = await all();
    const ids = body.runs.map((run: { scenario_id: string }) => run.scenario_id);
    expect([status, ids]).toEqual([202, scenarios.toReversed()]);
  });

  it('are listed newest first, the last fifty', async () => {
    const scenario = await newScenario();
    for (let count = 0; count < 52; count++) await start(scenario);
    const { body } = await acme.send('GET', `/agents/${agentId}/tests/${scenario}/runs`);
    expect(body).toHaveLength(50);
    expect(body.map(({ id }: { id: string }) => id)).toEqual(
      body
        .map(({ id }: { id: string }) => id)
        .toSorted()
        .reverse(),
    );
  });

  it('are two at once for a workspace, the oldest, over all processes', async () => {
    const scenario = await newScenario();
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.push((await start(scenario)).body.id);
    const limits = { limit: 8, leaseMs: 60_000, slots: 2, maxTries: 2 };
    const leases = await Promise.all([1, 2, 3].map(() => leaseRuns(api.sql, limits, systemClock.wall())));
    const leased = leases.flatMap(({ jobs }) => jobs).filter((run) => run.workspace_id === acme.workspace_id);
    expect(leased.map(({ id }) => id).toSorted()).toEqual(ids.toSorted().slice(0, 2));
  });

  it('are carried out once each by two processes', async () => {
    const scenario = await newScenario();
    const ids: string[] = [];
    for (let count = 0; count < 6; count++) ids.push((await start(scenario)).body.id);
    startWorker();
    startWorker();
    for (const id of ids) expect(await finished(id)).toMatchObject({ status: 'passed' });
    const charged = await api.sql`
      select key from ledger where workspace_id = ${acme.workspace_id} and kind = 'test'`;
    expect(charged.map(({ key }) => key).toSorted()).toEqual(ids.toSorted().map((id) => `test:${id}`));
  });

  it('of a process that died are begun once more', async () => {
    const { body } = await start(await newScenario());
    await abandon();
    startWorker();
    expect(await finished(body.id)).toMatchObject({ status: 'passed' });
  });

  it('of a process that died twice are given up', async () => {
    const { body } = await start(await newScenario());
    await abandon();
    await abandon();
    startWorker();
    expect(await finished(body.id)).toMatchObject({ status: 'error', error: 'service restarted', cost_paise: 0 });
  });

  it('go back to the queue when their process stops', async () => {
    simulator.setMode('silent');
    const { body } = await start(await newScenario());
    const worker = startWorker();
    await eventually('the first request', 60_000, async () => simulator.requests[0]);
    await worker.stop();
    expect((await acme.send('GET', `/test-runs/${body.id}`)).body).toMatchObject({
      status: 'queued',
      started_at: null,
    });
    simulator.setMode('normal');
    startWorker();
    expect(await finished(body.id)).toMatchObject({ status: 'passed' });
  });
});
