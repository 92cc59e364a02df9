import type { Browser, BrowserContext, ConsoleMessage, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, launchChromium, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { accessibilityFaults, lookAt } from '../support/page-checks.ts';

/** The page in a real browser; skipped where there is none. */

let fixture: ConsoleFixture;
let browser: Browser;
let context: BrowserContext;
let complaints: string[];

beforeAll(async () => {
  if (!CHROMIUM) return;
  [fixture, browser] = await Promise.all([startConsole(), sharedChromium()]);
});
afterEach(() => context?.close());

async function open(size = { width: 1280, height: 800 }, on: Browser = browser): Promise<Page> {
  context = await on.newContext({ viewport: size });
  complaints = [];
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  page.on('console', (message: ConsoleMessage) => {
    // The browser logs responses 401 and 409, which are expected.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      complaints.push(message.text());
    }
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(fixture.url)) complaints.push(`asked ${request.url()}`);
  });
  await page.goto(fixture.url);
  return page;
}

async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Acme Clinics' }).waitFor();
  await page.goto(`${fixture.url}/agents`);
  await page.getByRole('heading', { name: 'Agents' }).waitFor();
}

/** The accessible name of the focused element. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(
    `(() => { const at = document.activeElement; return at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent; })()`,
  );

describe.skipIf(!CHROMIUM)('the console', () => {
  it('is served under a strict policy', async () => {
    const answer = await fixture.api.http.inject({ method: 'GET', url: '/' });
    const policy = String(answer.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("connect-src 'self' ws://127.0.0.1:1");
    expect(policy).not.toContain('unsafe');
    const asset = /src="(\/assets\/[^"]+\.js)"/.exec(answer.body)![1]!;
    const script = await fixture.api.http.inject({ method: 'GET', url: asset });
    expect(script.statusCode).toBe(200);
    expect(script.headers['cache-control']).toContain('immutable');
    expect(script.headers['x-content-type-options']).toBe('nosniff');
    const outside = await fixture.api.http.inject({ method: 'GET', url: '/assets/../index.html' });
    expect(outside.statusCode).toBe(404);
    const embed = await fixture.api.http.inject({ method: 'GET', url: '/embed.js' });
    expect(embed.statusCode).toBe(200);
    expect(embed.headers['cross-origin-resource-policy']).toBe('cross-origin');
    expect(embed.headers['content-type']).toContain('javascript');
  });

  it('signs in by keyboard, reports a wrong password, lists the agents and finds one', async () => {
    const user = await fixture.newUser();
    await fixture.newAgent(user.workspace_id, { name: 'Maya, appointments' });
    await fixture.newAgent(user.workspace_id, { name: 'Ravi, orders' });
    const page = await open();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await focused(page)).toBe('Email');
    await page.keyboard.type(user.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type('something else');
    await page.keyboard.press('Enter');
    await page.getByText('do not belong together').waitFor();
    expect(await focused(page)).toBe('Email');
    await page.getByLabel('Password').fill(user.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Acme Clinics' }).waitFor();
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Maya, appointments', exact: true }).waitFor();
    await page.getByLabel('Search agents').fill('orders ravi');
    await page.getByText('1 of 2').waitFor();
    expect(await page.getByRole('link', { name: 'Maya' }).count()).toBe(0);

    // The session survives a reload and ends with the sign-out.
    await page.reload();
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('follows an address that changes while it starts', async () => {
    const page = await open();
    await page.addInitScript(`
      const listen = window.addEventListener;
      window.addEventListener = (type, ...rest) => {
        if (type === 'hashchange' && location.pathname === '/') history.replaceState(null, '', '#/sign-up');
        listen.call(window, type, ...rest);
      };`);
    await page.reload();
    await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  });

  it("opens a shared agent's link, after the sign-in, and copies it to talk to it", async () => {
    const sender = await fixture.newUser();
    const agent_id = await fixture.newAgent(sender.workspace_id, { name: 'Maya', system_prompt: 'You sell shoes.' });
    const owner = await fixture.api.asUser('owner', sender.workspace_id);
    const { body } = await owner.send('POST', '/agent-shares', { agent_id });
    const user = await fixture.newUser();
    const page = await open();
    await page.goto(`${fixture.url}${new URL(body.url).pathname}`);
    await page.getByLabel('Email').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Maya' }).waitFor();
    await page.getByText('You sell shoes.').waitFor();
    await page.getByText('Hindi').waitFor();
    await lookAt(page, 'shared-agent');
    await page.getByRole('button', { name: 'Copy to Acme Clinics, and talk' }).click();
    await page.waitForURL(/\/agents\//);
    await page.getByRole('button', { name: 'Talk' }).waitFor();
    expect(page.url()).not.toContain(agent_id);

    expect((await owner.send('DELETE', `/agent-shares/${body.token}`)).status).toBe(204);
    await page.goto(`${fixture.url}${new URL(body.url).pathname}`);
    await page.getByText('This link does not work any more').waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows that the microphone was denied, and takes no call slot', async () => {
    const user = await fixture.newUser();
    await fixture.newAgent(user.workspace_id, { name: 'Maya' });
    const shy = await launchChromium({ refuseMicrophone: true });
    try {
      const page = await open({ width: 390, height: 844 }, shy);
      await signIn(page, user);
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('link', { name: 'Talk to Maya' }).click();
      await page.getByRole('heading', { name: 'Maya' }).waitFor();
      await page.getByRole('button', { name: 'Talk' }).click();
      await page.getByText('The microphone is blocked for this page').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      const [row] = await fixture.api
        .sql`select count(*)::integer as count from calls where workspace_id = ${user.workspace_id}`;
      expect(row!.count).toBe(0);
      expect(complaints).toEqual([]);
    } finally {
      await shy.close();
    }
  });

  it.each([
    [
      'all slots are busy',
      'All call slots of the workspace are busy',
      (id: string) => fixture.api.sql`
      update workspaces set concurrency_limit = 1 where id = ${id}`,
    ],
    [
      'the credits are gone',
      'There are no credits left',
      (id: string) => fixture.api.sql`
      update wallets set paid_paise = 0, free_paise = 0, plan_seconds_left = 0 where workspace_id = ${id}`,
    ],
  ])('says so when %s', async (_when, words, make) => {
    const user = await fixture.newUser();
    const agent = await fixture.newAgent(user.workspace_id, { name: 'Maya' });
    const owner = await fixture.api.asUser('owner', user.workspace_id);
    await owner.send('POST', `/agents/${agent}/web-call`, {});
    await make(user.workspace_id);
    const page = await open();
    await signIn(page, user);
    await page.getByRole('link', { name: 'Talk to Maya' }).click();
    await page.getByRole('button', { name: 'Talk' }).click();
    await page.getByText(words).waitFor();
    // The button is ready for another attempt.
    await page.getByRole('button', { name: 'Talk' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('says that credits cannot be bought where no payment gateway is set up', async () => {
    const user = await fixture.newUser();
    const page = await open();
    await signIn(page, user);
    await page.getByRole('link', { name: 'Billing' }).click();
    await page.getByRole('button', { name: 'Pay' }).click();
    await page.getByText('Top-ups in INR are not possible: no payment gateway is set up for it.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('does not call a paused agent', async () => {
    const user = await fixture.newUser();
    await fixture.newAgent(user.workspace_id, { name: 'Maya', status: 'paused' });
    const page = await open();
    await signIn(page, user);
    await page.getByRole('listitem').filter({ hasText: 'Maya' }).getByText('Paused').waitFor();
    await page.getByRole('link', { name: 'Talk to Maya' }).click();
    await page.getByText('This agent is paused').waitFor();
    // The button stays visible and does nothing.
    await page.getByRole('button', { name: 'Talk' }).click({ force: true });
    await page.getByText('This agent is paused').waitFor();
    expect(await page.getByText('Allow the microphone').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
