import type { Browser, Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stepAt, totpCode } from '../../control/accounts/totp.ts';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { lookAt, type OpenedPage, openPage } from '../support/page-checks.ts';
import { tryAgainUntil } from '../support/try-again.ts';

/** The account of a person in a real browser; skipped where there is none. */

let fixture: ConsoleFixture;
let browser: Browser;

beforeAll(async () => {
  if (!CHROMIUM) return;
  [fixture, browser] = await Promise.all([startConsole(), sharedChromium()]);
});
// All tests share one address, which may fail five times in five minutes.
beforeEach(async () => {
  if (CHROMIUM) await fixture.api.sql`delete from attempts`;
});

type User = Awaited<ReturnType<ConsoleFixture['newUser']>>;

async function signIn(page: Page, { email, password }: User): Promise<void> {
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor({ state: 'detached' });
}

async function opened(user: User, path = '/account'): Promise<OpenedPage> {
  const page = await openPage(browser, `${fixture.url}${path}`);
  await signIn(page.page, user);
  return page;
}

const section = (page: Page, name: string) => page.getByRole('region', { name });

describe.skipIf(!CHROMIUM)('the account', () => {
  it('has a name and a time zone that can be changed', async () => {
    const user = await fixture.newUser();
    const { page, complaints } = await opened(user);
    const profile = section(page, 'Profile');
    await profile.getByLabel('Name').fill(' ');
    await profile.getByRole('button', { name: 'Save' }).click();
    await profile.getByText('Enter your name.').waitFor();
    await profile.getByLabel('Name').fill('Asha Rao');
    await profile.getByLabel('Time zone').selectOption('Europe/Lisbon');
    await profile.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await lookAt(page, 'account-profile');
    await page.reload();
    await expect.poll(() => profile.getByLabel('Name').inputValue()).toBe('Asha Rao');
    expect(await profile.getByLabel('Time zone').inputValue()).toBe('Europe/Lisbon');
    expect(complaints).toEqual([]);
  });

  it('gets another email address by a link, and refuses one with a wrong password in place', async () => {
    const user = await fixture.newUser();
    await fixture.api.sql`update users set email_verified_at = null where email = ${user.email}`;
    const { page, complaints } = await opened(user);
    await page.getByText('Your email address is not confirmed yet').waitFor();
    const email = section(page, 'Email address');
    await email.getByLabel('New email address').fill('asha');
    await email.getByLabel('Your password').fill(user.password);
    await page.keyboard.press('Enter');
    await email.getByText('Enter an email address, like asha@example.com.').waitFor();
    await email.getByLabel('New email address').fill('new-address@example.com');
    await email.getByLabel('Your password').fill('not the password');
    await page.keyboard.press('Enter');
    await email.getByText('That is not your password.').waitFor();
    await email.getByLabel('Your password').fill(user.password);
    await page.keyboard.press('Enter');
    await email.getByText('A link is on its way to new-address@example.com.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('changes its password, says what is wrong with a new one, and ends the other sessions', async () => {
    const user = await fixture.newUser();
    const { page, complaints } = await opened(user, '/account/security');
    const sessions = section(page, 'Where you are signed in');
    await sessions.getByText('this device').waitFor();
    await sessions.getByRole('button', { name: 'End all others' }).waitFor();
    const password = section(page, 'Password');
    await password.getByLabel('Present password').fill(user.password);
    await password.getByLabel('New password').fill('short');
    await page.keyboard.press('Enter');
    await password.getByText('Choose at least 10 characters.').waitFor();
    await password.getByLabel('New password').fill('1111111111');
    await page.keyboard.press('Enter');
    await password.getByText(/^This password repeats or counts up/).waitFor();
    await lookAt(page, 'account-security');
    await password.getByLabel('New password').fill('green kettles sing at dusk');
    await page.keyboard.press('Enter');
    await page.getByText('Your password was changed.').waitFor();
    await sessions.getByRole('button', { name: 'End all others' }).waitFor({ state: 'detached' });
    expect(await sessions.getByRole('listitem').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('ends one session elsewhere', async () => {
    const user = await fixture.newUser();
    const { page, complaints } = await opened(user, '/account/security');
    const sessions = section(page, 'Where you are signed in');
    await sessions.getByRole('button', { name: /^End .+ from/ }).click();
    await page.getByText('was signed out.').waitFor();
    await expect.poll(() => sessions.getByRole('listitem').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('takes an authenticator by its QR code or key, shows the recovery codes once, and switches it off', async () => {
    const user = await fixture.newUser();
    const { page, complaints } = await opened(user, '/account/security');
    await page.getByText('Off: your password is enough').waitFor();
    await page.getByRole('button', { name: 'Set up an authenticator' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Your password').fill('not the password');
    await page.keyboard.press('Enter');
    await dialog.getByText('That is not your password.').waitFor();
    await dialog.getByLabel('Your password').fill(user.password);
    await page.keyboard.press('Enter');
    await dialog.getByRole('img', { name: 'QR code' }).waitFor();
    await lookAt(page, 'account-authenticator');
    const secret = (await dialog.locator('code').textContent())!.replaceAll(' ', '');
    await dialog.getByRole('textbox', { name: 'Code' }).fill('12');
    await page.keyboard.press('Enter');
    await dialog.getByText('That code is not right.').waitFor();
    await dialog.getByRole('textbox', { name: 'Code' }).fill(totpCode(secret, stepAt(Date.now())));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    const code = (await page.locator('.recovery-codes code').first().textContent())!;
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await page.getByText('10 recovery codes are left').waitFor();
    await page.getByRole('button', { name: 'Switch off' }).click();
    await dialog.getByLabel('Your password').fill(user.password);
    await dialog.getByRole('textbox', { name: 'Code' }).fill('000000');
    await page.keyboard.press('Enter');
    await dialog.getByText('That code is not right.').waitFor();
    await dialog.getByRole('textbox', { name: 'Code' }).fill(code);
    await page.keyboard.press('Enter');
    await page.getByText('Off: your password is enough').waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows the console in the language and the colours of the choice, after a reload too', async () => {
    const user = await fixture.newUser();
    const { page, complaints } = await opened(user);
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await ground();
    await page.getByLabel('Colours').selectOption('Dark');
    expect(await ground()).not.toBe(light);
    await page.reload();
    await page.getByLabel('Colours').waitFor();
    expect(await ground()).not.toBe(light);
    await page.getByLabel('Colours').selectOption('As on this device');
    expect(await ground()).toBe(light);
    await page.getByLabel('Language').selectOption('हिन्दी');
    await page.getByRole('heading', { name: 'आपका खाता' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('hi');
    await lookAt(page, 'account-hindi');
    expect(complaints).toEqual([]);
  });

  it('says when it cannot be read, and reads it again', async () => {
    const user = await fixture.newUser();
    const { page, context, complaints } = await opened(user, '/account/security');
    await page.getByText('Off: your password is enough').waitFor();
    await context.route('**/api/v1/account', (route) => route.fulfill({ status: 503, json: { detail: '' } }));
    await page.reload();
    await page.getByText(/could not read your account just now/).waitFor();
    await context.unroute('**/api/v1/account');
    await tryAgainUntil(page, page.getByText('Off: your password is enough'));
    expect(complaints).toEqual([]);
  });

  it('is deleted when its address is typed, with its password', async () => {
    const user = await fixture.newUser();
    const { page, complaints } = await opened(user);
    await page.getByRole('button', { name: 'Delete the account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Your password').fill('not the password');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('That is not the address of your account.').waitFor();
    await lookAt(page, 'account-delete');
    await dialog.getByLabel(`Type ${user.email} to confirm`).fill(user.email);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('That is not your password.').waitFor();
    await dialog.getByLabel('Your password').fill(user.password);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const rows = await fixture.api.sql`select 1 from users where email = ${user.email}`;
    expect(rows).toHaveLength(0);
    expect(complaints).toEqual([]);
  });
});
