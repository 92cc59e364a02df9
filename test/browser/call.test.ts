import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiClient } from '../../dev/api-client.ts';
import { type FirstUser, firstUser } from '../../dev/first-user.ts';
import { firstWorkspace } from '../../dev/first-workspace.ts';
import { type Stack, startStack } from '../../dev/stack.ts';
import { answerBooking, BOOKING_AGENT, bookTableTool } from '../../fixtures/conversations/booking.ts';
import { BOOKING_CALLER } from '../../fixtures/conversations/booking-caller.ts';
import { startOpenAiSimulator } from '../../fixtures/simulators/openai.ts';
import { startRestaurant } from '../../fixtures/simulators/restaurant.ts';
import { missingForPageCalls } from '../support/browser-calls.ts';
import { builtConsole } from '../support/built-console.ts';
import { launchChromium } from '../support/chromium.ts';
import { attachPageCaller, type PageCaller } from '../support/page-caller.ts';
import { eventually, pause } from '../support/until.ts';

/**
 * A call through the page: the whole service, a real browser with recorded speech as its microphone, the local transcriber and
 * synthesizer; only the language model is simulated. Screenshots go to the folder SCREENSHOTS.
 */

const missing = missingForPageCalls();

/** Longer than the pauses inside the agent's speech. */
const AGENT_DONE_MS = 1_200;
const ANSWER_WITHIN_MS = 60_000;
const MOST_SAYINGS = 3;
const SPEECH_WITHIN_MS = 90_000;

describe.skipIf(missing.length > 0)('a person in front of the page', { timeout: 420_000, retry: 2 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'antiphon-call-'));
  const closing: (() => Promise<unknown> | unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  let stack: Stack;
  let browser: Browser;
  let page: Page;
  let caller: PageCaller;
  let apiKey: string;
  let user: FirstUser;
  const complaints: string[] = [];

  beforeAll(async () => {
    const consoleDir = await builtConsole();
    const restaurant = await startRestaurant();
    closing.push(() => restaurant.close());
    const llm = await startOpenAiSimulator({ answer: answerBooking });
    closing.push(() => llm.close());
    stack = await startStack({
      home: join(folder, 'home'),
      apiPort: 0,
      mediaPort: 0,
      settings: () => ({
        CONSOLE_DIR: consoleDir,
        LANGUAGE_MODELS_DIR: join(import.meta.dirname, '../../fixtures/language-models'),
        OPENAI_BASE_URL: llm.url,
        OPENAI_API_KEY: llm.apiKey,
        FETCH_ALLOW: '127.0.0.0/8',
      }),
      onProgress: () => {},
    });
    closing.push(() => stack.stop());
    const { workspace_id, api_key } = await firstWorkspace(stack, 'Trattoria');
    apiKey = api_key;
    await createApiClient(stack.apiUrl, api_key).createAgent({
      ...BOOKING_AGENT,
      tools: [bookTableTool(restaurant.url)],
      transcriber: { provider: 'local', model: 'booking', language: 'en', endpointing_ms: 600 },
      voice: { provider: 'local', voice_id: 'en', language: 'en' },
    });
    user = await firstUser(stack, workspace_id);
    browser = await launchChromium();
    closing.push(() => browser.close());
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(60_000);
    page = await context.newPage();
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load')) complaints.push(message.text());
    });
    caller = await attachPageCaller(page);
  });
  afterAll(async () => {
    for (const each of closing.toReversed()) await each();
  });

  async function shot(name: string): Promise<void> {
    const dir = process.env.SCREENSHOTS;
    if (!dir) return;
    mkdirSync(dir, { recursive: true });
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
      await page.screenshot({ path: join(dir, `call-${name}-${width}.png`), fullPage: width === 390 });
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  }

  /**
   * As a person does: who gets no answer says it again. A busy machine swallows words; and an agent that took a pause for the
   * end may have answered before everything was said, unless it was speaking anyway.
   */
  async function sayUntilAnswered(fixture: string, over: boolean): Promise<void> {
    for (let saying = 1; saying <= MOST_SAYINGS; saying++) {
      const before = await caller.agentSeconds();
      await caller.say(fixture);
      const answered = await caller.waitForAgent(ANSWER_WITHIN_MS / MOST_SAYINGS).then(
        () => true,
        () => false,
      );
      if (answered || (!over && (await caller.agentSeconds()) > before)) return;
    }
    throw new Error(`the agent did not answer "${fixture}"`);
  }

  it('books a table: turns, an interruption, the end of the call', async () => {
    // Another try begins signed out.
    await page.context().clearCookies();
    await page.goto(stack.apiUrl.replace('127.0.0.1', 'localhost'));
    await page.getByLabel('Email').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('link', { name: `Talk to ${BOOKING_AGENT.name}` }).click();
    await page.getByRole('button', { name: 'Talk' }).click();
    await page.getByText('You are connected.').waitFor();

    for (const line of BOOKING_CALLER) {
      if (line.fixture === BOOKING_CALLER[0]!.fixture) await caller.waitForAgent(ANSWER_WITHIN_MS);
      if (line.interrupts) await pause(2_000);
      else await caller.waitForSilence(AGENT_DONE_MS, SPEECH_WITHIN_MS);
      // The last reply may end before the wait for it starts.
      if (line === BOOKING_CALLER.at(-1)) await caller.say(line.fixture);
      else await sayUntilAnswered(line.fixture, line.interrupts === true);
      if (line.interrupts) await shot('talking');
    }
    await page.getByText('The agent said goodbye and hung up.').waitFor({ timeout: 120_000 });
    const agentSeconds = await caller.agentSeconds();
    await page.locator('.timeline .event-title').getByText('Call completed').waitFor({ timeout: 120_000 });
    await shot('over');

    const api = createApiClient(stack.apiUrl, apiKey);
    const { items } = await api.calls(1);
    const call = await eventually('the call to be completed', 60_000, async () => {
      const seen = await api.call(items[0]!.id);
      return seen.status === 'completed' ? seen : null;
    });
    const events = await api.events(call.id);
    expect(events.filter(({ type }) => type === 'user.turn').length).toBeGreaterThanOrEqual(3);
    expect(events.some(({ type }) => type === 'interrupted')).toBe(true);
    expect(call).toMatchObject({ hangup_by: 'agent', hangup_reason: 'agent ended the call' });
    expect(agentSeconds).toBeGreaterThan(5);

    // The page shows the stored transcript; a line that was talked over ends with three dots.
    const shown = await page.locator('.line .words').allInnerTexts();
    expect(shown.map((words) => words.replace(/ …$/, ''))).toEqual(call.transcript.map(({ text }) => text));
    expect(await page.locator('.timeline > li').count()).toBe(events.length);
    expect(await page.locator('.turns > li').count()).toBe(
      events.filter(({ type }) => type === 'tts.first_audio').length,
    );
    expect(complaints).toEqual([]);
  });
});
