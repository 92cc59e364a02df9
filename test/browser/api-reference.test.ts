import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { startTestApi } from '../support/control-app.ts';
import { openPage } from '../support/page-checks.ts';

/** The reference of the API at `/docs`, in a real browser: it enforces the page's policy, and reports what breaks it. */

async function openReference(colorScheme: 'light' | 'dark', width: number) {
  const { http } = await startTestApi();
  await http.listen({ host: '127.0.0.1', port: 0 });
  const { port } = http.server.address() as AddressInfo;
  const opened = await openPage(await sharedChromium(), 'about:blank');
  await opened.page.setViewportSize({ width, height: 900 });
  await opened.page.emulateMedia({ colorScheme });
  await opened.page.goto(`http://127.0.0.1:${port}/docs`);
  return opened;
}

describe.skipIf(!CHROMIUM)('the API reference', () => {
  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('shows an operation under its policy, %s, %d pixels wide', async (colorScheme, width) => {
    const { page, complaints } = await openReference(colorScheme, width);
    await page.locator('#operations-tag-Calls').click();
    await page.locator('#operations-Calls-placeCall .opblock-summary-control').click();
    await page.getByText('idempotency-key').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await page.evaluate("document.documentElement.classList.contains('dark-mode')")).toBe(
      colorScheme === 'dark',
    );
    expect(complaints).toEqual([]);
  });
});
