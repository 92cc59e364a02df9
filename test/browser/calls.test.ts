import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleCalls, startConsoleCalls, type User } from '../support/console-calls.ts';
import { type MainThreadTask, mainThreadTasks } from '../support/main-thread.ts';
import { lookAt } from '../support/page-checks.ts';

/** The list of calls and the page of one, in a real browser; skipped where there is none. */

let calls: ConsoleCalls;
let browser: Browser;

beforeAll(async () => {
  if (CHROMIUM) [calls, browser] = await Promise.all([startConsoleCalls(), sharedChromium()]);
});
afterAll(async () => {
  calls?.close();
});

const opened = (user: User, path: string) => calls.opened(browser, user, path);

const played = (page: Page) => page.evaluate<number>(`document.querySelector('audio').currentTime`);

describe.skipIf(!CHROMIUM)('calls in the console', () => {
  it('are listed, filtered by the address, and found again after a reload', async () => {
    const user = await calls.fixture.newUser();
    await calls.finishedCall(user, { summary: 'wants a table' });
    await calls.finishedCall(user, { status: 'failed', to_number: '+919833334444', hangup_reason: 'carrier error' });
    await calls.newCall(user, { channel: 'web', to_number: '', from_number: '' });
    const { page, complaints } = await opened(user, '/calls');
    await page.getByText('3 calls').waitFor();
    await lookAt(page, 'calls');
    await page.getByLabel('Status').selectOption('Failed');
    await page.getByText('1 call', { exact: true }).waitFor();
    expect(page.url()).toContain('/calls?status=failed');
    await page.reload();
    await page.getByRole('link', { name: '+919833334444' }).waitFor();
    expect(await page.getByRole('list', { name: 'Calls' }).getByRole('link').count()).toBe(1);
    await page.getByLabel('Search in summaries').fill('nobody says this');
    await page.getByText('No call fits these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear all' }).click();
    await page.getByText('3 calls').waitFor();
    expect(complaints).toEqual([]);
  });

  it('are read page by page while one scrolls', async () => {
    const user = await calls.fixture.newUser();
    const first = await calls.finishedCall(user);
    await calls.fixture.api.sql`
      insert into finished_calls
      select copied.* from finished_calls as call cross join generate_series(1, 250) as n
      cross join lateral jsonb_populate_record(call, jsonb_build_object(
        'id', substr(call.id, 1, 24) || lpad(to_hex(n), 8, '0'), 'provider_call_id', '', 'to_number', '+9198' || lpad(n::text, 8, '0')
      )) as copied
      where call.id = ${first}`;
    const { page } = await opened(user, '/calls');
    await page.getByText('251 calls').waitFor();
    const last = page.getByRole('link', { name: '+919800000001' });
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 20_000);
        return last.count();
      })
      .toBe(1);
    // Only what is in the window is drawn.
    expect(await page.getByRole('list', { name: 'Calls' }).getByRole('link').count()).toBeLessThan(60);
  });

  it('scroll through ten thousand', async () => {
    const user = await calls.fixture.newUser();
    const first = await calls.finishedCall(user);
    const { sql } = calls.fixture.api;
    await sql`
      insert into finished_calls
      select copied.* from finished_calls as call cross join generate_series(1, 10000) as n
      cross join lateral jsonb_populate_record(call, jsonb_build_object(
        'id', substr(call.id, 1, 24) || lpad(to_hex(n), 8, '0'), 'provider_call_id', '',
        'to_number', '+9198' || lpad(n::text, 8, '0'), 'created_at', call.created_at - n * interval '1 minute'
      )) as copied
      where call.id = ${first}`;
    const { page, complaints } = await opened(user, '/calls');
    await page.getByText('10,001 calls').waitFor();
    const last = page.getByRole('link', { name: '+919800010000' });
    const tasks = await mainThreadTasks(browser, page, () =>
      expect
        .poll(
          async () => {
            await page.mouse.wheel(0, 12_000);
            return last.count();
          },
          { timeout: 240_000, interval: 30 },
        )
        .toBe(1),
    );
    const ofKind = (kind: keyof MainThreadTask) => {
      const longest = tasks.reduce((most, task) => Math.max(most, task[kind]), 0);
      return `${tasks.filter((task) => task[kind] > 50).length} over 50 ms, the longest ${Math.round(longest)} ms`;
    };
    // A frame is one task at most. Only the page's own CPU says something of it where others use the machine.
    console.info(`10,000 calls: tasks of the main thread by CPU: ${ofKind('cpu')}; by the clock: ${ofKind('wall')}`);
    expect(await page.getByRole('list', { name: 'Calls' }).getByRole('link').count()).toBeLessThan(60);
    expect(complaints).toEqual([]);
  });

  it('are exported as they are filtered', async () => {
    const user = await calls.fixture.newUser();
    await calls.finishedCall(user, { summary: 'wants a table' });
    await calls.finishedCall(user, { status: 'failed', to_number: '+919833334444', answered_by: 'machine' });
    const { page, complaints } = await opened(user, '/calls?answered_by=machine');
    await page.getByText('1 call', { exact: true }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^calls-\d{4}-\d\d-\d\d\.csv$/);
    const rows = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    expect(rows).toHaveLength(2);
    expect(rows[1]).toContain('+919833334444');
    await page.route('**/calls/export*', (route) => route.fulfill({ status: 503, json: { detail: 'busy' } }));
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByText('could not read the calls just now').waitFor();
    expect(complaints).toEqual([]);
  });

  it('are placed to a number, or what is wrong is said beside it', async () => {
    const user = await calls.fixture.newUser();
    await calls.fixture.newAgent(user.workspace_id, { name: 'Maya', welcome_message: 'Hello {name}.' });
    const { page, complaints } = await opened(user, '/calls');
    await page.getByRole('button', { name: 'Call a number' }).click();
    await page.getByLabel('Number to call').fill('98111');
    await page.getByLabel('name', { exact: true }).fill('Ravi');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText('Enter a number with its country code', { exact: false }).waitFor();
    await page.getByLabel('Number to call').fill('+91 98111 12222');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page
      .getByText(/no caller number|connect a number|number/i)
      .last()
      .waitFor();
    await page.getByText('There is no number to call from.', { exact: false }).waitFor();
    await lookAt(page, 'new-call');
    await page.route('**/agents/*/call', (route) => route.fulfill({ status: 201, json: { id: 'a'.repeat(32) } }));
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.waitForURL(`**/calls/${'a'.repeat(32)}`);
    expect(complaints).toEqual([]);
  });

  it('open with their transcript, which plays the recording from a line', async () => {
    const user = await calls.fixture.newUser();
    const startMs = Date.now() - 60_000;
    const line = (role: string, text: string, seconds: number, interrupted = false) => ({
      ...{ role, text, at: startMs + seconds * 1_000, interrupted },
    });
    const id = await calls.finishedCall(user, {
      started_at: new Date(startMs),
      recorded: true,
      summary: 'The caller books a table for four.',
      avg_first_audio_ms: 640,
      cost_paise: 250,
      transcript: [line('user', 'A table for four, please.', 1), line('agent', 'For when?', 5, true)],
    });
    // The caller's voice in the first four seconds, the agent's in the others.
    await calls.record(user, id, 8, [
      { voice: 'caller', from: 0, until: 4 },
      { voice: 'agent', from: 4, until: 8 },
    ]);
    const { page, complaints } = await opened(user, `/calls/${id}`);
    await page.getByRole('heading', { name: 'Call with +919811112222' }).waitFor();
    await page.getByText('The caller books a table for four.').waitFor();
    await page.getByText('640 ms').waitFor();
    await page.getByText('₹2.50').waitFor();
    await page.getByText('interrupted').waitFor();
    await expect.poll(() => page.evaluate(`document.querySelector('audio')?.duration`)).toBe(8);
    await page.getByRole('button', { name: 'Play from 0:05' }).click();
    await expect.poll(() => played(page)).toBeGreaterThan(4.9);
    await expect.poll(() => page.locator('.said [aria-current]').textContent()).toContain('For when?');
    await lookAt(page, 'call');
    expect(complaints).toEqual([]);
  });

  it('that are not there, or of another workspace, are not shown', async () => {
    const [user, stranger] = [await calls.fixture.newUser(), await calls.fixture.newUser()];
    const { page } = await opened(user, `/calls/${await calls.finishedCall(stranger)}`);
    await page
      .getByRole('alert')
      .getByText(/not found|nothing here/i)
      .waitFor();
  });
});
