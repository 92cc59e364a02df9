import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { openPage } from '../support/page-checks.ts';

/** The console without a mouse, in a real browser; skipped where there is none. */

let fixture: ConsoleFixture;
let browser: Browser;

beforeAll(async () => {
  if (!CHROMIUM) return;
  [fixture, browser] = await Promise.all([startConsole(), sharedChromium()]);
});

const MOST_TABS = 60;

/** Presses Tab until the control with this name has the focus, which must be seen. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < MOST_TABS; presses++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<{ name: string; visible: boolean }>(`(() => {
      const at = document.activeElement;
      const name = at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent;
      const { outlineStyle } = getComputedStyle(at);
      return { name: name.trim(), visible: outlineStyle !== 'none' || at.closest(':focus-within.search') !== null };
    })()`);
    if (focused.name !== name) continue;
    expect(focused).toEqual({ name, visible: true });
    return;
  }
  throw new Error(`Tab does not lead to ${name}`);
}

describe.skipIf(!CHROMIUM)('by keyboard alone', () => {
  it('one signs in, finds an agent and calls it', async () => {
    const user = await fixture.newUser();
    const agentId = await fixture.newAgent(user.workspace_id, { name: 'Maya' });
    const { page, complaints } = await openPage(browser, fixture.url);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('Email').focus();
    await page.keyboard.type(user.email);
    await tabTo(page, 'Password');
    await page.keyboard.type(user.password);
    await page.keyboard.press('Enter');
    // What stands around every page is there with the first one.
    await page.getByRole('button', { name: 'Go to' }).waitFor();
    await page.locator('h1:focus').waitFor();

    await page.keyboard.press('Control+k');
    await page.locator('[role="combobox"]:focus').waitFor();
    await page.keyboard.type('Maya');
    await page.getByRole('listbox', { name: 'Go to' }).getByRole('option', { name: 'Maya', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/agents/${agentId}`);
    await page.getByRole('heading', { name: 'Maya' }).waitFor();
    await page.locator('h1:focus').waitFor();
    await tabTo(page, 'Talk');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/agents/${agentId}/talk`);
    await page.locator('h1:focus').waitFor();
    const placed = page.waitForResponse((response) => response.url().endsWith(`/agents/${agentId}/web-call`));
    await page.locator('.call-button').waitFor();
    await tabToButton(page);
    await page.keyboard.press('Enter');
    expect((await placed).status()).toBe(201);
    expect(complaints).toEqual([]);
  });
});

/** The tab of the same name comes before the button. */
async function tabToButton(page: Page): Promise<void> {
  for (let presses = 0; presses < MOST_TABS; presses++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement.matches('.call-button')`)) return;
  }
  throw new Error('Tab does not lead to the button');
}
