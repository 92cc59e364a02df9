import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decideCallerId } from '../../control/caller-id/decide-caller-id.ts';
import { type NumberSimulator, newStock } from '../../fixtures/simulators/number-stock.ts';
import { startTwilioNumbers } from '../../fixtures/simulators/twilio-numbers.ts';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { giveCredits } from '../support/credits.ts';
import { pngFile } from '../support/image-files.ts';
import { lookAt } from '../support/page-checks.ts';
import { openSignedIn } from '../support/sign-in-page.ts';

/** Phone numbers and caller ids, in a real browser over a simulated carrier; skipped where there is no browser. */

const LOGO = pngFile({ width: 48, height: 48, color_type: 2, at: (x, y) => [40 + 4 * x, 120, 40 + 4 * y] });
let twilio: NumberSimulator;
let fixture: ConsoleFixture;
let browser: Browser;
let count = 0;

beforeAll(async () => {
  if (!CHROMIUM) return;
  const numbers = ['+14155550101', '+14155550102', '+14155550203'].map((number) => ({
    ...{ number, country: 'US', type: 'local' as const, monthly: 1.15 },
  }));
  twilio = await startTwilioNumbers({ accountSid: 'AC1', authToken: 'secret' }, newStock(numbers));
  const settings = {
    ...{ PUBLIC_API_URL: 'https://voice.example.com', TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'secret' },
    ...{ TWILIO_API_URL: twilio.url, TWILIO_PRICING_URL: twilio.url },
  };
  [fixture, browser] = await Promise.all([startConsole({ settings }), sharedChromium()]);
});
afterAll(async () => {
  await twilio?.close();
});

type User = Awaited<ReturnType<ConsoleFixture['newUser']>>;

const opened = (user: User, path: string) => openSignedIn(browser, `${fixture.url}${path}`, user);

/** A number that the service's team entered. */
async function newNumber({ workspace_id }: User, status = 'active'): Promise<string> {
  const number = `+9180000${String(10_000 + count++)}`;
  await fixture.api.sql`
    insert into numbers (number, workspace_id, provider, status, created_at)
    values (${number}, ${workspace_id}, 'plivo', ${status}, now())`;
  return number;
}

describe.skipIf(!CHROMIUM)('numbers in the console', () => {
  it('are searched, bought when there are credits, and given to an agent', async () => {
    const user = await fixture.newUser();
    await fixture.api.sql`
      update wallets set paid_paise = 0, free_paise = 0 where workspace_id = ${user.workspace_id}`;
    const agent = await fixture.newAgent(user.workspace_id, { name: 'Maya' });
    const { page, complaints } = await opened(user, '/numbers');
    await page.getByText('There are no numbers yet.').waitFor();
    await page.getByRole('link', { name: 'Buy a number' }).click();
    await page.getByLabel('Digits in it').fill('5');
    await page.getByRole('button', { name: 'Search' }).click();
    // The service's refusal stands at its field.
    await page.locator('.form-field .error').waitFor();
    await page.getByLabel('Digits in it').fill('501');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No carrier rents out such a number now.').waitFor();
    await page.getByLabel('Country').selectOption('United States');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('list', { name: 'Numbers to buy' }).getByText('+14155550102').waitFor();
    await lookAt(page, 'numbers-buy');
    await page.getByRole('button', { name: 'Buy +14155550101' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('₹101.20 is taken from the credits now').waitFor();
    await dialog.getByRole('button', { name: 'Buy for ₹101.20' }).click();
    await dialog.getByText('There are not enough credits for it.').waitFor();
    await giveCredits(fixture.api.sql, user.workspace_id, 50_000);
    await dialog.getByRole('button', { name: 'Buy for ₹101.20' }).click();
    await page.getByText('+14155550101 is yours.').waitFor();
    expect(twilio.stock.purchases).toEqual(['+14155550101']);

    await page.getByLabel('Who answers +14155550101').selectOption('Maya');
    await page.getByText('Maya answers +14155550101 now.').waitFor();
    const agentOf = async () =>
      (await fixture.api.sql`select agent_id from numbers where number = '+14155550101'`)[0]?.agent_id;
    expect(await agentOf()).toBe(agent);
    // Before the look, which may take longer than the button stays.
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(agentOf).toBeNull();
    await lookAt(page, 'numbers');
    expect(complaints).toEqual([]);
  });

  it('are released after a question, and say when they are not paid', async () => {
    const user = await fixture.newUser();
    const [number] = [await newNumber(user), await newNumber(user, 'past_due')];
    const { page, complaints } = await opened(user, '/numbers');
    await page.getByText('Not paid').waitFor();
    await page.getByRole('button', { name: `Release ${number}` }).click();
    const release = page.getByRole('dialog').getByRole('button', { name: 'Release' });
    await page.route('**/api/v1/numbers/*', (route) => route.abort());
    await release.click();
    await page.getByText('The service cannot be reached. Check your connection.').waitFor();
    await page.unroute('**/api/v1/numbers/*');
    await release.click();
    await page.getByText(`${number} was released.`).waitFor();
    await expect.poll(() => page.getByRole('list', { name: 'Numbers' }).getByRole('listitem').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('are only looked at by those who may not manage them', async () => {
    const user = await fixture.newUser();
    const number = await newNumber(user);
    await fixture.api.sql`update memberships set role = 'developer' where workspace_id = ${user.workspace_id}`;
    const { page } = await opened(user, '/numbers');
    await page.getByText(number).waitFor();
    await page.getByText('Nobody answers').waitFor();
    expect(await page.getByRole('link', { name: 'Buy a number' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: `Release ${number}` }).count()).toBe(0);
    await page.goto(`${fixture.url}/numbers/buy`);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  });
});

describe.skipIf(!CHROMIUM)('caller ids in the console', () => {
  it('are requested with a logo, withdrawn, and removed when they are active', async () => {
    const user = await fixture.newUser();
    const [number, other] = [await newNumber(user), await newNumber(user)];
    const { page, complaints } = await opened(user, '/numbers');
    await page.getByRole('link', { name: 'Caller ids' }).click();
    await page.getByText('No caller id was requested yet.').waitFor();
    await page.getByRole('link', { name: 'Request a caller id' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Acme Clinics');
    await page.getByLabel('Reason of the call').fill('About your appointment');
    await page.getByRole('button', { name: 'Send the request' }).click();
    await page.getByText('Choose a PNG or JPG file.').waitFor();
    const logo = page.getByLabel('Logo', { exact: true });
    await logo.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });
    await page.getByLabel(number).check();
    await page.getByRole('button', { name: 'Send the request' }).click();
    await page.getByText('Only PNG or JPG files.').waitFor();
    await logo.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: LOGO });
    await page.locator('.preview img').waitFor();
    await lookAt(page, 'caller-id-new');
    await page.getByRole('button', { name: 'Send the request' }).click();
    await page.getByText('Submitted').waitFor();

    const [row] = await fixture.api.sql<{ id: string }[]>`
      select id from caller_id_requests where workspace_id = ${user.workspace_id}`;
    const actor = { kind: 'service', id: 'operator', name: 'operator' } as const;
    const decide = (to: 'in_review' | 'active') =>
      fixture.api.sql.begin((tx) => decideCallerId(tx, { request_id: row!.id, to, actor, at_ms: Date.now() }));
    await decide('in_review');
    await giveCredits(fixture.api.sql, user.workspace_id, 10_000_000);
    await decide('active');
    await page.reload();
    await page.getByRole('img', { name: 'Logo of Acme Clinics' }).waitFor();
    await page.getByText('Active').waitFor();

    await page.getByRole('link', { name: 'Request a caller id' }).click();
    expect(await page.getByLabel(number).isDisabled()).toBe(true);
    await page.getByLabel('Name', { exact: true }).fill('Acme');
    await page.getByLabel('Reason of the call').fill('Your order');
    await logo.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: LOGO });
    await page.getByLabel(other).check();
    await page.getByRole('button', { name: 'Send the request' }).click();
    await page.getByRole('button', { name: 'Withdraw' }).waitFor();
    await lookAt(page, 'caller-ids');
    await page.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('Withdrawn', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Removed', { exact: true }).first().waitFor();
    expect(complaints).toEqual([]);
  });
});
