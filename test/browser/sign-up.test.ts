import type { Browser, Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { lookAt, openPage } from '../support/page-checks.ts';

/** A new account in a real browser; skipped where there is none. */

let fixture: ConsoleFixture;
let browser: Browser;

beforeAll(async () => {
  if (!CHROMIUM) return;
  [fixture, browser] = await Promise.all([startConsole(), sharedChromium()]);
});
// All tests share one address, which may sign up five times in an hour.
beforeEach(async () => {
  if (CHROMIUM) await fixture.api.sql`delete from attempts`;
});

const PASSWORD = 'a password of ten';

async function fill(page: Page, email: string): Promise<void> {
  await page.getByLabel('Your name').fill('Asha Rao');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
}

describe.skipIf(!CHROMIUM)('signing up', () => {
  it('leads to the steps of a new workspace, which show what is done', async () => {
    const { page, complaints } = await openPage(browser, fixture.url);
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByRole('heading', { name: 'Create an account' }).waitFor();
    await page.locator('#name:focus').waitFor();
    await lookAt(page, 'sign-up');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Enter your name.').waitFor();
    await page.locator('#name:focus').waitFor();
    expect(await page.getByLabel('Password').getAttribute('aria-describedby')).toBe('password-error password-hint');
    await lookAt(page, 'sign-up-errors');

    await fill(page, 'asha@example.com');
    await page.getByLabel('Name of your workspace').fill('Acme Clinics');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Welcome to Acme Clinics' }).waitFor();
    await page.getByText('A link is on its way to asha@example.com').waitFor();
    await lookAt(page, 'onboarding');
    await fixture.api.sql`update users set email_verified_at = now() where email = 'asha@example.com'`;
    await page.reload();
    await page.getByText('asha@example.com is confirmed.').waitFor();
    await page.getByRole('link', { name: 'Enter the business details' }).click();
    await page.getByRole('heading', { name: 'Business details' }).waitFor();
    await page.goBack();
    await fixture.api.sql`update workspaces set state = 'active' where name = 'Acme Clinics'`;
    await page.getByRole('button', { name: 'Look again' }).click();
    await page.getByRole('heading', { name: 'Acme Clinics' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('says at the field that the email is taken, and signs in with it instead', async () => {
    const { email, password } = await fixture.newUser();
    const { page, complaints } = await openPage(browser, `${fixture.url}/sign-up`);
    await fill(page, email);
    await page.keyboard.press('Enter');
    await page.getByText('There is an account with this email already.').waitFor();
    await page.locator('#email:focus').waitFor();
    await page.getByRole('link', { name: 'Sign in to an account you have' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Acme Clinics' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('takes the time zone of the browser and names the workspace after the person', async () => {
    const context = await browser.newContext({ timezoneId: 'Europe/Lisbon' });
    const page = await context.newPage();
    await page.goto(`${fixture.url}/sign-up`);
    await fill(page, 'lisbon@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: "Welcome to Asha Rao's workspace" }).waitFor();
    const [row] = await fixture.api.sql`
      select w.timezone, w.state from workspaces w where w.name = ${"Asha Rao's workspace"}`;
    expect(row).toEqual({ timezone: 'Europe/Lisbon', state: 'onboarding' });
  });
});
