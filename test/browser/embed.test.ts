import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { type FakeEngine, installFakeEngine } from '../support/fake-engine.ts';
import { until } from '../support/until.ts';

/** The button on another website, whose server places the calls with its API key. */

let fixture: ConsoleFixture;
let browser: Browser;
let context: BrowserContext;
let shop: Server;
let shopUrl: string;
/** The shop server's response instead of placing a call; null: it places one. */
let answer: { status: number; body: object } | null;
let policy: string;
let page: Page;
let engine: FakeEngine;
let complaints: string[];

beforeAll(async () => {
  if (!CHROMIUM) return;
  [fixture, browser] = await Promise.all([startConsole(), sharedChromium()]);
  const client = await fixture.api.newWorkspace();
  const agent = await fixture.newAgent(client.workspace_id, { name: 'Maya' });
  shop = createServer(async (request, response) => {
    if (request.url === '/start-call') {
      const { status, body } = answer ?? (await client.send('POST', `/agents/${agent}/web-call`, {}));
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy }).end(
      `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><h1>Shop</h1><div id="help"></div>
<script src="${fixture.url}/embed.js" ${request.url === '/plain' ? '' : 'data-token-url="/start-call" data-label="Call the shop"'}></script>
</html>`,
    );
  });
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  shopUrl = `http://localhost:${(shop.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((resolve) => (shop ? shop.close(resolve) : resolve(null)));
});
afterEach(() => context?.close());

async function openShop(path = '/'): Promise<void> {
  answer = null;
  complaints = [];
  policy = `default-src 'none'; script-src ${fixture.url}; connect-src 'self' ws://127.0.0.1:1; img-src data:`;
  context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  context.setDefaultTimeout(60_000);
  engine = await installFakeEngine(context);
  page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${shopUrl}${path}`);
}

describe.skipIf(!CHROMIUM)('the embedded button', () => {
  it('opens a call by keyboard, mutes, and hangs up, under a strict policy of the page', async () => {
    await openShop();
    await page.getByRole('button', { name: 'Call the shop' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(/^Connected · \d/).waitFor();
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/console-embed-390.png` });
    await page.getByRole('button', { name: 'Mute' }).click();
    await page.getByText(/^Muted · /).waitFor();
    await until(() => engine.received.some((each) => each.type === 'mute' && each.muted), 'the word that it is muted');
    engine.unavailable = true;
    engine.dropSocket();
    await page.getByText('The connection broke. Reconnecting…').waitFor();
    engine.unavailable = false;
    await until(() => engine.sockets === 2, 'a second socket', 60_000);
    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.getByText('You hung up.').waitFor();
    await page.getByRole('button', { name: 'Call the shop' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it.each([
    [409, 'All lines are busy.'],
    [402, 'Calls are not possible at the moment.'],
    [500, 'The call could not be placed.'],
    [200, 'The call could not be placed.'],
  ])('shows what its server responded: %i', async (status, words) => {
    await openShop();
    answer = { status, body: {} };
    await page.getByRole('button', { name: 'Call the shop' }).click();
    await page.getByText(words).waitFor();
    await page.getByRole('button', { name: 'Call the shop' }).waitFor();
  });

  it('can be created by a script, and starts a call from a given session', async () => {
    await openShop('/plain');
    expect(await page.getByRole('button').count()).toBe(0);
    await page.evaluate(
      `window.made = Antiphon.button({ tokenUrl: '/start-call', label: 'In here', target: document.querySelector('#help') })`,
    );
    expect(await page.locator('#help antiphon-call').count()).toBe(1);
    await page.evaluate('window.made.remove()');
    expect(await page.locator('antiphon-call').count()).toBe(0);
    await page.evaluate(`window.made = Antiphon.call({ url: 'ws://127.0.0.1:1/web', token: 'a.b.c' })`);
    await page.getByText(/^Connected · /).waitFor();
    engine.send({ type: 'ended', reason: 'agent ended the call' });
    await page.getByText('The agent said goodbye and hung up.').waitFor();
    expect(complaints).toEqual([]);
  });
});
