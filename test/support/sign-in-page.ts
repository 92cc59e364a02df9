import type { Browser } from 'playwright-core';
import { SESSION_COOKIE } from '../../control/http/session-cookie.ts';
import type { NewUser } from './console-fixture.ts';
import { cleanPage, listenedPage, type OpenedPage } from './page-checks.ts';

/** Opens a page of the console as this person, who has signed in. What the form does, `sign-in.test.ts` shows. */
export async function openSignedIn(
  browser: Browser,
  url: string,
  { token }: Pick<NewUser, 'token'>,
): Promise<OpenedPage> {
  const page = await cleanPage(browser);
  // Chromium takes `localhost` for a secure address.
  const cookie = { name: SESSION_COOKIE, value: token, httpOnly: true, secure: true, sameSite: 'Lax' as const };
  await page.context().addCookies([{ ...cookie, url: new URL('/', url).href.replace(/^http:/, 'https:') }]);
  return listenedPage(page, url);
}
