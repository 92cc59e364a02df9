import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { lookAt, type OpenedPage, openPage } from '../support/page-checks.ts';

/** What stands around every page, in a real browser; skipped where there is none. */

let fixture: ConsoleFixture;
let browser: Browser;

beforeAll(async () => {
  if (!CHROMIUM) return;
  [fixture, browser] = await Promise.all([startConsole(), sharedChromium()]);
});

async function opened(path = '/calls'): Promise<OpenedPage & { agentId: string }> {
  const user = await fixture.newUser();
  const agentId = await fixture.newAgent(user.workspace_id, { name: 'Maya' });
  const open = await openPage(browser, `${fixture.url}${path}`);
  await open.page.getByLabel('Email').fill(user.email);
  await open.page.getByLabel('Password').fill(user.password);
  await open.page.getByRole('button', { name: 'Sign in' }).click();
  await open.page.getByRole('heading', { name: 'Calls' }).waitFor();
  return { ...open, agentId };
}

const focusedText = ({ page }: Pick<OpenedPage, 'page'>) =>
  page.evaluate<string>('document.activeElement.localName + " " + document.activeElement.textContent.trim()');

describe.skipIf(!CHROMIUM)('around every page', () => {
  it('the palette goes to pages and to what the service finds, by keyboard', async () => {
    const { page, complaints, agentId } = await opened();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'A page, an agent, a call or a number' });
    await field.waitFor();
    await expect.poll(() => page.evaluate(`document.activeElement.getAttribute('role')`)).toBe('combobox');
    await lookAt(page, 'palette');
    const list = page.getByRole('listbox', { name: 'Go to' });
    const chosen = list.getByRole('option', { selected: true });
    await page.keyboard.type('may');
    await list.getByRole('option', { name: 'Maya' }).waitFor();
    await lookAt(page, 'palette-found');
    expect(await field.getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'));
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/agents/${agentId}`);

    await page.getByRole('button', { name: 'Go to' }).click();
    await field.waitFor();
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => chosen.textContent()).toContain('Keyboard shortcuts');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await lookAt(page, 'shortcuts');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('two keys go to a page, whose heading has the focus then', async () => {
    const { page, complaints } = await opened();
    // The second key counts for a second or so after the first.
    const bothKeys = async () => {
      await page.keyboard.press('g');
      await page.keyboard.press('a');
      return page.url();
    };
    await expect.poll(bothKeys).toMatch(/\/agents$/);
    await expect.poll(() => focusedText({ page })).toMatch(/^h1 /);
    await page.getByRole('link', { name: 'Calls', exact: true }).click();
    await expect.poll(() => focusedText({ page })).toBe('h1 Calls');
    // Not while one writes.
    await page.getByLabel('Search in summaries').focus();
    await page.keyboard.type('ga?');
    expect(page.url()).toContain('/calls');
    expect(await page.getByRole('dialog').count()).toBe(0);
    // And not when they are turned off.
    await page.evaluate(`localStorage.setItem('antiphon.shortcuts', 'off'); document.activeElement.blur()`);
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('the first link leads past the pages to the content', async () => {
    const { page } = await opened();
    const first = page.locator('a, button, input, select').first();
    await first.focus();
    expect(await focusedText({ page })).toBe('a Skip to the content');
    expect(await first.isVisible()).toBe(true);
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
  });

  it('a service out of reach is said, and what is shown is read again when it is back', async () => {
    const { page, context, complaints } = await opened();
    await page.getByText('The service cannot be reached').waitFor({ state: 'detached' });
    await context.setOffline(true);
    await page.getByText('This browser is offline.').waitFor();
    await lookAt(page, 'offline');
    await context.setOffline(false);
    await page.getByText('This browser is offline.').waitFor({ state: 'detached' });

    await context.route('**/*', (route) => route.abort());
    await page.getByLabel('Status').selectOption('Failed');
    await page.getByText('It is asked again every few seconds.').waitFor();
    await context.unroute('**/*');
    await page.getByText('It is asked again every few seconds.').waitFor({ state: 'detached' });
    await page.getByText('No call fits these filters.').waitFor();
    expect(complaints).toEqual([]);
  });
});
