import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, launchChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { lookAt, type OpenedPage, openPage } from '../support/page-checks.ts';

/** The list of agents, in a real browser; skipped where there is none. */

let fixture: ConsoleFixture;
let browser: Browser;

beforeAll(async () => {
  if (!CHROMIUM) return;
  [fixture, browser] = await Promise.all([startConsole(), launchChromium()]);
});
afterAll(() => browser?.close());

type User = Awaited<ReturnType<ConsoleFixture['newUser']>>;

async function opened(user: User, path: string): Promise<OpenedPage> {
  const page = await openPage(browser, `${fixture.url}${path}`);
  await page.page.getByLabel('Email').fill(user.email);
  await page.page.getByLabel('Password').fill(user.password);
  await page.page.getByRole('button', { name: 'Sign in' }).click();
  return page;
}

describe.skipIf(!CHROMIUM)('agents in the console', () => {
  it('are listed with pins, copied, and deleted after a question', async () => {
    const user = await fixture.newUser();
    await fixture.newAgent(user.workspace_id, { name: 'Maya, appointments' });
    await fixture.newAgent(user.workspace_id, { name: 'Ravi, orders', status: 'paused' });
    const { page, context, complaints } = await opened(user, '/agents');
    const names = () => page.locator('.agent-rows [data-cell="name"] a').allTextContents();
    await page.getByRole('link', { name: 'Maya, appointments', exact: true }).waitFor();
    expect(await names()).toEqual(['Ravi, orders', 'Maya, appointments']);
    const pin = page.getByRole('button', { name: 'Pin Maya, appointments' });
    await pin.click();
    await expect.poll(names).toEqual(['Maya, appointments', 'Ravi, orders']);
    await expect.poll(async () => (await fixture.api.sql`select 1 from agent_pins`).length).toBe(1);
    await page.reload();
    await expect.poll(names).toEqual(['Maya, appointments', 'Ravi, orders']);
    await lookAt(page, 'agents');

    await page.getByLabel('More about Maya, appointments').click();
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { name: 'Maya, appointments (copy)' }).waitFor();
    await page.goto(`${fixture.url}/agents`);
    await page.getByLabel('More about Maya, appointments (copy)').click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Maya, appointments (copy) was deleted.').waitFor();
    expect(await names()).toEqual(['Maya, appointments', 'Ravi, orders']);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('begin with a name, a language and a purpose; a prompt that cannot be written stops nobody', async () => {
    const user = await fixture.newUser();
    const { page, context, complaints } = await opened(user, '/agents');
    await page.getByRole('heading', { name: 'Make the first agent of Acme Clinics' }).waitFor();
    await lookAt(page, 'agents-none');
    await page.getByRole('button', { name: 'New agent' }).click();
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByText(/at least 1 character/).waitFor();
    await page.getByLabel('Name').fill('Asha');
    await page.getByLabel('Language').selectOption('en');
    await page.getByLabel('What should it do?').fill('It books appointments for a clinic in Pune.');
    await lookAt(page, 'agents-new');
    // No language model can be reached here.
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('button', { name: 'Create without a written prompt' }).click();
    await page.getByRole('heading', { name: 'Asha' }).waitFor();
    const [row] = await fixture.api.sql`
      select voice, transcriber from agents where workspace_id = ${user.workspace_id}`;
    expect(row).toMatchObject({ voice: { language: 'en' }, transcriber: { language: 'en' } });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('are asked for again after an answer that failed', async () => {
    const user = await fixture.newUser();
    const { page, context } = await opened(user, '/agents');
    await page.getByRole('heading', { name: 'Make the first agent' }).waitFor();
    await page.route('**/api/v1/agents', (route) => route.fulfill({ status: 503, body: '{}' }));
    await page.reload();
    await page.getByText('The service could not read the agents just now.').waitFor();
    await page.unroute('**/api/v1/agents');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Make the first agent' }).waitFor();
    await context.close();
  });
});
