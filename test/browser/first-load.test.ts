import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, launchChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { openPage } from '../support/page-checks.ts';

/** How much a signed-in person loads before the first page is there, and how long that takes; skipped without a browser. */

const MOST_BYTES = 150 * 1_024;
/** As a phone of the lower middle class, against the machines that browsers are tested on. */
const SLOWED = 4;

/** Notes by the page's own clock when its heading is there: the program runs then, and its links and buttons do what they say. */
const NOTE_READY = `new MutationObserver(() => {
  if (!window.readyAt && document.querySelector('main h1')) window.readyAt = performance.now();
}).observe(document, { childList: true, subtree: true });`;

let fixture: ConsoleFixture;
let browser: Browser;

beforeAll(async () => {
  if (!CHROMIUM) return;
  [fixture, browser] = await Promise.all([startConsole(), launchChromium()]);
});
afterAll(() => browser?.close());

describe.skipIf(!CHROMIUM)('the first load of the console', () => {
  it('is small', async () => {
    const user = await fixture.newUser();
    await fixture.newAgent(user.workspace_id, { name: 'Maya' });
    const { page, context, complaints } = await openPage(browser, fixture.url);
    await page.getByLabel('Email').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await page.keyboard.press('Enter');
    const first = page.getByRole('main').getByRole('heading', { level: 1 });
    await page.getByRole('button', { name: 'Go to' }).waitFor();
    await first.waitFor();

    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
    const types = new Map<string, string>();
    const bytes: Record<string, number> = {};
    devtools.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type));
    devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      const type = types.get(requestId) ?? 'Other';
      bytes[type] = (bytes[type] ?? 0) + encodedDataLength;
    });
    await context.addInitScript(NOTE_READY);
    await page.goto(fixture.url, { waitUntil: 'commit' });
    await first.waitFor();
    await page.waitForLoadState('networkidle');
    const readyMs = await page.evaluate<number>('Math.round(window.readyAt)');
    const loaded = (bytes.Script ?? 0) + (bytes.Stylesheet ?? 0);
    console.log(
      `first load: ${Math.round(loaded / 1_024)} KB of scripts and styles, ready after ${readyMs} ms, ${SLOWED} times slowed`,
    );
    expect(loaded).toBeGreaterThan(10_000);
    expect(loaded).toBeLessThan(MOST_BYTES);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
