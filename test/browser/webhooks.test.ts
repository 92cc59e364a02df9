import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { lookAt } from '../support/page-checks.ts';
import { openSignedIn } from '../support/sign-in-page.ts';

/** Webhooks in a real browser; skipped where there is none. */

/** Nothing listens there. */
const URL = 'https://127.0.0.1:9/hook';

let fixture: ConsoleFixture;
let browser: Browser;

beforeAll(async () => {
  if (!CHROMIUM) return;
  [fixture, browser] = await Promise.all([
    startConsole({ settings: { FETCH_ALLOW: '127.0.0.0/8' } }),
    sharedChromium(),
  ]);
});

type User = Awaited<ReturnType<ConsoleFixture['newUser']>>;

const opened = (user: User, path: string) => openSignedIn(browser, `${fixture.url}${path}`, user);

async function newEndpoint({ workspace_id }: User): Promise<string> {
  const owner = await fixture.api.asUser('owner', workspace_id);
  const { body } = await owner.send('POST', '/webhooks', { url: URL, description: 'Bookings' });
  return body.id;
}

/** As it is a quarter of an hour after the password was entered. */
const letConfirmationPass = ({ email }: User) => fixture.api.sql`
  update sessions set confirmed_at = now() - interval '1 hour'
  where user_id in (select id from users where email = ${email})`;

describe.skipIf(!CHROMIUM)('webhooks in the console', () => {
  it('have endpoints that are made, changed, tested and deleted; their secret is shown once', async () => {
    const user = await fixture.newUser();
    const { page, complaints } = await opened(user, '/webhooks');
    await page.getByText('There are no endpoints yet.').waitFor();
    await page.getByRole('button', { name: 'New endpoint' }).click();
    const dialog = page.getByRole('dialog');
    await page.getByLabel('URL').fill('https://10.0.0.1/hook');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.locator('.form-field .error').waitFor();
    await page.getByLabel('URL').fill(URL);
    expect(await dialog.getByRole('alert').count()).toBe(0);
    await page.getByLabel('Description').fill('Bookings');
    await dialog.getByText('Choose single events').click();
    await page.getByLabel('tool.call', { exact: true }).check();
    await lookAt(page, 'webhook-new');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText(/whsec_\w{43}/).waitFor();
    await page.getByText('The life of every call + tool.call').waitFor();
    await lookAt(page, 'webhooks');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await expect.poll(() => page.getByText(/whsec_\w{43}/).count()).toBe(0);
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The connection was refused').waitFor();
    await page.getByLabel('Gets events').uncheck();
    await page.getByText('Off', { exact: true }).waitFor();
    await expect
      .poll(async () => (await fixture.api.sql`select active from webhook_endpoints where url = ${URL}`)[0]!.active)
      .toBe(false);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Description').fill('Tables');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Tables').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no endpoints yet.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('get new secrets after the password was entered again', async () => {
    const user = await fixture.newUser();
    await newEndpoint(user);
    const { page, complaints } = await opened(user, '/webhooks');
    await page.getByRole('button', { name: 'New secret' }).waitFor();
    await letConfirmationPass(user);
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByText('The old secret stops working at once').waitFor();
    await page.getByRole('button', { name: 'Make a new secret' }).click();
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText(/whsec_\w{43}/).waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    const before = await page.locator('section', { hasText: 'Default secret' }).locator('code').first().textContent();
    await page.getByRole('button', { name: 'New default secret' }).click();
    await page.getByRole('button', { name: 'Make a new secret' }).click();
    await page.getByText(/whsec_\w{43}/).waitFor();
    await page.getByText(before!, { exact: true }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('have deliveries, which are filtered by the address, shown with their bodies and sent once more', async () => {
    const user = await fixture.newUser();
    const id = await newEndpoint(user);
    const owner = await fixture.api.asUser('owner', user.workspace_id);
    const pings = [];
    for (let count = 0; count < 2; count++) pings.push((await owner.send('POST', `/webhooks/${id}/test`)).body.id);
    await fixture.api.sql`
      update webhook_deliveries set status = 'delivered', last_status_code = 200, last_error = '' where id = ${pings[0]}`;
    const { page, complaints } = await opened(user, '/webhooks/deliveries');
    await page.getByText('2 in 30 days').waitFor();
    await page.getByText('Answered 200').waitFor();
    await lookAt(page, 'deliveries');
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Failed');
    await page.getByText('1 in 30 days').waitFor();
    expect(page.url()).toContain('?status=failed');
    await page.getByRole('combobox', { name: 'Event' }).selectOption('call.ended');
    await page.getByText('No delivery fits these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear all' }).click();
    await page.getByRole('combobox', { name: 'Endpoint' }).selectOption('Bookings');
    await page.getByText('2 in 30 days').waitFor();
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Failed');
    await page.getByRole('link', { name: 'ping' }).click();
    await page.getByText('"message": "a test of this endpoint"').waitFor();
    await page.getByText('x-svc-delivery').waitFor();
    await lookAt(page, 'delivery');
    await page.getByRole('button', { name: 'Send once more now' }).click();
    await page.locator('.facts div', { hasText: 'Attempts' }).getByText('2').waitFor();
    await owner.send('DELETE', `/webhooks/${id}`);
    await page.getByRole('button', { name: 'Send once more now' }).click();
    await page.getByText('The endpoint of this delivery was deleted.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('have an example of every event, and code that checks signatures in four languages', async () => {
    const user = await fixture.newUser();
    const { page, context, complaints } = await opened(user, '/webhooks/events');
    await page.getByText('call.completed', { exact: true }).click();
    await page.getByText('"transcript_text"').waitFor();
    await lookAt(page, 'webhook-events');
    await page.getByRole('link', { name: 'Check signatures' }).click();
    for (const [language, line] of [
      ['TypeScript (Node.js)', 'timingSafeEqual(given, expected)'],
      ['Python', 'hmac.compare_digest'],
      ['Go', 'hmac.Equal'],
      ['PHP', 'hash_equals'],
    ] as const) {
      await page.getByRole('radio', { name: language }).check();
      await page.getByText(line).first().waitFor();
    }
    expect(page.url()).toContain('?language=php');
    await lookAt(page, 'webhook-verify');
    await context.route('**/webhooks/events*', (route) => route.abort());
    await page.goto(`${fixture.url}/webhooks`);
    await page.getByRole('link', { name: 'Events' }).click();
    await page.getByText('The service cannot be reached.').waitFor();
    expect(complaints).toEqual([]);
  });
});
