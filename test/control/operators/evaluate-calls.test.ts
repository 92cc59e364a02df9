import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelRun } from '../../../control/analysis/analyst.ts';
import { evaluateCalls } from '../../../control/operators/evaluate-calls.ts';
import { answersOf } from '../../../control/operators/evaluation/figures.ts';
import { readCriteria } from '../../../control/operators/evaluation/judge-calls.ts';
import { type CallEvent, judgedItems } from '../../../control/operators/evaluation/read-calls.ts';
import { newId } from '../../../shared/ids.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';
import { createOperatorCommand, type OperatorCommand } from '../../support/operator-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'antiphon-evaluation-'));
const AGENT = newId();
let api: TestApi;
let acme: Client;
let line: OperatorCommand;

beforeAll(async () => {
  api = await startTestApi();
  acme = await api.newWorkspace();
  line = createOperatorCommand(api.sql);
  const turns = (talk_over_ms: number) => ({
    talk_over_ms,
    missed_interruptions: 1,
    false_interruptions: 2,
    long_silences: 0,
  });
  await addCall({
    version: 1,
    answers: [
      [700, 300],
      [900, 500],
    ],
    turn_taking: turns(1_500),
  });
  await addCall({ version: 2, answers: [[1_200, 800]], turn_taking: turns(500), interrupted: 1 });
  await addCall({ version: 2, answers: [[800, 400]] });
  await addCall({ version: 2, answers: [[9_000, 400]], hoursAgo: 24 * 30 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Made {
  version: number;
  /** Felt latency, and how long the model took for its first token. */
  answers: [feltMs: number, modelMs: number][];
  turn_taking?: object;
  interrupted?: number;
  hoursAgo?: number;
}

/** An answered call; the engine adds 30 ms before the model and 10 ms before the first frame. */
async function addCall({ version, answers, turn_taking, interrupted = 0, hoursAgo = 1 }: Made): Promise<void> {
  const [id, at] = [newId(), new Date(Date.now() - hoursAgo * 3_600_000)];
  const { workspace_id } = acme;
  const transcript = [
    { role: 'agent', text: 'Hello.', at: at.getTime(), interrupted: false },
    { role: 'user', text: 'My number is secret.', at: at.getTime() + 1_000, interrupted: false },
  ];
  const row = {
    ...{ workspace_id, id, agent_id: AGENT, agent_name: 'Asha', agent_version: version, direction: 'outbound' },
    ...{ channel: 'phone', status: 'completed', from_number: '', to_number: '', started_by: '', provider: 'twilio' },
    ...{
      created_at: at,
      queued_at: at,
      started_at: at,
      ended_at: at,
      hangup_reason: 'caller hung up',
      currency: 'INR',
    },
    ...{ finished: true, transcript: api.sql.json(transcript) },
  };
  await api.sql`insert into calls ${api.sql(row as never)}`;
  const events = [
    { type: 'tts.first_audio', latency_ms: 200, data: { welcome: true, parts: {} } },
    ...answers.flatMap(([latency_ms, model_ms]) => [
      { type: 'llm.first_token', latency_ms: 100, data: { model_ms } },
      { type: 'tts.first_audio', latency_ms, data: { parts: { first_token_ms: model_ms + 30, playout_ms: 10 } } },
    ]),
    ...Array.from({ length: interrupted }, () => ({ type: 'interrupted', latency_ms: null, data: {} })),
    { type: 'tool.call', latency_ms: null, data: { name: 'book', args: { seats: 2 } } },
    { type: 'tool.result', latency_ms: 90, data: { name: 'book', status: 200, result: 'booked' } },
    { type: 'call.ended', latency_ms: null, data: turn_taking ? { turn_taking } : {} },
  ];
  for (const [index, { type, latency_ms, data }] of events.entries()) {
    const event = { workspace_id, call_id: id, seq: index + 1, id: newId(), source: 'media', source_seq: index + 1 };
    const more = { type, latency_ms, message: '', level: 'info', created_at: at, data: api.sql.json(data as never) };
    await api.sql`insert into call_events ${api.sql({ ...event, ...more } as never)}`;
  }
}

const evaluate = (options: object = {}) => line.operator(`call evaluate ${acme.workspace_id}`, options);

describe('an evaluation', () => {
  it('counts the answered calls of the last seven days', async () => {
    const { result } = await evaluate();
    expect(result.all).toEqual({
      calls: 3,
      answers: 4,
      felt_ms: { p50: 800, p95: 1_200, p99: 1_200 },
      engine_ms: { p50: 40, p95: 40, p99: 40 },
      interruptions: 1,
      turn_taking: {
        ...{
          calls: 2,
          talk_over_seconds_per_call: 1,
          missed_interruptions: 2,
          false_interruptions: 4,
          long_silences: 0,
        },
      },
    });
    expect(result.versions).toEqual([]);
  });

  it('puts the versions of one agent beside each other', async () => {
    const { result, text } = await evaluate({ agent: AGENT });
    expect(result.versions.map(({ version }: { version: number }) => version)).toEqual([2, 1]);
    expect(result.versions[0].figures).toMatchObject({ calls: 2, felt_ms: { p50: 800, p95: 1_200 } });
    expect(text).toMatch(/OF ANSWERED CALLS +ALL +VERSION 2 +VERSION 1/);
    expect(text).toMatch(/felt latency, p95 +1200 ms +1200 ms +900 ms/);
  });

  it('is of the time, the agent and the number of calls that are asked for', async () => {
    expect((await evaluate({ days: '60' })).result.all.calls).toBe(4);
    expect(
      (await evaluate({ until: new Date(Date.now() - 20 * 86_400_000).toISOString(), days: '30' })).result.all.calls,
    ).toBe(1);
    expect((await evaluate({ max: '2' })).result.all.calls).toBe(2);
    expect((await evaluate({ agent: newId() })).result.all).toMatchObject({
      calls: 0,
      felt_ms: null,
      turn_taking: null,
    });
  });

  it('is on the audit trail', async () => {
    const other = await api.newWorkspace();
    await line.operator(`call evaluate ${other.workspace_id}`);
    expect(await line.trailOf(other.workspace_id)).toContain('calls.evaluated');
  });

  it('is refused for what is no time, number or workspace', async () => {
    const refused = (options: object, workspace = acme.workspace_id) =>
      line.refusal(`call evaluate ${workspace}`, options);
    expect(await refused({ until: 'yesterday' })).toContain('--until is a time');
    expect(await refused({ days: '0' })).toBe('--days is from 1 to 366');
    expect(await refused({ max: '5001' })).toBe('--max is from 1 to 5000');
    expect(await refused({ agent: 'x' })).toBe("x is not an agent's id");
    expect(await refused({}, newId())).toContain('not found');
  });

  it('is written as one page without scripts, addresses or what was said', async () => {
    const to = join(folder, 'report.html');
    await evaluate({ agent: AGENT, to });
    const page = readFileSync(to, 'utf8');
    expect(page).toContain('<h1>Evaluation of 3 calls</h1>');
    expect(page).toContain('<svg');
    expect(page).not.toMatch(/<script|src=|href=|secret/);
  });
});

describe('criteria', () => {
  const set = () => ({
    ...{ workspace_id: acme.workspace_id, agent_id: AGENT, until: new Date(), max: 10 },
    since: new Date(Date.now() - 86_400_000),
  });
  const criteria = ['The agent is polite.', 'A table is <booked>.'];

  it('are judged for each call, with its tools', async () => {
    const asked: string[] = [];
    const run: ModelRun = {
      tokensUsed: () => [],
      async ask({ data, instructions, parse }) {
        asked.push(`${instructions}\n${data}`);
        const verdicts = criteria.map((_, nth) => ({ criterion: nth + 1, passed: nth === 0, reason: '', quote: '' }));
        return { value: parse(JSON.stringify({ verdicts }))! };
      },
    };
    const deps = { sql: api.sql, wallMs: Date.now() };
    const { evaluation, page } = await evaluateCalls(deps, set(), { run, criteria });
    expect(evaluation.judged).toEqual({
      criteria: [
        { text: criteria[0], passed: 3, of: 3 },
        { text: criteria[1], passed: 0, of: 3 },
      ],
      failed: 0,
    });
    expect(asked[0]).toContain(JSON.stringify('book {"seats":2}: booked'));
    expect(asked[0]).toContain('How the call ended: caller hung up.');
    expect(asked[0]).not.toContain('The call was a test');
    expect(page).toContain('A table is &lt;booked&gt;.');
  });

  it('are judged with what each of two calls of a tool at once was asked', () => {
    const event = (type: CallEvent['type'], data: object): CallEvent => ({
      ...{ type, latency_ms: null, created_at: new Date(0), data: { name: 'find', ...data } },
    });
    const events = [
      ...['Pune', 'Goa'].map((city) => event('tool.call', { args: { city } })),
      ...['12 °C', '30 °C'].map((result) => event('tool.result', { result })),
    ];
    const of = { id: '', agent_version: 1, started_at: new Date(0), hangup_reason: '', transcript: [], events };
    expect(judgedItems(of)).toMatchObject([
      { args: { city: 'Pune' }, result: '12 °C' },
      { args: { city: 'Goa' }, result: '30 °C' },
    ]);
  });

  it('are not decided where the model fails', async () => {
    const run: ModelRun = { tokensUsed: () => [], ask: async () => ({ failed: 'timeout' }) };
    const { evaluation } = await evaluateCalls({ sql: api.sql, wallMs: Date.now() }, set(), { run, criteria });
    expect(evaluation.judged).toMatchObject({
      failed: 3,
      criteria: [
        { passed: 0, of: 0 },
        { passed: 0, of: 0 },
      ],
    });
  });

  it('are the lines of a file', () => {
    const file = join(folder, 'criteria.txt');
    writeFileSync(file, 'The agent is polite.\n\n  A table is booked. \n');
    expect(readCriteria(file)).toEqual(['The agent is polite.', 'A table is booked.']);
    writeFileSync(file, '\n');
    expect(() => readCriteria(file)).toThrow('has 1 to 20 lines');
  });
});

describe('the answers of a timeline', () => {
  const event = (type: CallEvent['type'], latency_ms: number | null, data: object): CallEvent => {
    return { type, latency_ms, data: { ...data }, created_at: new Date() };
  };

  it('are neither welcomes nor fillers nor prompts without a model', () => {
    const parts = { first_token_ms: 300, playout_ms: 5 };
    const events = [
      event('tts.first_audio', 100, { welcome: true, parts }),
      event('tts.first_audio', 100, { filler: true, parts }),
      event('tts.first_audio', 100, { parts: { playout_ms: 5 } }),
    ];
    expect(answersOf(events)).toEqual([]);
  });

  it('have no part of the engine where the model took its time before the turn was over', () => {
    const events = [
      event('llm.first_token', 10, { model_ms: 400 }),
      event('tts.first_audio', 350, { parts: { first_token_ms: 0, playout_ms: 5 } }),
    ];
    expect(answersOf(events)).toEqual([{ felt_ms: 350, engine_ms: 5 }]);
  });

  it('say nothing of the engine where the timeline does not', () => {
    const events = [event('tts.first_audio', 350, { parts: { first_token_ms: 200 } })];
    expect(answersOf(events)).toEqual([{ felt_ms: 350, engine_ms: null }]);
  });
});
