import { mkdirSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { moveFinishedCalls } from '../../control/calls/lifecycle/move-finished-calls.ts';
import { newId } from '../../shared/ids.ts';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { type FakeEngine, installFakeEngine } from '../support/fake-engine.ts';
import { lookAt } from '../support/page-checks.ts';
import { until } from '../support/until.ts';

/** The page over a fake engine; call.test.ts uses real audio. Screenshots go to the folder SCREENSHOTS. */

let fixture: ConsoleFixture;
let browser: Browser;
let context: BrowserContext;
let complaints: string[];

beforeAll(async () => {
  if (!CHROMIUM) return;
  [fixture, browser] = await Promise.all([startConsole(), sharedChromium()]);
});
afterEach(() => context?.close());

interface StartedCall {
  page: Page;
  engine: FakeEngine;
  callId: string;
  workspaceId: string;
}

async function openAgent(width = 1280, dark = false): Promise<{ page: Page; engine: FakeEngine; workspaceId: string }> {
  const user = await fixture.newUser();
  await fixture.newAgent(user.workspace_id, { name: 'Maya', welcome_message: 'Hello {name}.' });
  context = await browser.newContext({
    viewport: { width, height: width < 600 ? 844 : 800 },
    colorScheme: dark ? 'dark' : 'light',
  });
  const engine = await installFakeEngine(context);
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  complaints = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(fixture.url);
  await page.getByLabel('Email').fill(user.email);
  await page.getByLabel('Password').fill(user.password);
  await shot(page, 'sign-in', width, dark);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Acme Clinics' }).waitFor();
  await page.goto(`${fixture.url}/agents`);
  await page.getByRole('heading', { name: 'Agents' }).waitFor();
  await shot(page, 'agents', width, dark);
  await page.getByRole('link', { name: 'Talk to Maya' }).click();
  await page.getByRole('heading', { name: 'Maya' }).waitFor();
  await shot(page, 'before', width, dark);
  return { page, engine, workspaceId: user.workspace_id };
}

async function startCall(width = 1280, dark = false): Promise<StartedCall> {
  const { page, engine, workspaceId } = await openAgent(width, dark);
  await page.getByLabel('name', { exact: true }).fill('Asha');
  await page.getByRole('button', { name: 'Talk' }).click();
  await page.getByText('You are connected.').waitFor();
  const [call] = await fixture.api.sql<{ id: string; user_data: object }[]>`
    select id, user_data from calls where workspace_id = ${workspaceId}`;
  expect(call!.user_data).toEqual({ name: 'Asha' });
  return { page, engine, callId: call!.id, workspaceId };
}

async function shot(page: Page, name: string, width: number, dark: boolean): Promise<void> {
  const dir = process.env.SCREENSHOTS;
  if (!dir) return;
  mkdirSync(dir, { recursive: true });
  await page.screenshot({ path: `${dir}/console-${name}-${width}${dark ? '-dark' : ''}.png`, fullPage: width < 600 });
}

const received = ({ engine }: Pick<StartedCall, 'engine'>, type: string) =>
  engine.received.filter((each) => each.type === type);

/** Inserts the events that control would have written. */
async function writeTimeline({ callId, workspaceId }: StartedCall): Promise<void> {
  const start = Date.now() - 20_000;
  const parts = (...ms: number[]) => ({
    ...{
      end_of_turn_ms: ms[0],
      first_token_ms: ms[1],
      first_segment_ms: ms[2],
      first_audio_ms: ms[3],
      playout_ms: ms[4],
    },
  });
  const rows: [number, string, string, number | null, object, string?][] = [
    [
      0,
      'call.started',
      'agent live',
      null,
      { channel: 'web', stt: 'deepgram_flux', llm: 'gpt-5-mini', tts: 'elevenlabs' },
    ],
    [90, 'welcome', 'Hello Asha, this is Maya from the clinic.', null, {}],
    [310, 'tts.first_audio', 'first audio', 310, { welcome: true, parts: parts(0, 0, 4, 290, 16) }],
    [6_200, 'user.turn', 'I would like to book an appointment for tomorrow.', null, {}],
    [6_480, 'llm.first_token', 'first token', 540, { model_ms: 280 }],
    [6_700, 'tts.first_audio', 'first audio', 742, { parts: parts(262, 278, 41, 148, 13) }],
    [9_100, 'tool.call', 'find_slots', null, { name: 'find_slots' }],
    [9_400, 'tool.result', 'tool answered', 296, { name: 'find_slots', status: 200 }],
    [12_000, 'agent.reply', 'Tomorrow I have ten or half past two. Which one?', null, {}],
    [14_300, 'interrupted', 'caller talked over the agent', null, {}],
    [15_000, 'user.turn', 'Ten, please.', null, {}],
    [15_500, 'fallback.used', 'the voice did not answer in time', null, {}, 'warning'],
    [15_900, 'tts.first_audio', 'first audio', 1_310, { parts: parts(240, 330, 60, 660, 20) }],
  ];
  await fixture.api.sql`insert into call_events ${fixture.api.sql(
    rows.map(([at, type, message, latency_ms, data, level = 'info'], index) => ({
      ...{ workspace_id: workspaceId, call_id: callId, seq: index + 1, id: `evt_${newId()}`, source: 'control' },
      ...{ type, message, level, latency_ms, data: data as never, created_at: new Date(start + at) },
    })),
  )}`;
}

/** Width in pixels, and whether it is dark. The other two are there to look at: the page does the same. */
const VIEWS: [number, boolean][] = [
  [1280, false],
  [390, true],
];
if (process.env.SCREENSHOTS) VIEWS.push([390, false], [1280, true]);

describe.skipIf(!CHROMIUM)('a call on the page', () => {
  it.each(VIEWS)('shows what is said and what happens, %i pixels wide, dark %s', async (width, dark) => {
    const call = await startCall(width, dark);
    const { page, engine } = call;
    const words = (role: 'user' | 'agent', text: string, final: boolean) =>
      engine.send({ type: 'transcript', role, text, final, interrupted: false, at_ms: Date.now() });
    words('agent', 'Hello Asha, this is', false);
    words('agent', 'Hello Asha, this is Maya from the clinic. How can I help you?', true);
    words('user', 'I would like', false);
    words('user', 'I would like to book an appointment for tomorrow.', true);
    words('agent', 'Of course. Tomorrow I have ten or half past two. Which one suits you better?', true);
    words('user', 'Ten, ple', false);
    await page.getByText('Ten, ple').waitFor();
    await writeTimeline(call);
    await page.getByText('find_slots').first().waitFor();
    await page.getByText('742 ms').first().waitFor();
    const log = page.getByRole('log');
    // Screen readers get final lines only.
    expect(await log.locator('p[aria-hidden="false"]').count()).toBe(3);
    expect(await log.locator('p[data-final="false"] .words').innerText()).toBe('Ten, ple');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.waitForTimeout(300);
    await shot(page, 'talk', width, dark);
    await page.locator('.turn summary').nth(1).click();
    await page.getByRole('button', { name: 'Keypad' }).click();
    await shot(page, 'keypad', width, dark);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.getByText('You hung up.').waitFor();
    await page.getByRole('button', { name: 'Talk again' }).waitFor();
    await shot(page, 'ended', width, dark);
    expect(complaints).toEqual([]);
  });

  it('mutes, and sends keypad digits by mouse and keyboard', async () => {
    const call = await startCall();
    const { page } = call;
    await page.getByRole('button', { name: 'Mute' }).click();
    await page.getByText('You are muted.').waitFor();
    await page.getByRole('button', { name: 'Unmute' }).click();
    await page.getByText('You are connected.').waitFor();
    expect(received(call, 'mute')).toMatchObject([{ muted: true }, { muted: false }]);

    await page.getByRole('button', { name: 'Keypad' }).click();
    await page.getByRole('button', { name: '4', exact: true }).click();
    await page.getByRole('button', { name: 'star' }).click();
    await page.keyboard.press('7');
    await page.keyboard.press('#');
    await until(() => received(call, 'digit').length === 4, 'four digits');
    expect(received(call, 'digit')).toMatchObject([{ digit: '4' }, { digit: '*' }, { digit: '7' }, { digit: '#' }]);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('group', { name: 'Keypad' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('reconnects over a new socket when the first one breaks', async () => {
    const call = await startCall();
    const { page, engine } = call;
    engine.unavailable = true;
    engine.dropSocket();
    await page.getByText('The connection broke. Reconnecting…').waitFor();
    engine.unavailable = false;
    await until(() => received(call, 'restart_ice').length >= 2, 'an ICE restart in both directions', 60_000);
    expect(engine.sockets).toBe(2);
    await page.getByText('You are connected.').waitFor();
    engine.send({
      type: 'transcript',
      role: 'agent',
      text: 'Are you still there?',
      final: true,
      interrupted: false,
      at_ms: Date.now(),
    });
    await page.getByText('Are you still there?').waitFor();
    expect(complaints).toEqual([]);
  });

  it('ends the call when reconnecting fails, and shows it', async () => {
    const { page, engine } = await startCall();
    engine.unavailable = true;
    engine.dropSocket();
    await page.getByText('The connection was lost and could not be restored.').waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Talk again' }).waitFor();
  });

  it('shows why the service ended the call', async () => {
    const { page, engine } = await startCall();
    engine.send({ type: 'ended', reason: 'agent ended the call' });
    await page.getByText('The agent said goodbye and hung up.').waitFor();
  });

  it('frees the call slot when the call was canceled, or no engine is reachable', async () => {
    const { page, engine, workspaceId } = await openAgent();
    engine.unavailable = true;
    await page.getByRole('button', { name: 'Talk' }).click();
    await page.getByText('No connection could be made.').waitFor();
    const ordered = () => fixture.api.sql<{ hangup_requested_reason: string }[]>`
      select hangup_requested_reason from calls where workspace_id = ${workspaceId}`;
    let reason = '';
    for (const start = performance.now(); reason === '' && performance.now() - start < 20_000; ) {
      reason = (await ordered())[0]?.hangup_requested_reason ?? '';
    }
    expect(reason).toBe('hung up by Asha');
  });

  it('marks what was talked over, and shows the whole reason of a failure', async () => {
    const call = await startCall();
    const { page, engine } = call;
    const line = { type: 'transcript', role: 'agent', final: true, at_ms: Date.now() } as const;
    engine.send({ ...line, text: 'Tomorrow I have ten or', interrupted: true });
    await page.getByRole('log').getByText('talked over').waitFor();
    const reason = `the voice answered 503 ${'and said why at length '.repeat(12)}to the end`;
    await fixture.api.sql`insert into call_events ${fixture.api.sql([
      {
        ...{ workspace_id: call.workspaceId, call_id: call.callId, seq: 1, id: `evt_${newId()}`, source: 'control' },
        ...{ type: 'error', message: reason, level: 'error', latency_ms: null, data: { provider: 'elevenlabs' } },
        created_at: new Date(),
      },
    ] as never)}`;
    const shown = page.locator('.timeline .event-detail', { hasText: 'to the end' });
    await shown.waitFor();
    expect(
      await shown.evaluate(
        (each: { scrollHeight: number; clientHeight: number }) => each.scrollHeight - each.clientHeight,
      ),
    ).toBe(0);
    await page.locator('.timeline summary').click();
    await page.getByText('elevenlabs').waitFor();
    expect(complaints).toEqual([]);
  });

  it('says that the connection is interrupted while the service answers nothing', async () => {
    const { page, engine } = await startCall();
    engine.frozen = true;
    await page.getByText('The connection is interrupted. Waiting for the service…').waitFor();
    engine.frozen = false;
    // After ten seconds without an answer over another socket.
    await page.getByText('You are connected.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('asks before a call is left by a link, by Back or by closing', async () => {
    const { page } = await startCall();
    const question = page.getByRole('dialog', { name: 'Hang up and leave?' });
    await page.getByRole('link', { name: 'Calls', exact: true }).click();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.goBack();
    await question.waitFor();
    expect(page.url()).toContain('/talk?call=');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('You are connected.').waitFor();
    const asked = page.waitForEvent('dialog');
    void page.reload().catch(() => null);
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await page.getByText('You are connected.').waitFor();

    await page.getByRole('link', { name: 'Calls', exact: true }).click();
    await question.getByRole('button', { name: 'Hang up and leave' }).click();
    await page.getByRole('heading', { name: 'Calls' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('finds the call again after a reload', async () => {
    const call = await startCall();
    const { page } = call;
    await writeTimeline(call);
    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.getByText('You hung up.').waitFor();
    const end = { status: 'completed', ended_at: new Date(), duration_seconds: 8, hangup_reason: 'caller hung up' };
    const transcript = [{ role: 'agent', text: 'Hello Asha, this is Maya.', at: Date.now(), interrupted: false }];
    await fixture.api.sql.begin((tx) => moveFinishedCalls(tx, [call.callId], { ...end, transcript } as never));
    await page.reload();
    await page.getByText('This is the call you had').waitFor();
    await page.getByRole('log').getByText('Hello Asha, this is Maya.').waitFor();
    await page.getByText('742 ms').first().waitFor();
    await lookAt(page, 'talk-after');
    await page.getByRole('link', { name: 'Open the call' }).click();
    await page.waitForURL(`**/calls/${call.callId}`);
    expect(complaints).toEqual([]);
  });
});
