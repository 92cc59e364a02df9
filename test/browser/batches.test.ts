import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { runBatchTicks } from '../../control/batches/batch-job.ts';
import { systemClock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { giveCredits, PLENTY_PAISE } from '../support/credits.ts';
import { lookAt } from '../support/page-checks.ts';
import { openSignedIn } from '../support/sign-in-page.ts';

/** Batches and the queue, in a real browser; skipped where there is none. */

let fixture: ConsoleFixture;
let browser: Browser;

beforeAll(async () => {
  if (!CHROMIUM) return;
  [fixture, browser] = await Promise.all([startConsole(), sharedChromium()]);
});

type User = Awaited<ReturnType<ConsoleFixture['newUser']>> & { agent_id: string };

let numbers = 0;

/** With an agent that has a number, and credits. */
async function newUser(): Promise<User> {
  const user = await fixture.newUser();
  const { workspace_id } = user;
  await giveCredits(fixture.api.sql, workspace_id, PLENTY_PAISE);
  const prompt = { system_prompt: 'Remind {customer} of the visit on {day}.' };
  const agent_id = await fixture.newAgent(workspace_id, { name: 'Maya', ...prompt });
  numbers += 1;
  const number = { number: `+91114000${String(numbers).padStart(4, '0')}`, provider: 'twilio', created_at: new Date() };
  await fixture.api.sql`insert into numbers ${fixture.api.sql({ ...number, workspace_id, agent_id })}`;
  return { ...user, agent_id };
}

const opened = (user: User, path: string) => openSignedIn(browser, `${fixture.url}${path}`, user);

const FILE = `Mobile;Customer;Note
+919811110001;Asha;first
+919811110002;Ravi;
12;Nobody;
+919811110001;Asha;again
+919811110003;Meera;
`;

const csv = (text: string) => ({ name: 'visits.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });

/** The batch scheduler's work, once. */
const feed = ({ workspace_id }: User) =>
  runBatchTicks({ sql: fixture.api.sql, clock: systemClock, writeLog: () => {} }, [workspace_id]);

async function newBatch(user: User, more: object = {}): Promise<string> {
  const owner = await fixture.api.asUser('owner', user.workspace_id);
  const contacts = [1, 2, 3].map((at) => ({ to_number: `+91981111000${at}`, user_data: { customer: `Person ${at}` } }));
  const { status, body } = await owner.send('POST', '/batches', {
    agent_id: user.agent_id,
    contacts,
    name: 'Visits',
    ...more,
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}

const drop = (page: Page, text: string) =>
  page.evaluate(
    `(() => {
      const files = new DataTransfer();
      files.items.add(new File([${JSON.stringify(text)}], 'dropped.csv', { type: 'text/csv' }));
      document.querySelector('.drop-zone').dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: files }));
    })()`,
  );

describe.skipIf(!CHROMIUM)('batches in the console', () => {
  it('are made from a file, whose rows with errors are shown with their numbers', async () => {
    const user = await newUser();
    const { page, complaints } = await opened(user, '/batches');
    await page.getByText('There are no batches yet.').waitFor();
    await lookAt(page, 'batches-empty');
    await page.getByRole('link', { name: 'New batch' }).click();
    await page.getByText('Calls come from +91114000').waitFor();
    await page.getByRole('button', { name: 'Start calling' }).click();
    await page.getByText('Choose the file with the contacts first.').waitFor();
    await page.getByLabel('File with the contacts').setInputFiles(csv(FILE));
    await page.getByText('3 people will be called.').waitFor();
    await page.getByText('1 repeated').waitFor();
    const row = page.getByRole('row', { name: /^4 Mobile/ });
    await row.getByText('The number of digits is wrong for its country.').waitFor();
    await page.getByRole('columnheader', { name: 'Customer' }).getByText('{customer}').waitFor();
    await page.getByText('No column has the agent’s variable {day}').waitFor();
    await page.getByLabel('Name of the batch').fill('Visits of June');
    await page.getByLabel('Calls to each person at most').fill('2');
    await page.getByLabel('Answering machine').check();
    await page.getByText('when everybody is called 2 times').waitFor();
    await lookAt(page, 'batch-new');
    await page.getByRole('button', { name: 'Start calling' }).click();
    await page.getByRole('heading', { name: 'Visits of June' }).waitFor();
    await page.getByText('0 % of 3 contacts').waitFor();
    await page.getByText('At most 2, 60 minutes apart, after: No answer, Busy, Answering machine').waitFor();
    await lookAt(page, 'batch');
    await page.getByRole('link', { name: 'All batches' }).click();
    await page.getByRole('link', { name: 'Visits of June' }).waitFor();
    await lookAt(page, 'batches');
    expect(complaints).toEqual([]);
  });

  it('take a file that is dropped, the column of the numbers that is chosen, and a time in a zone', async () => {
    const user = await newUser();
    const { page, complaints } = await opened(user, '/batches/new');
    await page.getByLabel('File with the contacts').waitFor();
    await drop(page, 'Who;Reach at\nAsha;98111 10001\n');
    await page.getByText('Choose below which column has the numbers.').waitFor();
    await page.getByLabel('Column with the numbers').selectOption('Reach at');
    await page.getByText('1 person will be called.').waitFor();
    await page.getByLabel('At a time').check();
    const year = new Date().getFullYear() + 2;
    await page.getByLabel('Begins at').fill(`${year}-01-01T09:00`);
    await page.getByLabel('Time zone').selectOption('Europe/Berlin');
    await page.getByRole('button', { name: 'Schedule the calls' }).click();
    // The API's refusal stands at its field.
    await page.getByText('Scheduled_at may lie at most 30 days ahead.').waitFor();
    const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await page.getByLabel('Begins at').fill(`${day}T09:00`);
    await page.getByRole('button', { name: 'Schedule the calls' }).click();
    await page.getByText('Scheduled for').waitFor();
    const [batch] = await fixture.api
      .sql`select scheduled_at, status from batches where workspace_id = ${user.workspace_id}`;
    expect(batch!.status).toBe('scheduled');
    const shown = batch!.scheduled_at.toLocaleString('sv', { timeZone: 'Europe/Berlin' });
    expect(shown).toBe(`${day} 09:00:00`);
    expect(complaints).toEqual([]);
  });

  it('are paused, resumed, changed, ended and deleted, and their contacts are filtered by the address', async () => {
    const user = await newUser();
    const id = await newBatch(user);
    await feed(user);
    const { page, complaints } = await opened(user, `/batches/${id}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused by Asha.').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Name of the batch').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').locator('.form-field .error').waitFor();
    await page.getByLabel('Name of the batch').fill('Visits of July');
    await page.getByLabel('Calls at the same time at most').fill('2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Visits of July' }).waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Busy');
    await page.getByText('No contact is in this state.').waitFor();
    expect(page.url()).toContain('?status=busy');
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Queued');
    await page.getByText('customer: Person 1').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the results' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('Visits-of-July.csv');
    expect(readFileSync(await file.path(), 'utf8')).toContain('+919811110001');
    await page.getByRole('button', { name: 'End the batch' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End the batch' }).click();
    await page.getByText('100 % of 3 contacts').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no batches yet.').waitFor();
    await page.goto(`${fixture.url}/batches/${id}`);
    await page.getByText(/not found/i).waitFor();
    expect(complaints).toEqual([]);
  });

  it('without credits are refused where they are made', async () => {
    const user = await newUser();
    await fixture.api.sql`update wallets set paid_paise = 0, free_paise = 0 where workspace_id = ${user.workspace_id}`;
    const { page } = await opened(user, '/batches/new');
    await page.getByLabel('File with the contacts').setInputFiles(csv('phone\nx\n'));
    await page.getByText('No row is valid; row 2: this is not a phone number.').waitFor();
    await page.getByLabel('File with the contacts').setInputFiles(csv(FILE));
    await page.getByText('3 people will be called.').waitFor();
    await page.getByRole('button', { name: 'Start calling' }).click();
    await page.getByText(/Out of credits/).waitFor();
  });

  it('wait in the queue in the order in which they are dialled, from which one is taken', async () => {
    const user = await newUser();
    const id = await newBatch(user);
    await feed(user);
    const owner = await fixture.api.asUser('owner', user.workspace_id);
    // A single call is dialled before those of batches.
    await owner.send('POST', `/agents/${user.agent_id}/call`, { to_number: '+919822220000' });
    const at = new Date(Date.now() - 60_000);
    const live = {
      ...{
        workspace_id: user.workspace_id,
        id: newId(),
        agent_id: user.agent_id,
        agent_name: 'Maya',
        agent_version: 1,
      },
      ...{ direction: 'inbound', channel: 'phone', status: 'in-progress', from_number: '+919833330000' },
      ...{
        to_number: '+911140000001',
        started_by: '',
        provider: 'twilio',
        created_at: at,
        queued_at: at,
        started_at: at,
      },
      currency: 'INR',
    };
    await fixture.api.sql`insert into live_calls ${fixture.api.sql(live as never)}`;
    const { page, context, complaints } = await opened(user, '/batches/queue');
    await page.getByText('1 of 5').waitFor();
    await page.getByRole('link', { name: '+919833330000' }).waitFor();
    const waiting = page.locator('.queue a[href^="/calls/"]');
    await expect
      .poll(() => waiting.allTextContents())
      .toEqual([...['+919822220000', '+919811110001', '+919811110002', '+919811110003']]);
    await lookAt(page, 'queue');
    const cancel = page.getByRole('button', { name: 'Cancel: +919811110001' });
    await page.route('**/hangup', (route) => route.fulfill({ status: 409, json: { detail: 'the call has begun' } }));
    await cancel.click();
    await page.getByText('The call has begun.').waitFor();
    await page.unroute('**/hangup');
    await cancel.click();
    await expect.poll(() => waiting.allTextContents()).toEqual(['+919822220000', '+919811110002', '+919811110003']);
    await page.getByRole('link', { name: 'Visits' }).first().click();
    await page.waitForURL(`**/batches/${id}`);
    expect(complaints).toEqual([]);
    await context.route('**/observability/live*', (route) => route.fulfill({ status: 503, body: '{"detail":"x"}' }));
    await page.goto(`${fixture.url}/batches/queue`);
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  });
});
