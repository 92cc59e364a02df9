import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenAiSimulator, startOpenAiSimulator } from '../../fixtures/simulators/openai.ts';
import { CHUNK_BYTES, chunkName } from '../../shared/recordings/chunks.ts';
import { createDiskStore } from '../../shared/recordings/disk-store.ts';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { giveCredits, PLENTY_PAISE } from '../support/credits.ts';
import { lookAt } from '../support/page-checks.ts';
import { openSignedIn } from '../support/sign-in-page.ts';

/** The test scenarios of an agent and their runs, in a real browser; skipped where there is none. */

const recordings = mkdtempSync(join(tmpdir(), 'antiphon-console-tests-'));
let fixture: ConsoleFixture;
let browser: Browser;
let model: OpenAiSimulator;

const SCENARIO = {
  ...{ name: 'Books a table', persona: 'You are Ravi and want a table for four at eight.', first_message: 'Hello?' },
  ...{ criteria: ['The agent books a table for four', 'The agent is kind'], max_turns: 6, language: '' },
  ...{ user_data: { city: 'Pune' }, tool_results: { book_table: 'booked' } },
};

beforeAll(async () => {
  if (!CHROMIUM) return;
  const drafts = { scenarios: ['First', 'Second'].map((name) => ({ ...SCENARIO, name })) };
  model = await startOpenAiSimulator({
    ...{ firstTokenMs: 1, tokenIntervalMs: 0, answer: () => ({ text: JSON.stringify(drafts) }) },
  });
  const settings = { RECORDINGS_DIR: recordings, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: model.apiKey };
  [fixture, browser] = await Promise.all([startConsole({ settings }), sharedChromium()]);
});
afterAll(async () => {
  await model?.close();
  rmSync(recordings, { recursive: true, force: true });
});

type User = Awaited<ReturnType<ConsoleFixture['newUser']>>;

/** A person with credits, and an agent. */
async function newAgent() {
  const user = await fixture.newUser();
  await giveCredits(fixture.api.sql, user.workspace_id, PLENTY_PAISE);
  const agentId = await fixture.newAgent(user.workspace_id, { name: 'Maya', system_prompt: 'You serve {city}.' });
  const owner = await fixture.api.asUser('owner', user.workspace_id);
  return { user, agentId, owner, at: `/agents/${agentId}/tests` };
}

const opened = (user: User, path: string) => openSignedIn(browser, `${fixture.url}${path}`, user);

/** Ends the runs of the agent as the worker would: the first criterion is met, the second is not. */
async function finishRuns(agentId: string, columns: object = {}): Promise<void> {
  const { sql } = fixture.api;
  const line = (role: string, text: string, seconds: number, more: object = {}) => ({
    ...{ role, text, at_ms: Date.now() + 1_000 * seconds, interrupted: false, ...more },
  });
  const transcript = [
    line('user', 'Hello?', 0),
    line('agent', 'Welcome. For how many, and when?', 2),
    line('user', 'Four, at eight.', 4, { transcribed: 'Four at ate.' }),
    { role: 'tool', name: 'book_table', args: { guests: 4 }, result: 'booked', at_ms: Date.now() },
    line('agent', 'It is booked. Goodbye.', 8, { interrupted: true }),
  ];
  const [met, open] = SCENARIO.criteria;
  const criteria = [
    { text: met, passed: true, reason: 'The agent said that it is booked.', quote: 'It is booked.' },
    { text: open, passed: false, reason: 'The agent ended the call at once.', quote: '' },
  ];
  const row = { status: 'failed', transcript, criteria, cost_paise: 42, finished_at: new Date(), ...columns };
  await sql`update agent_test_runs set ${sql(row as never)} where agent_id = ${agentId} and finished_at is null`;
}

describe.skipIf(!CHROMIUM)('test scenarios in the console', () => {
  it('are written, refused at the wrong field, changed and deleted', async () => {
    const { user, at } = await newAgent();
    const { page, complaints } = await opened(user, at);
    await page.getByText('There are no test scenarios yet.').waitFor();
    await page.getByRole('link', { name: 'New scenario' }).click();
    await page.getByLabel('Name').fill('Books a table');
    await page.getByLabel('Caller', { exact: true }).fill('You are Ravi.');
    await page.getByRole('textbox', { name: 'Criterion 1' }).fill('x');
    await page.getByLabel('Value', { exact: true }).fill('Pune');
    await page.getByRole('button', { name: 'Save the scenario' }).click();
    await page.locator('.error', { hasText: 'Too small' }).or(page.locator('[aria-invalid="true"]')).first().waitFor();
    await lookAt(page, 'scenario-form');
    await page.getByRole('textbox', { name: 'Criterion 1' }).fill('The agent is kind');
    await page.getByRole('button', { name: 'Add a criterion' }).click();
    await page.getByRole('textbox', { name: 'Criterion 2' }).fill('A table is booked');
    await page.getByRole('button', { name: 'Save the scenario' }).click();
    await page.getByText('This scenario was not run yet.').waitFor();
    await page.getByText('city: Pune').waitFor();

    await page.getByRole('link', { name: 'Change' }).click();
    await page.getByLabel('Name').fill('Books a big table');
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByText('What you changed here is lost.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Save the scenario' }).click();
    await page.getByRole('heading', { name: 'Books a big table' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no test scenarios yet.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('are suggested by a model, and those that are chosen are saved', async () => {
    const { user, at } = await newAgent();
    const { page, complaints } = await opened(user, at);
    await page.getByRole('button', { name: 'Suggest scenarios' }).click();
    await page.getByLabel('How many').fill('99');
    await page.getByRole('button', { name: 'Draft scenarios' }).click();
    await page.locator('[aria-invalid="true"]').waitFor();
    await page.getByLabel('How many').fill('2');
    await page.getByRole('button', { name: 'Draft scenarios' }).click();
    await page.getByRole('checkbox', { name: 'First' }).uncheck();
    await lookAt(page, 'suggestions');
    await page.getByRole('button', { name: 'Save 1 scenario' }).click();
    await page.getByRole('link', { name: 'Second' }).waitFor();
    expect(await page.getByRole('link', { name: 'First' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('run all at once, and show the verdicts when they come', async () => {
    const { user, agentId, owner, at } = await newAgent();
    for (const name of ['Books a table', 'Asks for the way']) await owner.send('POST', at, { ...SCENARIO, name });
    const { page, complaints } = await opened(user, at);
    await page.getByText('2 scenarios').waitFor();
    await page.getByRole('button', { name: 'Run all' }).click();
    await page.getByText('2 to go').waitFor();
    await finishRuns(agentId, { status: 'passed' });
    await page.getByText('2 scenarios · 2 passed').waitFor();
    await lookAt(page, 'tests');
    await page.route('**/run-all*', (route) =>
      route.fulfill({ status: 402, json: { detail: 'out of credits: add credits in Billing' } }),
    );
    await page.getByRole('button', { name: 'Run all' }).click();
    await page.getByRole('alert').getByText('Out of credits: add credits in Billing.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('run aloud, with the verdict of each criterion, what was measured, the transcript and the recording', async () => {
    const { user, agentId, owner, at } = await newAgent();
    const { body: scenario } = await owner.send('POST', at, SCENARIO);
    const { page, complaints } = await opened(user, `${at}/${scenario.id}`);
    await page.getByLabel('How').selectOption('Aloud');
    await page.getByLabel('Noise behind the caller').selectOption('Street');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('The run waits for its turn.').waitFor();
    const [run] = await fixture.api.sql<{ id: string; voice_request: object }[]>`
      select id, voice_request from agent_test_runs where agent_id = ${agentId}`;
    expect(run!.voice_request).toEqual({ background_noise: 'street', interruptions: 1 });
    const noise = Buffer.alloc(CHUNK_BYTES, 1);
    await createDiskStore(recordings).put(chunkName(user.workspace_id, run!.id, 0), noise);
    const voice = {
      ...{ background_noise: 'street', duration_seconds: 31, first_audio_p50_ms: 640, first_audio_p95_ms: 910 },
      ...{ interruptions: 1, replies_interrupted: 1, stopped_after_p50_ms: 180, stopped_after_max_ms: 180 },
      ...{ talk_over_ms: 420, stt_seconds: 12, tts_characters: 220 },
    };
    await finishRuns(agentId, { voice, recorded: true });
    await page.getByText('The agent ended the call at once.').waitFor();
    await page.getByText('1 of 2 criteria met').waitFor();
    await page.getByText('640 ms').waitFor();
    await page.getByText('The transcriber wrote: Four at ate.').waitFor();
    await page.getByText('The agent called book_table').click();
    await expect.poll(() => page.evaluate(`document.querySelector('audio')?.duration`)).toBeGreaterThan(1);
    await lookAt(page, 'test-run');
    expect(complaints).toEqual([]);
  });

  it('of which there is none here, or that cannot be read, are not shown', async () => {
    const { user, at } = await newAgent();
    const { page } = await opened(user, `${at}/${'0'.repeat(32)}`);
    await page.getByRole('alert').getByText('scenario not found').waitFor();
    await page.route('**/api/v1/agents/*/tests*', (route) => route.abort());
    await page.goto(`${fixture.url}${at}`);
    await page.getByText('The service cannot be reached. Check your connection.').waitFor();
  });
});
