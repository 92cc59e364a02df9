import { mkdirSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { afterFile } from './after-file.ts';
import { axeFaults } from './axe-check.ts';
import { longerTimers } from './longer-timers.ts';

/** What every page of the console must be, whatever it shows. */

const VIEWPORT = { width: 1280, height: 800 };

export interface OpenedPage {
  page: Page;
  context: BrowserContext;
  /** Errors of the page's scripts and of its content security policy. */
  complaints: string[];
}

/** The events that tests listen to. */
const EVENTS = ['console', 'pageerror', 'dialog', 'request', 'response', 'requestfailed', 'download', 'popup'] as const;

/** Toasts (`console/ui/toasts.tsx`) are there for longer than the slowest test needs to see them. */
const LONG_TOASTS = longerTimers({ 7000: 120_000 });

/** A page of the services' own site, localhost, without anything. */
const NOWHERE = 'http://localhost/nothing';

const kept = new WeakMap<Browser, Page>();

/**
 * Opens the address in the browser's one page, which is cleaned before: no cookies, storage, routes or listeners of earlier tests.
 * A page of its own for each test would take three times its CPU: most of it is starting a process and compiling the console's scripts.
 *
 * Responses 4xx, which the browser logs as errors too, are no complaints.
 */
export async function openPage(browser: Browser, url: string): Promise<OpenedPage> {
  return listenedPage(await cleanPage(browser), url);
}

/** Goes to the address, and notes what the page complains of. */
export async function listenedPage(page: Page, url: string): Promise<OpenedPage> {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      complaints.push(message.text());
    }
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(url);
  return { page, context: page.context(), complaints };
}

/** Returns the browser's page as a new one would be, at no address. It leaves the file's service before that closes. */
export async function cleanPage(browser: Browser): Promise<Page> {
  let page = kept.get(browser);
  if (page && !page.isClosed()) await clean(page);
  else {
    const context = await browser.newContext({ viewport: VIEWPORT });
    context.setDefaultTimeout(60_000);
    await context.addInitScript(LONG_TOASTS);
    page = await context.newPage();
    kept.set(browser, page);
  }
  const opened = page;
  afterFile(() => (opened.isClosed() ? undefined : clean(opened)));
  return page;
}

async function clean(page: Page): Promise<void> {
  const context = page.context();
  for (const event of EVENTS) page.removeAllListeners(event);
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await context.setOffline(false);
  // Not about:blank, for which Chromium starts another process, and one more for the console after it.
  await page.route(NOWHERE, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
  await page.goto(NOWHERE);
  await page.unroute(NOWHERE);
  await context.clearCookies();
  await context.clearPermissions();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'local_storage' });
  await devtools.detach();
  await page.setViewportSize(VIEWPORT);
  await page.emulateMedia({ colorScheme: null, reducedMotion: null, forcedColors: null });
}

/**
 * Looks at the page in three widths, and with axe-core in both themes: all its rules in one, colours in the other. With
 * SCREENSHOTS, a folder, it takes a picture of each, and of the same address in Hindi.
 */
export async function lookAt(page: Page, name: string): Promise<void> {
  const dir = process.env.SCREENSHOTS;
  if (dir) mkdirSync(dir, { recursive: true });
  for (const width of [390, 1024, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await accessibilityFaults(page)).toEqual([]);
    for (const colorScheme of dir ? (['light', 'dark'] as const) : []) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${dir}/console-${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
  }
  if (dir) await pictureInHindi(page, `${dir}/console-${name}`);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    const rules = colorScheme === 'dark' ? 'all' : 'colours';
    expect(await axeFaults(page, rules), `${name}, ${colorScheme}`).toEqual([]);
  }
}

/** Opened beside the page, which stays as the test has it: without its dialogs and routes. */
async function pictureInHindi(page: Page, path: string): Promise<void> {
  const beside = await page.context().newPage();
  await beside.addInitScript(`
    const stored = Storage.prototype.getItem;
    Storage.prototype.getItem = function (key) { return key === 'antiphon.language' ? 'hi' : stored.call(this, key); };
  `);
  // A page whose connection is cut has no picture.
  const answered = await beside.goto(page.url(), { waitUntil: 'networkidle' }).catch(() => null);
  for (const width of answered ? [390, 1440] : []) {
    await beside.setViewportSize({ width, height: 800 });
    await beside.screenshot({ path: `${path}-${width}-hindi.png`, fullPage: true });
  }
  await beside.close();
}

/** What is wrong with the page for people who do not see it well: a name on every control, one `h1`, a language, no scrolling sideways. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const wrong = [];
    const shown = (each) => each.checkVisibility();
    for (const each of [...document.querySelectorAll('button, a, input, select, summary')].filter(shown)) {
      const label = each.getAttribute('aria-label') ?? each.labels?.[0]?.textContent ?? each.textContent;
      if (!label?.trim()) wrong.push(each.outerHTML);
      const box = each.getBoundingClientRect();
      if (each.matches('button, input, select') && Math.min(box.width, box.height) < 24) wrong.push('small: ' + each.outerHTML);
    }
    if (document.querySelectorAll('h1').length !== 1) wrong.push('not one h1');
    if (!document.documentElement.lang) wrong.push('no lang');
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    if (new Set(ids).size !== ids.length) wrong.push('an id twice');
    for (const each of document.querySelectorAll('[aria-describedby], [aria-controls], [aria-labelledby]')) {
      for (const name of ['aria-describedby', 'aria-controls', 'aria-labelledby']) {
        for (const id of (each.getAttribute(name) ?? '').split(' ').filter(Boolean)) {
          if (!document.getElementById(id)) wrong.push(name + ' of nothing: ' + id);
        }
      }
    }
    if (document.documentElement.scrollWidth > innerWidth) wrong.push('wider than the window');
    return wrong;
  })()`);
}
