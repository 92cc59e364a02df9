import { createServer } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHROMIUM, launchChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { lookAt, openPage } from '../support/page-checks.ts';

/** Passkeys of Chromium's virtual authenticator in the real page; skipped where there is no browser. */

let fixture: ConsoleFixture;
let browser: Browser;

beforeAll(async () => {
  if (!CHROMIUM) return;
  // Passkeys are for the origin in the settings, so that the port is known before.
  const port = await freePort();
  const settings = { PUBLIC_API_URL: `http://localhost:${port}` };
  [fixture, browser] = await Promise.all([startConsole({ port, settings }), launchChromium()]);
});
afterAll(() => browser?.close());
// All tests share one address, which may fail five times in five minutes.
beforeEach(async () => {
  if (CHROMIUM) await fixture.api.sql`delete from attempts`;
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Gives the page's browser an authenticator with a fingerprint, https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn/ */
async function addAuthenticator(page: Page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return { clear: () => cdp.send('WebAuthn.clearCredentials', { authenticatorId }) };
}

async function enterPassword(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
}

const signedIn = (page: Page) => page.getByRole('heading', { name: 'Acme Clinics' }).waitFor();

describe.skipIf(!CHROMIUM)('passkeys', () => {
  it('are added, used to sign in and to confirm, and removed', async () => {
    const user = await fixture.newUser();
    const { page, context, complaints } = await openPage(browser, fixture.url);
    await addAuthenticator(page);
    await enterPassword(page, user);
    await signedIn(page);
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('link', { name: 'Security' }).click();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await page.getByText('There are none yet.').waitFor();
    await lookAt(page, 'account-empty');

    await fixture.api.sql`update sessions set confirmed_at = now() - interval '1 hour'`;
    await page.getByLabel('Name of a new passkey').fill('Laptop');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    await lookAt(page, 'account-confirm');
    const asked = page.getByRole('dialog').getByLabel('Password');
    await asked.fill('not the password');
    await page.keyboard.press('Enter');
    await page.getByText('That is not right. Try again.').waitFor();
    await asked.fill(user.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    expect(await page.locator('.recovery-codes code').count()).toBe(10);
    await page.getByText('Laptop', { exact: true }).waitFor();
    await lookAt(page, 'account-codes');
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await page.getByText('10 recovery codes are left').waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await enterPassword(page, user);
    await page.getByRole('heading', { name: 'One more step' }).waitFor();
    await lookAt(page, 'sign-in-passkey');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await signedIn(page);

    await fixture.api.sql`update sessions set confirmed_at = now() - interval '1 hour'`;
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('link', { name: 'Security' }).click();
    await page.getByRole('button', { name: 'Remove Laptop' }).click();
    await page.getByText('It is your last second step').waitFor();
    await lookAt(page, 'account-remove');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('There are none yet.').waitFor();
    await page.getByText('Off: your password is enough').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('that the browser refuses or has lost leave the code', async () => {
    const user = await fixture.newUser();
    const { page, context, complaints } = await openPage(browser, fixture.url);
    const authenticator = await addAuthenticator(page);
    await enterPassword(page, user);
    await signedIn(page);
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('link', { name: 'Security' }).click();
    await page.getByLabel('Name of a new passkey').fill('Phone');
    await page.keyboard.press('Enter');
    const code = await page.locator('.recovery-codes code').first().textContent();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('This device has a passkey for your account already.').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await authenticator.clear();
    await enterPassword(page, user);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('No passkey was used.').waitFor();
    await page.getByLabel('Code instead').fill(code!);
    await page.keyboard.press('Enter');
    await signedIn(page);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
