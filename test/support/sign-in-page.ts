import type { Browser } from 'playwright-core';
import { type OpenedPage, openPage } from './page-checks.ts';

/** Opens a page of the console as this person. */
export async function openSignedIn(
  browser: Browser,
  url: string,
  { email, password }: { email: string; password: string },
): Promise<OpenedPage> {
  const opened = await openPage(browser, url);
  await opened.page.getByLabel('Email').fill(email);
  await opened.page.getByLabel('Password').fill(password);
  await opened.page.getByRole('button', { name: 'Sign in' }).click();
  return opened;
}
