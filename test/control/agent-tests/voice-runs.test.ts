import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deleteExpiredTestRecordings } from '../../../control/agent-tests/recording-retention.ts';
import { leaseRuns } from '../../../control/agent-tests/run-store.ts';
import { type RunTimes, startRunWorker } from '../../../control/agent-tests/run-worker.ts';
import { agentOfTestCall } from '../../../control/agent-tests/running-test.ts';
import { readControlConfig } from '../../../control/config.ts';
import type { PollingJob } from '../../../control/db/polling-job.ts';
import { contentText, type OpenAiSimulator, startOpenAiSimulator } from '../../../fixtures/simulators/openai.ts';
import { type Clock, systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { chunkName } from '../../../shared/recordings/chunks.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';
import { holdTimers } from '../../support/held-timers.ts';
import { createMemoryStore, type MemoryStore } from '../../support/memory-store.ts';
import { eventually } from '../../support/until.ts';
import { createFakeTestEngine, type FakeTestEngine } from './fake-test-engine.ts';
import { CALLER_PROMPT, JUDGE_PROMPT, judgeByRule } from './scripted-models.ts';

/** Runs aloud over a real database, with an engine that has no audio: media's side is in test/media/test-caller. */

let simulator: OpenAiSimulator;
let api: TestApi;
let acme: Client;
let agentId: string;
let engine: FakeTestEngine;
let store: MemoryStore;
let worker: PollingJob | null;

beforeAll(async () => {
  simulator = await startOpenAiSimulator({
    firstTokenMs: 1,
    tokenIntervalMs: 0,
    answer(messages) {
      const [system, last] = [messages[0]!, messages.at(-1)!].map(contentText) as [string, string];
      if (system.includes(JUDGE_PROMPT)) return { text: judgeByRule(system, last) };
      if (!system.includes(CALLER_PROMPT)) throw new Error('the agent answers at its engine');
      if (last.startsWith('(The agent has begun')) return { text: 'Order seven.' };
      if (last.includes('Pune')) return { text: 'Bye.', toolCalls: [{ name: 'hang_up', arguments: {} }] };
      return { text: 'Where is my order?' };
    },
  });
  api = await startTestApi();
});
afterAll(() => simulator.close());

beforeEach(async () => {
  acme = await api.newWorkspace('Acme');
  agentId = (await acme.send('POST', '/agents', { name: 'Asha', welcome_message: 'Hello.', system_prompt: 'Serve.' }))
    .body.id;
  engine = createFakeTestEngine();
  store = createMemoryStore();
  worker = null;
});
afterEach(async () => {
  await worker?.stop();
  await api.sql`delete from agent_test_runs where status in ('queued', 'running')`;
});

function startWorker(times: Partial<RunTimes> = {}, clock: Clock = systemClock): void {
  const settings = readControlConfig({
    ...{ DATABASE_URL: 'x', MEDIA_TOKEN_SECRET: 'a secret of the tests', RECORDINGS_DIR: 'x' },
    ...{ OPENAI_BASE_URL: simulator.url, OPENAI_API_KEY: simulator.apiKey },
  });
  worker = startRunWorker({
    ...{ sql: api.sql, clock, log: createLogger('control', 'silent'), settings, testModel: null },
    ...{ bus: engine.bus, recordings: store, times: { interval_ms: 20, ...times }, writeLog: () => {} },
    searchKnowledge: async () => ({ items: [], hits: 0, embed_ms: 0, search_ms: 0 }),
  });
}

async function start(how: object = {}, scenario: object = {}): Promise<string> {
  const made = { name: 'Order', persona: 'Ravi', criteria: ['agent says Pune'], ...scenario };
  const { body } = await acme.send('POST', `/agents/${agentId}/tests`, made);
  const run = await acme.send('POST', `/agents/${agentId}/tests/${body.id}/runs`, { mode: 'voice', ...how });
  expect([run.status, run.body]).toMatchObject([202, { status: 'queued', mode: 'voice', voice: null }]);
  return run.body.id;
}

const finished = (id: string) =>
  eventually('the end of the run', 60_000, async () => {
    const { body } = await acme.send('GET', `/test-runs/${id}`);
    return ['queued', 'running'].includes(body.status) ? null : body;
  });

describe('a run aloud', () => {
  it('is a call at an engine, judged by the same criteria, with what was measured', async () => {
    const id = await start({ background_noise: 'cafe', interruptions: 1 }, { tool_results: { look_up: 'Pune' } });
    engine.onTurn = ({ turn, text, interruption, hangs_up }) => {
      if (turn === 0) return engine.agentSays('Hello.');
      if (hangs_up) return engine.hangUp('caller hung up');
      engine.transcribes(text);
      if (interruption === '') return engine.agentSays('It left Pune.', { first_audio_ms: 700 });
      engine.agentSays('Your order', { first_audio_ms: 900, interrupted: true });
      engine.tool('look_up', 'Pune');
      return engine.agentSays('Order seven left Pune.', {
        first_audio_ms: 800,
        stopped_after_ms: 300,
        talk_over_ms: 400,
      });
    };
    startWorker();
    const run = await finished(id);
    expect(run).toMatchObject({
      ...{ status: 'passed', error: '', mode: 'voice', recording_url: `/api/v1/test-runs/${id}/recording` },
      criteria: [{ passed: true, quote: 'Order seven left Pune.' }],
      voice: {
        ...{ background_noise: 'cafe', duration_seconds: 9, first_audio_p50_ms: 800, first_audio_p95_ms: 900 },
        ...{ interruptions: 1, replies_interrupted: 1, stopped_after_p50_ms: 300, stopped_after_max_ms: 300 },
        ...{ talk_over_ms: 400, stt_seconds: 8, tts_characters: 72 },
      },
    });
    expect(run.transcript.map(({ at, ...item }: { at: string }) => item)).toEqual([
      { role: 'agent', text: 'Hello.', interrupted: false },
      { role: 'user', text: 'Where is my order?', transcribed: 'where is my order?', interrupted: false },
      { role: 'agent', text: 'Your order', interrupted: true },
      { role: 'user', text: 'Order seven.', transcribed: '', interrupted: false },
      { role: 'tool', name: 'look_up', args: {}, result: 'Pune' },
      { role: 'agent', text: 'Order seven left Pune.', interrupted: false },
      { role: 'user', text: 'Bye.', transcribed: '', interrupted: false },
    ]);
    const { session, background_noise } = engine.started[0]!;
    expect([background_noise, session.call_id, session.test]).toEqual(['cafe', id, expect.anything()]);
    expect(JSON.parse(session.test!.tool_results_json)).toEqual({ look_up: 'Pune' });
    expect(JSON.parse(session.agent_json).call.record).toBe(true);
    // Speech is charged beside the models of the caller, the judge and the agent.
    expect(run.usage).toMatchObject({ llm_calls: 6 });
    const [row] = (await acme.send('GET', '/billing/ledger')).body.items;
    expect(row).toMatchObject({ kind: 'test', amount_paise: -run.cost_paise });
    expect(await api.sql`select 1 from calls where workspace_id = ${acme.workspace_id}`).toHaveLength(0);
  });

  it('ends after the last turn, and when the agent ends it', async () => {
    engine.onTurn = ({ hangs_up }) => (hangs_up ? engine.hangUp('caller hung up') : engine.agentSays('Which order?'));
    const criteria = ['the call ends: too many turns'];
    const id = await start({ interruptions: 0 }, { max_turns: 2, criteria });
    startWorker();
    expect(await finished(id)).toMatchObject({ status: 'passed', criteria: [{ passed: true }] });
    engine.onTurn = ({ turn }) => (turn === 0 ? engine.agentSays('Hello.') : engine.hangUp('agent ended the call'));
    const other = await start({}, { criteria: ['the call ends: agent ended the call'] });
    expect(await finished(other)).toMatchObject({ status: 'passed' });
  });

  it('whose call breaks off is an error with what was said, and free', async () => {
    engine.onTurn = ({ turn }) => (turn === 0 ? engine.agentSays('Hello.') : engine.hangUp('error: transcriber'));
    const id = await start();
    startWorker();
    expect(await finished(id)).toMatchObject({
      ...{ status: 'error', error: 'provider failed: the call broke off, error: transcriber' },
      ...{ transcript: [{ text: 'Hello.' }, { text: 'Where is my order?' }], voice: null, cost_paise: 0 },
    });
  });

  it('whose engine dies, or whose caller has no voice, is an error', async () => {
    engine.onTurn = () => {
      throw new Error('no responders');
    };
    const id = await start();
    startWorker();
    expect(await finished(id)).toMatchObject({ status: 'error', error: 'provider failed: the media engine is lost' });
    engine.onTurn = () => ({ done: true, over: true, failed: "the caller's voice failed: auth" });
    const other = await start();
    expect(await finished(other)).toMatchObject({ error: "provider failed: the caller's voice failed: auth" });
  });

  it('that takes too long is hung up', async () => {
    engine.onTurn = () => ({ done: false, over: false, failed: '' });
    const id = await start();
    const timeout_ms = 240_000;
    const deadline = holdTimers(timeout_ms);
    startWorker({ timeout_ms }, deadline.clock);
    await eventually('the first turn', 60_000, async () => engine.started[0]);
    deadline.run();
    expect(await finished(id)).toMatchObject({ status: 'error', error: expect.stringContaining('minutes passed') });
    expect(engine.hangUps).toEqual([id]);
  });

  it('goes back to the queue, hung up, when its process stops', async () => {
    engine.onTurn = () => ({ done: false, over: false, failed: '' });
    const id = await start();
    startWorker();
    await eventually('the first turn', 60_000, async () => engine.started[0]);
    await worker!.stop();
    expect((await acme.send('GET', `/test-runs/${id}`)).body).toMatchObject({ status: 'queued' });
    expect(engine.hangUps).toEqual([id]);
  });

  it('waits for an engine with headroom', async () => {
    engine.refuses = 1;
    engine.onTurn = ({ turn }) => (turn === 0 ? engine.agentSays('Pune.') : engine.hangUp('agent ended the call'));
    const id = await start();
    startWorker();
    expect(await finished(id)).toMatchObject({ status: 'passed' });
  });

  it('that is begun again has nothing of what the first call recorded', async () => {
    const id = await start();
    await store.put(chunkName(acme.workspace_id, id, 7), new Uint8Array(8));
    await leaseRuns(api.sql, { limit: 8, leaseMs: -1, slots: 2, maxTries: 2 }, systemClock.wall());
    engine.onTurn = ({ turn }) => (turn === 0 ? engine.agentSays('Pune.') : engine.hangUp('agent ended the call'));
    startWorker();
    expect(await finished(id)).toMatchObject({ status: 'passed' });
    expect(store.objects.size).toBe(0);
  });

  it("lets its engine ask for the agent's knowledge while it is on, and not afterwards", async () => {
    const id = await start();
    expect(await agentOfTestCall(api.sql, id)).toBeNull();
    await leaseRuns(api.sql, { limit: 8, leaseMs: 60_000, slots: 2, maxTries: 2 }, systemClock.wall());
    expect(await agentOfTestCall(api.sql, id)).toMatchObject({ workspace_id: acme.workspace_id });
    expect(await agentOfTestCall(api.sql, 'no id')).toBeNull();
  });

  it('is refused with an unknown noise', async () => {
    const { body } = await acme.send('POST', `/agents/${agentId}/tests/run-all`, {
      mode: 'voice',
      background_noise: 'rain',
    });
    expect(body.detail[0].loc).toEqual(['body', 'background_noise']);
  });
});

describe('the recording of a run', () => {
  it('is not found where there is none, and is deleted after a year', async () => {
    engine.onTurn = ({ turn }) => (turn === 0 ? engine.agentSays('Pune.') : engine.hangUp('agent ended the call'));
    const id = await start();
    expect((await acme.send('GET', `/test-runs/${id}/recording`)).body).toEqual({ detail: 'recording not found' });
    startWorker();
    await finished(id);
    await store.put(chunkName(acme.workspace_id, id, 0), new Uint8Array(8));
    const deps = { sql: api.sql, log: createLogger('control', 'silent'), recordings: store };
    await deleteExpiredTestRecordings({ ...deps, clock: systemClock });
    expect(store.objects.size).toBe(1);
    const inAYear = { ...systemClock, wall: () => systemClock.wall() + 366 * 24 * 3_600_000 };
    await deleteExpiredTestRecordings({ ...deps, clock: inAYear });
    expect(store.objects.size).toBe(0);
    expect((await acme.send('GET', `/test-runs/${id}`)).body.recording_url).toBeNull();
  });
});
