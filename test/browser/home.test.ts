import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { foldChanges } from '../../control/call-totals/fold-changes.ts';
import { moveFinishedCalls } from '../../control/calls/lifecycle/move-finished-calls.ts';
import { newId } from '../../shared/ids.ts';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { lookAt } from '../support/page-checks.ts';
import { openSignedIn } from '../support/sign-in-page.ts';
import { tryAgainUntil } from '../support/try-again.ts';

/** The first page, and the logs, in a real browser; skipped where there is none. */

let fixture: ConsoleFixture;
let browser: Browser;

beforeAll(async () => {
  if (!CHROMIUM) return;
  [fixture, browser] = await Promise.all([startConsole(), sharedChromium()]);
});

type User = Awaited<ReturnType<ConsoleFixture['newUser']>>;

const opened = (user: User, path: string) => openSignedIn(browser, `${fixture.url}${path}`, user);

/** A call that goes on, or one that ended so many days ago. */
async function newCall({ workspace_id }: User, daysAgo: number | null, columns: object = {}): Promise<string> {
  const at = new Date(Date.now() - 86_400_000 * (daysAgo ?? 0) - 60_000);
  const row = {
    ...{ workspace_id, id: newId(at.getTime()), agent_name: 'Maya', agent_version: 1, direction: 'outbound' },
    ...{ channel: 'phone', status: 'in-progress', from_number: '+918044440000', to_number: '+919811112222' },
    ...{ started_by: 'Key one', provider: 'twilio', created_at: at, queued_at: at, started_at: at, currency: 'INR' },
  };
  const { sql } = fixture.api;
  await sql`insert into live_calls ${sql(row as never)}`;
  const ended = { status: 'completed', ended_at: at, duration_seconds: 60, cost_paise: 250, ...columns };
  if (daysAgo !== null) await sql.begin((tx) => moveFinishedCalls(tx, [row.id], ended as never));
  return row.id;
}

describe.skipIf(!CHROMIUM)('the first page', () => {
  it('leads a new workspace from an agent to a number', async () => {
    const user = await fixture.newUser();
    const { page, complaints } = await opened(user, '/');
    const steps = page.getByRole('region', { name: 'To a number that answers' });
    await steps.getByRole('link', { name: 'Make an agent' }).waitFor();
    await page.getByText('0 of 5 possible calls go on.').waitFor();
    await lookAt(page, 'home-new');
    await steps.getByRole('link', { name: 'Make an agent' }).click();
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows figures over time, the calls that go on, and what needs attention', async () => {
    const user = await fixture.newUser();
    for (const day of [0, 0, 1, 2, 3, 5]) await newCall(user, day);
    for (let failed = 0; failed < 3; failed++)
      await newCall(user, 0, { status: 'failed', started_at: null, cost_paise: 0 });
    while ((await foldChanges(fixture.api.sql, 5_000)) > 0);
    const going = await newCall(user, null);
    const { page, complaints } = await opened(user, '/');
    await page.getByText('3 calls of the last day failed.').waitFor();
    const now = page.getByRole('region', { name: 'Now' });
    await now.getByRole('link', { name: '+919811112222' }).waitFor();
    expect(await page.getByRole('definition').first().innerText()).toContain('10');
    await lookAt(page, 'home');
    await page.getByRole('link', { name: '24 hours' }).click();
    await page.waitForURL('**/?period=day');
    const hangUp = now.getByRole('button', { name: 'Hang up the call with +919811112222' });
    await page.route('**/hangup', (route) => route.fulfill({ status: 409, json: { detail: 'the call is over' } }));
    await hangUp.click();
    await page.getByText('The call is over.').waitFor();
    await page.unroute('**/hangup');
    await hangUp.click();
    await expect
      .poll(async () => (await fixture.api.sql`select hangup_by from calls where id = ${going}`)[0]?.hangup_by)
      .not.toBe('');
    expect(complaints).toEqual([]);
  });

  it('says that the figures cannot be read, and reads them again', async () => {
    const user = await fixture.newUser();
    const { page } = await opened(user, '/account');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.route('**/observability/summary**', (route) => route.fulfill({ status: 503, json: { detail: 'busy' } }));
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByText('The service could not read the figures just now.').waitFor();
    await page.unroute('**/observability/summary**');
    await tryAgainUntil(page, page.getByText('0 of 5 possible calls go on.'));
  });
});

describe.skipIf(!CHROMIUM)('the logs', () => {
  it('are found by level and words, with all that is known of a line', async () => {
    const user = await fixture.newUser();
    const { sql } = fixture.api;
    const line = {
      workspace_id: user.workspace_id,
      at: new Date(),
      source: 'webhook',
      level: 'info',
      message: 'delivered',
    };
    for (let n = 0; n < 3; n++) await sql`insert into server_logs ${sql({ ...line, id: newId() })}`;
    const failed = { ...line, id: newId(), level: 'error', message: 'endpoint does not answer', call_id: newId() };
    await sql`insert into server_logs ${sql(failed)}`;
    const { page, complaints } = await opened(user, '/logs');
    await page.getByText('endpoint does not answer').click();
    await page.getByRole('link', { name: failed.call_id }).waitFor();
    await lookAt(page, 'logs');
    await page.getByLabel('Level').selectOption('Errors');
    await page.getByText('1 entry').waitFor();
    await page.getByLabel('Words of the line').fill('nobody wrote this');
    await page.getByText('No line fits these filters.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('say who changed what', async () => {
    const user = await fixture.newUser();
    const agent = await fixture.newAgent(user.workspace_id, { name: 'Maya' });
    const owner = await fixture.api.asUser('owner', user.workspace_id);
    await owner.send('PUT', `/agents/${agent}`, {
      welcome_message: 'Hello.',
      system_prompt: 'Be brief.',
      name: 'Ravi',
    });
    const { page, complaints } = await opened(user, '/logs/audit');
    const changed = page.getByRole('cell', { name: 'Agent changed' });
    await changed.waitFor();
    await page.getByText('name: Maya → Ravi').waitFor();
    await lookAt(page, 'audit');
    await page.getByLabel('What happened').selectOption('Member removed');
    await expect.poll(() => changed.count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
