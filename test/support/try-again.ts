import type { Locator, Page } from 'playwright-core';

/** Clicks "Try again" until `there` is seen. A page that reads again by itself may show it before one has clicked. */
export async function tryAgainUntil(page: Page, there: Locator): Promise<void> {
  const clicked = page.getByRole('button', { name: 'Try again' }).first().click();
  await Promise.race([clicked.catch(() => null), there.waitFor()]);
  await there.waitFor();
}
