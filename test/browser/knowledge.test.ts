import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { processSources } from '../../control/knowledge/process-sources.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';
import { HOTEL } from '../control/knowledge/texts.ts';
import { afterFile } from '../support/after-file.ts';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { lookAt } from '../support/page-checks.ts';
import { openSignedIn } from '../support/sign-in-page.ts';
import { tryAgainUntil } from '../support/try-again.ts';

/** Knowledge bases and their sources, in a real browser; skipped where there is none. */

const log = createLogger('control', 'silent');
let fixture: ConsoleFixture;
let browser: Browser;

beforeAll(async () => {
  if (!CHROMIUM) return;
  [fixture, browser] = await Promise.all([startConsole(), sharedChromium()]);
});

type User = Awaited<ReturnType<ConsoleFixture['newUser']>>;

const opened = (user: User, path: string) => openSignedIn(browser, `${fixture.url}${path}`, user);

const processAll = () => processSources({ sql: fixture.api.sql, clock: systemClock, log, embedder: null });

/** Writes the files and returns their paths: the browser reads them itself, and 20 MB need not be sent to it. */
function filesOf(contents: Record<string, string>): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'antiphon-files-'));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  return Object.entries(contents).map(([name, content]) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  });
}

async function newBase(user: User, texts: Record<string, string> = {}) {
  const owner = await fixture.api.asUser('owner', user.workspace_id);
  const { body } = await owner.send('POST', '/knowledge-bases', { name: 'Hotel', description: 'What guests ask.' });
  for (const [name, text] of Object.entries(texts)) {
    await owner.send('POST', `/knowledge-bases/${body.id}/sources/text`, { name, text });
  }
  await processAll();
  return { id: body.id as string, owner };
}

describe.skipIf(!CHROMIUM)('knowledge in the console', () => {
  it('is made, filled with files, a page and a text, and searched as an agent would', async () => {
    const user = await fixture.newUser();
    const { page, complaints } = await opened(user, '/knowledge');
    await page.getByText('There is no knowledge base yet.').waitFor();
    await page.getByRole('button', { name: 'New knowledge base' }).click();
    await page.getByRole('button', { name: 'Make it' }).click();
    // The service's refusal stands at its field.
    await page.getByText('This is needed.').waitFor();
    await page.getByLabel('Name').fill('Hotel');
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.getByRole('heading', { name: 'Hotel' }).waitFor();

    await page.getByLabel('Files').setInputFiles(
      filesOf({
        'parking.txt': 'Guests park for free behind the house.',
        'broken.pdf': '%PDF-1.7 no more of it',
        'huge.txt': 'a'.repeat(20 * 1024 * 1024 + 1),
      }),
    );
    await page.getByText('The file is larger than 20 MB.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    const sources = page.getByRole('list', { name: 'Sources' });
    await sources.getByText('broken.pdf').waitFor();
    await page.getByRole('button', { name: 'Add a text' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Breakfast');
    await dialog.getByRole('textbox', { name: 'Text' }).fill('Breakfast is from seven to ten.');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('button', { name: 'Add a web page' }).click();
    await dialog.getByLabel('Address').fill('http://127.0.0.1/faq');
    await dialog.getByRole('button', { name: 'Add' }).click();
    // Not on the public internet.
    await dialog
      .locator('.error')
      .filter({ hasText: /public internet/ })
      .waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await sources.getByText('Waiting').first().waitFor();
    await processAll();
    // The page looks again by itself.
    await sources.getByText('Ready').nth(1).waitFor();
    await sources.locator('.error').waitFor();
    await sources.getByText('Failed').waitFor();

    await page.getByLabel('Question').fill('where do guests park');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.locator('.passage').getByText('Guests park for free behind the house.').waitFor();
    await page.getByText('has words of the question').first().waitFor();
    await lookAt(page, 'knowledge-base');
    expect(complaints).toEqual([]);
  });

  it('takes files that are dropped, and processes or deletes a source again', async () => {
    const user = await fixture.newUser();
    const { id } = await newBase(user, HOTEL);
    const { page, complaints } = await opened(user, `/knowledge/${id}`);
    const sources = page.getByRole('list', { name: 'Sources' });
    await sources.getByRole('listitem').first().waitFor();
    const count = Object.keys(HOTEL).length;
    const dropped = await page.evaluateHandle(`(() => {
      const files = new DataTransfer();
      files.items.add(new File(['Pets stay for free.'], 'pets.md', { type: 'text/markdown' }));
      return files;
    })()`);
    await page.locator('.drop-zone').dispatchEvent('drop', { dataTransfer: dropped });
    await sources.getByText('pets.md', { exact: true }).waitFor();
    await processAll();
    await expect.poll(() => sources.getByText('Ready').count()).toBe(count + 1);
    await page.getByRole('button', { name: 'Process again: pets.md' }).click();
    await sources.getByText('Waiting').waitFor();
    await page.getByRole('button', { name: 'Delete pets.md' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => sources.getByRole('listitem').count()).toBe(count);
    expect(complaints).toEqual([]);
  });

  it('is renamed, and not deleted while an agent uses it', async () => {
    const user = await fixture.newUser();
    const { id, owner } = await newBase(user, HOTEL);
    await fixture.newAgent(user.workspace_id, { name: 'Maya', knowledge_base_ids: [id] });
    const { page, complaints } = await opened(user, '/knowledge');
    await page.getByText('used by 1 agent').waitFor();
    await lookAt(page, 'knowledge');
    await page.getByRole('link', { name: 'Hotel' }).click();
    await page.getByRole('link', { name: 'Maya' }).waitFor();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Inn');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Inn' }).waitFor();
    const removal = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
    await page.getByRole('main').getByRole('button', { name: 'Delete', exact: true }).first().click();
    await removal.click();
    await page
      .getByRole('alert')
      .getByText(/Used by 1 agent/)
      .waitFor();
    const agents = (await owner.send('GET', '/agents')).body;
    await owner.send('DELETE', `/agents/${agents[0].id}`);
    await removal.click();
    await page.getByText('There is no knowledge base yet.').waitFor();
    await page.getByText('Inn was deleted.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows why it cannot be read, and reads again', async () => {
    const user = await fixture.newUser();
    const { page } = await opened(user, '/');
    await page.getByRole('link', { name: 'Knowledge' }).waitFor();
    await page.route('**/api/v1/knowledge-bases', (route) => route.abort());
    await page.getByRole('link', { name: 'Knowledge' }).click();
    await page.getByText('The service cannot be reached. Check your connection.').waitFor();
    await page.unroute('**/api/v1/knowledge-bases');
    await tryAgainUntil(page, page.getByText('There is no knowledge base yet.'));
  });
});
