import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentText, type OpenAiSimulator, startOpenAiSimulator } from '../../../fixtures/simulators/openai.ts';
import { startTestApi, type TestApi } from '../../support/control-app.ts';
import { eventually } from '../../support/until.ts';
import { CALLER_PROMPT, JUDGE_PROMPT, judgeByRule } from './scripted-models.ts';

/** Processes that carry out runs, killed with SIGKILL in the middle of them. */

const PROGRAM = fileURLToPath(new URL('../../support/run-worker-program.ts', import.meta.url));

let simulator: OpenAiSimulator;
let api: TestApi;
const processes: ChildProcess[] = [];

beforeAll(async () => {
  simulator = await startOpenAiSimulator({
    firstTokenMs: 1,
    tokenIntervalMs: 0,
    answer(messages) {
      const [system, last] = [messages[0]!, messages.at(-1)!].map(contentText) as [string, string];
      if (system.includes(JUDGE_PROMPT)) return { text: judgeByRule(system, last) };
      if (!system.includes(CALLER_PROMPT)) return { text: 'It left Pune.' };
      const isFirst = !messages.some(({ role }) => role === 'assistant');
      return isFirst ? { text: 'Where is it?' } : { text: 'Bye.', toolCalls: [{ name: 'hang_up', arguments: {} }] };
    },
  });
  api = await startTestApi();
});
afterAll(async () => {
  for (const each of processes) each.kill('SIGKILL');
  await simulator.close();
});

async function startProcess(): Promise<ChildProcess> {
  const started = fork(PROGRAM, [api.databaseUrl, simulator.url, simulator.apiKey], { stdio: 'ignore' });
  processes.push(started);
  await once(started, 'message');
  return started;
}

async function kill(victim: ChildProcess): Promise<void> {
  victim.kill('SIGKILL');
  await once(victim, 'exit');
}

/** A run that one process has begun: its first request to the model is never answered. */
async function begunBy(victim: () => Promise<ChildProcess>, count = 1) {
  const acme = await api.newWorkspace('Acme');
  const agent = (await acme.send('POST', '/agents', { name: 'Asha', system_prompt: 'Serve.' })).body.id;
  const scenario = { name: 'Order', persona: 'Ravi', criteria: ['agent says Pune'] };
  const { id } = (await acme.send('POST', `/agents/${agent}/tests`, scenario)).body;
  const run = (await acme.send('POST', `/agents/${agent}/tests/${id}/runs`)).body.id;
  for (let killed = 0; killed < count; killed++) {
    simulator.setMode('silent');
    simulator.requests.length = 0;
    const begun = await victim();
    await eventually('the first request', 60_000, async () => simulator.requests[0]);
    await kill(begun);
    // As after the time that a process without renewals has.
    await api.sql`update agent_test_runs set leased_until = now() where id = ${run}`;
  }
  simulator.setMode('normal');
  const finished = () =>
    eventually('the end of the run', 60_000, async () => {
      const { body } = await acme.send('GET', `/test-runs/${run}`);
      return ['queued', 'running'].includes(body.status) ? null : body;
    });
  const charges = async () =>
    api.sql`select key from ledger where workspace_id = ${acme.workspace_id} and kind = 'test'`;
  return { run, finished, charges };
}

describe('a process killed in the middle of a run', () => {
  it('leaves it to another process, which carries it out whole, and it is charged once', async () => {
    const { run, finished, charges } = await begunBy(startProcess);
    await startProcess();
    expect(await finished()).toMatchObject({
      ...{ status: 'passed', error: '' },
      transcript: [{ text: 'Where is it?' }, { text: 'It left Pune.' }, { text: 'Bye.' }],
    });
    expect(await charges()).toEqual([{ key: `test:${run}` }]);
    await Promise.all(processes.splice(0).map((each) => (each.exitCode === null && !each.killed ? kill(each) : null)));
  });

  it('twice leaves an error, and nothing is charged', async () => {
    const { finished, charges } = await begunBy(startProcess, 2);
    await startProcess();
    expect(await finished()).toMatchObject({ status: 'error', error: 'service restarted', cost_paise: 0 });
    expect(await charges()).toEqual([]);
  });
});
