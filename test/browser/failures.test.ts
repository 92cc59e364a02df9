import { globSync, readFileSync } from 'node:fs';
import type { Browser, Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { openSignedIn } from '../support/sign-in-page.ts';
import { tryAgainUntil } from '../support/try-again.ts';

/** What every page says when the API fails, in a real browser; skipped where there is none. */

let fixture: ConsoleFixture;
let browser: Browser;

beforeAll(async () => {
  if (!CHROMIUM) return;
  [fixture, browser] = await Promise.all([startConsole(), sharedChromium()]);
});

/** Forms and instructions, which read nothing before they are of use. */
const READ_NOTHING = new Set(['/numbers/buy', '/tools/new', '/webhooks/verify']);

/** The addresses of all pages, as the areas list them, with an id that nothing has. */
const ADDRESSES = globSync('console/*/routes.ts')
  .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/(?:page|keyed)Route\(\s*'([^']+)'/g)])
  .map(([, path]) => path!)
  .filter((path) => !READ_NOTHING.has(path))
  .map((path) => path.replaceAll(/:\w+/g, '0'.repeat(32)));

/** As many pages wait at a time, because the console asks a service that fails three times. */
const AT_ONCE = 6;

type Answer = (route: Route) => Promise<void>;

const BUSY: Answer = (route) => route.fulfill({ status: 503, json: { detail: 'busy' } });
const OUT_OF_REACH: Answer = (route) => route.abort();
const SIGNED_OUT: Answer = (route) => route.fulfill({ status: 401, json: { detail: 'not signed in' } });

describe.skipIf(!CHROMIUM)('every page', () => {
  it('says that the service fails or is out of reach, asks again, and leads to the sign-in of who was signed out', async () => {
    const { page: first, context } = await openSignedIn(browser, fixture.url, await fixture.newUser());
    await first.getByRole('heading', { level: 1 }).waitFor();
    const left = [...ADDRESSES];
    const wrong: string[] = [];

    async function open(page: Page, address: string): Promise<void> {
      let answer = BUSY;
      // Who is signed in is known.
      await page.route(/\/api\/(?!v1\/auth\/me)/, (route) => answer(route));
      await page.goto(`${fixture.url}${address}`);
      await page.getByText('The service could not read ').first().waitFor();
      answer = OUT_OF_REACH;
      await tryAgainUntil(page, page.getByText('The service cannot be reached. Check your connection.').first());
      answer = SIGNED_OUT;
      await tryAgainUntil(page, page.getByRole('heading', { name: 'Sign in' }));
    }

    async function openOthers(page: Page): Promise<void> {
      page.setDefaultTimeout(120_000);
      for (let address = left.pop(); address !== undefined; address = left.pop()) {
        await open(page, address).catch((error: Error) => wrong.push(`${address}: ${error.message.slice(0, 300)}`));
        await page.unrouteAll({ behavior: 'ignoreErrors' });
      }
    }

    const others = await Promise.all(Array.from({ length: AT_ONCE - 1 }, () => context.newPage()));
    await Promise.all([first, ...others].map(openOthers));
    expect(wrong).toEqual([]);
    expect(ADDRESSES.length).toBeGreaterThan(40);
  });
});
