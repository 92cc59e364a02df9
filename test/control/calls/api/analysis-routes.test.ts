import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Analyst } from '../../../../control/analysis/analyst.ts';
import { rerunAnalysis } from '../../../../control/calls/after-call/rerun-analysis.ts';
import { contentText, type OpenAiSimulator, startOpenAiSimulator } from '../../../../fixtures/simulators/openai.ts';
import { systemClock } from '../../../../shared/clock.ts';
import { newId } from '../../../../shared/ids.ts';
import { createLogger } from '../../../../shared/log.ts';
import { type Client, startTestApi, type TestApi } from '../../../support/control-app.ts';
import { until } from '../../../support/until.ts';
import { ANALYTICS, FOUND } from '../after-call/after-call-fixture.ts';

let simulator: OpenAiSimulator;
let api: TestApi;
let acme: Client;
let agent: { id: string };
let answer = FOUND;
const shown: string[] = [];

beforeAll(async () => {
  simulator = await startOpenAiSimulator({
    firstTokenMs: 1,
    answer(messages) {
      shown.push(contentText(messages[1]!));
      return { text: answer };
    },
  });
  api = await startTestApi({}, { OPENAI_BASE_URL: simulator.url, OPENAI_API_KEY: simulator.apiKey });
  acme = await api.newWorkspace('Acme');
  await credits(acme, 100_000);
  agent = (await acme.send('POST', '/agents', { name: 'Asha', analytics: ANALYTICS })).body;
});
afterAll(() => simulator.close());
beforeEach(() => {
  answer = FOUND;
  shown.length = 0;
  simulator.setMode('normal');
});

async function credits({ workspace_id }: Client, paise: number): Promise<void> {
  await api.sql`
    insert into wallets (workspace_id, paid_paise, opened_at) values (${workspace_id}, ${paise}, now())
    on conflict (workspace_id) do update set paid_paise = ${paise}, free_paise = 0`;
}

/** A call of the agent, finished by default. */
async function insertCall(fields: Record<string, unknown> = {}, by = acme): Promise<string> {
  const id = newId();
  const row = {
    ...{ id, workspace_id: by.workspace_id, agent_id: agent.id, agent_name: 'Asha', agent_version: 1 },
    ...{ direction: 'outbound', channel: 'phone', status: 'completed', from_number: '+911140000001' },
    ...{ to_number: '+919811112222', started_by: 'tests', provider: 'twilio', currency: 'INR' },
    ...{ created_at: new Date(), queued_at: new Date(), started_at: new Date(), completed_at: new Date() },
    transcript: api.sql.json([{ role: 'user', text: 'I want two shoes', at: Date.now(), interrupted: false }]),
    ...fields,
  };
  await api.sql`insert into calls ${api.sql(row as never)}`;
  return id;
}

const runs = (callId: string) =>
  api.sql<{ amount_paise: number }[]>`select amount_paise from ledger where call_id = ${callId}`;
const analyze = (id: string, by = acme) => by.send('POST', `/calls/${id}/analyze`);

describe('analysing a call again', () => {
  it('saves the result, charges each run, and sends no second call.completed', async () => {
    const id = await insertCall();
    const { status, body } = await analyze(id);
    expect([status, body.summary, body.extracted]).toEqual([200, 'Wants two shoes.', { pairs: 2, wants: 'shoes' }]);
    expect(body.analysis_cost_paise).toBeGreaterThan(0);
    const again = (await analyze(id)).body;
    expect(again.analysis_cost_paise).toBe(2 * body.analysis_cost_paise);
    expect((await runs(id)).map(({ amount_paise }) => amount_paise)).toEqual([
      -body.analysis_cost_paise,
      -body.analysis_cost_paise,
    ]);
    expect((await acme.send('GET', `/calls/${id}`)).body).toEqual(again);
    expect((await acme.send('GET', `/calls/${id}/events`)).body).toEqual([]);
  });

  it('keeps fields that the configuration does not ask for', async () => {
    const quiet = (await acme.send('POST', '/agents', { name: 'Quiet' })).body;
    const id = await insertCall({ agent_id: quiet.id, summary: 'as it was' });
    expect((await analyze(id)).body).toMatchObject({ summary: 'as it was', analysis_cost_paise: 0 });
    expect(shown).toEqual([]);
  });

  it('analyses a connected call that failed', async () => {
    expect((await analyze(await insertCall({ status: 'failed' }))).body.summary).toBe('Wants two shoes.');
  });

  it.each([
    ['queued', { status: 'queued', started_at: null, completed_at: null }, 'the call is still live'],
    ['in progress', { status: 'in-progress', completed_at: null }, 'the call is still live'],
    ['not connected', { status: 'no-answer', started_at: null, completed_at: null }, 'the call never connected'],
    ['failed before it connected', { status: 'failed', started_at: null }, 'the call never connected'],
    ['being analysed', { status: 'ended', completed_at: null }, 'the call is still being analysed'],
  ])('refuses one that is %s', async (_, fields, detail) => {
    const { status, body } = await analyze(await insertCall(fields));
    expect([status, body]).toEqual([409, { detail }]);
    expect(shown).toEqual([]);
  });

  it('finds no call of another workspace, and none whose agent was deleted', async () => {
    const other = await api.newWorkspace('Other');
    const id = await insertCall();
    for (const [call, by, detail] of [
      [id, other, 'call not found'],
      [newId(), acme, 'call not found'],
      ['x', acme, 'call not found'],
      [await insertCall({ agent_id: newId() }), acme, 'agent not found'],
    ] as const) {
      const { status, body } = await analyze(call, by);
      expect([status, body]).toEqual([404, { detail }]);
    }
  });

  it('needs credits, and does not ask the model without', async () => {
    const poor = await api.newWorkspace('Poor');
    await credits(poor, 0);
    const own = (await poor.send('POST', '/agents', { name: 'Asha', analytics: ANALYTICS })).body;
    const id = await insertCall({ agent_id: own.id }, poor);
    const { status, body } = await analyze(id, poor);
    expect([status, body]).toEqual([402, { detail: 'out of credits: add credits in Billing' }]);
    expect(shown).toEqual([]);
  });

  it('returns 502 when the model does not answer, and saves and charges nothing', async () => {
    const id = await insertCall({ summary: 'as it was' });
    const detail = 'language model did not answer; try again shortly';
    simulator.setMode('broken');
    expect(await analyze(id)).toMatchObject({ status: 502, body: { detail } });
    simulator.setMode('normal');
    answer = 'Sure!';
    expect(await analyze(id)).toMatchObject({ status: 502, body: { detail } });
    expect((await acme.send('GET', `/calls/${id}`)).body).toMatchObject({
      summary: 'as it was',
      analysis_cost_paise: 0,
    });
    expect(await runs(id)).toEqual([]);
  });

  it('runs at most three at once for a workspace', async () => {
    let answerAll = () => {};
    const released = new Promise<void>((resolve) => {
      answerAll = resolve;
    });
    let asked = 0;
    const analyst: Analyst = {
      open: () => ({
        tokensUsed: () => [],
        async ask({ parse: read }) {
          asked++;
          await released;
          return { value: read(FOUND)! };
        },
      }),
    };
    const { workspace_id } = acme;
    const actor = { kind: 'user', id: 'tester', name: 'tests' } as const;
    const run = async (call_id: string) =>
      rerunAnalysis(
        { sql: api.sql, clock: systemClock, analyst },
        { workspace_id, call_id, actor, log: createLogger('test', 'silent') },
      );
    const [first, second, third, fourth] = await Promise.all([1, 2, 3, 4].map(() => insertCall()));
    const three = [run(first!), run(second!), run(third!)];
    await until(() => asked === 3, 'three models are asked');
    await expect(run(fourth!)).rejects.toMatchObject({
      status: 409,
      detail: 'only 3 analyses run at once; try again shortly',
    });
    answerAll();
    for (const { summary } of await Promise.all(three)) expect(summary).toBe('Wants two shoes.');
    expect((await run(fourth!)).summary).toBe('Wants two shoes.');
  });

  it('needs the permission to edit agents', async () => {
    const id = await insertCall();
    const viewer = await api.asUser('viewer', acme.workspace_id);
    expect((await analyze(id, viewer)).status).toBe(403);
  });
});

describe('testing analytics', () => {
  const test = (body: object, by = acme, id = agent.id) => by.send('POST', `/agents/${id}/analytics/test`, body);

  it('runs a configuration that is not saved, and saves nothing on the call', async () => {
    const call_id = await insertCall({ summary: 'as it was' });
    answer = '{"extracted": {"colour": "red"}}';
    const { status, body } = await test({ call_id, analytics: { extractions: [{ key: 'colour' }] } });
    expect([status, body]).toEqual([
      200,
      { summary: '', extracted: { colour: 'red' }, cost_paise: expect.any(Number), currency: 'INR' },
    ]);
    expect(body.cost_paise).toBeGreaterThan(0);
    expect(await runs(call_id)).toEqual([{ amount_paise: -body.cost_paise }]);
    expect((await acme.send('GET', `/calls/${call_id}`)).body).toMatchObject({
      summary: 'as it was',
      extracted: {},
      analysis_cost_paise: 0,
    });
  });

  it("runs the agent's own configuration by default, on any call of the workspace", async () => {
    const call_id = await insertCall({ agent_id: newId() });
    const { body } = await test({ call_id });
    expect(body).toMatchObject({ summary: 'Wants two shoes.', extracted: { pairs: 2, wants: 'shoes' } });
  });

  it('costs nothing when nothing is asked for', async () => {
    const call_id = await insertCall();
    const { body } = await test({ call_id, analytics: {} });
    expect(body).toEqual({ summary: '', extracted: {}, cost_paise: 0, currency: 'INR' });
    expect(shown).toEqual([]);
  });

  it('refuses what it cannot run', async () => {
    const call_id = await insertCall();
    const other = await api.newWorkspace('Other');
    const unconnected = await insertCall({ status: 'busy', started_at: null });
    expect(await test({ call_id: newId() })).toMatchObject({ status: 404, body: { detail: 'call not found' } });
    expect(await test({ call_id: 'x' })).toMatchObject({ status: 404 });
    expect(await test({ call_id }, other)).toMatchObject({ status: 404, body: { detail: 'agent not found' } });
    expect(await test({ call_id: unconnected })).toMatchObject({
      status: 409,
      body: { detail: 'the call never connected' },
    });
    expect((await test({})).status).toBe(422);
    const wrong = await test({ call_id, analytics: { extractions: [{ key: 'Not A Key' }] } });
    expect([wrong.status, wrong.body.detail[0].loc]).toEqual([422, ['body', 'analytics', 'extractions', 0, 'key']]);
    simulator.setMode('broken');
    expect((await test({ call_id })).status).toBe(502);
  });
});
