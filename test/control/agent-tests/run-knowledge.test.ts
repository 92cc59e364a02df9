import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRunWorker } from '../../../control/agent-tests/run-worker.ts';
import { readControlConfig } from '../../../control/config.ts';
import { processSources } from '../../../control/knowledge/process-sources.ts';
import { createSearch } from '../../../control/knowledge/search.ts';
import { contentText, type OpenAiSimulator, startOpenAiSimulator } from '../../../fixtures/simulators/openai.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { afterFile } from '../../support/after-file.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';
import { holdTimers } from '../../support/held-timers.ts';
import { createMemoryStore } from '../../support/memory-store.ts';
import { eventually } from '../../support/until.ts';
import { CALLER_PROMPT, JUDGE_PROMPT, judgeByRule } from './scripted-models.ts';

/** The agent of a run knows what it knows in a call. */

let simulator: OpenAiSimulator;
let api: TestApi;
let acme: Client;
const log = createLogger('control', 'silent');
const deps = () => ({ sql: api.sql, clock: systemClock, log, embedder: null });

beforeAll(async () => {
  simulator = await startOpenAiSimulator({
    firstTokenMs: 1,
    tokenIntervalMs: 0,
    answer(messages) {
      const [system, last] = [messages[0]!, messages.at(-1)!].map(contentText) as [string, string];
      if (system.includes(JUDGE_PROMPT)) return { text: judgeByRule(system, last) };
      if (system.includes(CALLER_PROMPT)) {
        const isFirst = !messages.some(({ role }) => role === 'assistant');
        return isFirst
          ? { text: 'When does the spa open?' }
          : { text: 'Bye.', toolCalls: [{ name: 'hang_up', arguments: {} }] };
      }
      const knows = messages.some((message) => contentText(message).includes('opens at noon'));
      return { text: knows ? 'It opens at noon.' : 'I do not know.' };
    },
  });
  api = await startTestApi();
  acme = await api.newWorkspace('Acme');
  const settings = readControlConfig({
    ...{ DATABASE_URL: 'x', MEDIA_TOKEN_SECRET: 'a secret of the tests', RECORDINGS_DIR: 'x' },
    ...{ OPENAI_BASE_URL: simulator.url, OPENAI_API_KEY: simulator.apiKey },
  });
  // A look-up of knowledge may take longer than its 2 seconds.
  const { clock } = holdTimers(2_000);
  const worker = startRunWorker({
    ...{ ...deps(), clock, settings, testModel: null, bus: {} as never, recordings: createMemoryStore() },
    ...{ writeLog: () => {}, searchKnowledge: createSearch(deps()), times: { interval_ms: 20 } },
  });
  afterFile(() => worker.stop());
});
afterAll(() => simulator.close());

async function runWith(knowledge: object): Promise<{ status: string }> {
  const agent = { name: 'Asha', system_prompt: 'Serve.', ...knowledge };
  const { id } = (await acme.send('POST', '/agents', agent)).body;
  const scenario = { name: 'Spa', persona: 'Ravi', criteria: ['agent says noon'] };
  const made = (await acme.send('POST', `/agents/${id}/tests`, scenario)).body;
  const run = (await acme.send('POST', `/agents/${id}/tests/${made.id}/runs`)).body;
  return eventually('the end of the run', 60_000, async () => {
    const { body } = await acme.send('GET', `/test-runs/${run.id}`);
    return ['queued', 'running'].includes(body.status) ? null : body;
  });
}

async function baseOf(text: string): Promise<string> {
  const { id } = (await acme.send('POST', '/knowledge-bases', { name: `Hotel ${text.length}` })).body;
  await acme.send('POST', `/knowledge-bases/${id}/sources/text`, { name: 'Hours', text });
  await processSources(deps());
  return id;
}

describe('the agent of a run', () => {
  it('has short knowledge in its prompt', async () => {
    expect(await runWith({})).toMatchObject({ status: 'failed' });
    expect(await runWith({ knowledge_base_ids: [await baseOf('The spa opens at noon.')] })).toMatchObject({
      status: 'passed',
    });
  });

  it('searches long knowledge, turn by turn', async () => {
    const text = `${'The pool is heated. '.repeat(400)}The spa opens at noon. ${'The bar has music. '.repeat(400)}`;
    const found = await runWith({ knowledge_base_ids: [await baseOf(text)], knowledge_mode: 'search' });
    expect(found).toMatchObject({ status: 'passed', criteria: [{ quote: 'It opens at noon.' }] });
  });
});
