import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerOauthApp } from '../../control/accounts/oauth.ts';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { lookAt, openPage } from '../support/page-checks.ts';
import { eventually } from '../support/until.ts';

/** The pages that control writes itself, in a real browser: it enforces their policy, and reports what breaks it. */

let fixture: ConsoleFixture;
let browser: Browser;
/** A connected app: its page opens the consent in a window, which ends at `/callback`. */
let appServer: Server;
let appUrl: string;

beforeAll(async () => {
  if (!CHROMIUM) return;
  [fixture, browser] = await Promise.all([startConsole(), sharedChromium()]);
  appServer = createServer((request, response) => {
    const script = request.url?.startsWith('/callback')
      ? "opener.postMessage(new URLSearchParams(location.search).get('state'), '*')"
      : "addEventListener('message', ({ data }) => { document.title = data })";
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><link rel="icon" href="data:,"><title>App</title><script>${script}</script>`);
  });
  await new Promise<void>((resolve) => appServer.listen(0, '127.0.0.1', resolve));
  appUrl = `http://127.0.0.1:${(appServer.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((resolve) => (appServer ? appServer.close(resolve) : resolve(null)));
});

/** The page of the last link to this path that was mailed to the address. */
async function mailedLink(email: string, path: string): Promise<string> {
  const link = new RegExp(`https?://\\S*/(\\S*${path}\\S+)`);
  const found = await eventually('the email with the link', 60_000, async () => {
    const mails = await fixture.api.sql<{ body: string }[]>`
      select body from mail_outbox where recipient = ${email} order by created_at desc, id desc`;
    return mails.map(({ body }) => link.exec(body)?.[0]).find((each) => each !== undefined) ?? null;
  });
  const { pathname, search } = new URL(found);
  return `${fixture.url}${pathname}${search}`;
}

/** Whether the page's own style is in force: a hash that is wrong leaves the body as wide as the window. */
const STYLED = 'document.body.getBoundingClientRect().width < 500';

describe.skipIf(!CHROMIUM)('the pages of links and of the consent', () => {
  it.each(['/api/auth/password-reset', '/api/auth/verify-email', '/api/auth/password-reset?token=unknown'])(
    'shows %s under its policy',
    async (path) => {
      const { page, complaints } = await openPage(browser, `${fixture.url}${path}`);
      expect(await page.evaluate(STYLED)).toBe(true);
      expect(complaints).toEqual([]);
    },
  );

  it('ends a new password with the way to sign in with it', async () => {
    const { email } = await fixture.newUser();
    const { page, complaints } = await openPage(browser, `${fixture.url}/api/auth/password-reset`);
    await lookAt(page, 'written-forgotten');
    await page.getByLabel('Your email address').fill(email);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Look at your emails' }).waitFor();
    await page.goto(await mailedLink(email, 'password-reset'));
    await page.getByLabel('New password').fill('1111111111');
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .getByText(/^This password repeats or counts up/)
      .waitFor();
    await lookAt(page, 'written-password');
    await page.getByLabel('New password').fill('green kettles sing at dusk');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your password was changed' }).waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill('green kettles sing at dusk');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('confirms an address, and sign-in says so', async () => {
    const { email } = await fixture.newUser();
    await fixture.api.sql`update users set email_verified_at = null where email = ${email}`;
    const { page, complaints } = await openPage(browser, await mailedLink(email, 'verify-email'));
    await lookAt(page, 'written-confirm');
    await page.getByRole('button', { name: 'Yes, confirm' }).click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    await lookAt(page, 'written-confirmed');
    await page.getByRole('link', { name: 'Go on to the console' }).click();
    await page.getByText('Your email address is confirmed.').waitFor();
    await lookAt(page, 'sign-in-confirmed');
    expect(complaints).toEqual([]);
  });

  it('takes a person without an account into the workspace of an invite', async () => {
    const owner = await fixture.api.asUser('owner');
    const { status } = await owner.send('POST', '/invites', { email: 'ravi@example.com', role: 'developer' });
    expect(status).toBe(201);
    const { page, complaints } = await openPage(browser, await mailedLink('ravi@example.com', 'invites/'));
    await page.getByRole('heading', { name: /^Join / }).waitFor();
    await lookAt(page, 'written-invite');
    await page.getByLabel('Your name').fill('Ravi');
    await page.getByLabel('Password').fill('1111111111');
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Your name').fill('Ravi');
    await page.getByLabel('Password').fill('green kettles sing at dusk');
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('link', { name: 'Go on to the console' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('runs no script that gets into one', async () => {
    const { page, complaints } = await openPage(browser, `${fixture.url}/api/auth/password-reset`);
    await page.evaluate(`
      const script = document.createElement('script');
      script.textContent = "document.title = 'broken into'";
      document.body.append(script);`);
    expect(await page.title()).toBe('Forgotten your password? · Antiphon');
    expect(complaints.join()).toContain('Content Security Policy');
  });

  it('sends the window of a consent back to the app that opened it', async () => {
    const { email, password } = await fixture.newUser();
    const asked = { name: 'Sheets', redirect_uris: [`${appUrl}/callback`], confidential: false };
    const registered = await registerOauthApp(fixture.api.sql, asked, Date.now());
    if (typeof registered === 'string') throw new Error(registered);
    const { page, context, complaints } = await openPage(browser, fixture.url);
    const body = JSON.stringify({ email, password });
    const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    expect(
      await page.evaluate(`fetch('/api/v1/auth/login', ${JSON.stringify(sent)}).then((answer) => answer.status)`),
    ).toBe(200);
    await page.goto(appUrl);
    const query = new URLSearchParams({
      ...{ response_type: 'code', client_id: registered.client_id, redirect_uri: `${appUrl}/callback` },
      ...{ state: 'come back', code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' },
    });
    const [window] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate(`void open(${JSON.stringify(`${fixture.url}/oauth/authorize?${query}`)})`),
    ]);
    window.on('console', (message) => complaints.push(message.text()));
    await window.getByRole('heading', { name: 'Connect Sheets?' }).waitFor();
    expect(await window.evaluate(STYLED)).toBe(true);
    await lookAt(window, 'written-consent');
    await window.getByRole('button', { name: 'Allow' }).click();
    await window.waitForURL(`${appUrl}/callback?**`);
    await expect.poll(() => page.title()).toBe('come back');
    expect(complaints).toEqual([]);
  });

  it('shows in no frame of another site', async () => {
    const { page, complaints } = await openPage(browser, appUrl);
    await page.evaluate(`
      const frame = document.createElement('iframe');
      frame.src = ${JSON.stringify(`${fixture.url}/api/auth/password-reset`)};
      globalThis.framed = new Promise((loaded) => frame.addEventListener('load', loaded));
      document.body.append(frame);`);
    await page.evaluate('globalThis.framed.then(() => null)');
    expect(complaints.join()).toMatch(/frame-ancestors 'none'/);
  });
});
