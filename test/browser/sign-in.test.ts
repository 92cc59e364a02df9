import type { Browser, BrowserContext, ConsoleMessage, Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stepAt, totpCode } from '../../control/accounts/totp.ts';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';

/** Two-step sign-in in a real browser; skipped where there is none. */

let fixture: ConsoleFixture;
let browser: Browser;
let context: BrowserContext;
let complaints: string[];

beforeAll(async () => {
  if (!CHROMIUM) return;
  [fixture, browser] = await Promise.all([startConsole(), sharedChromium()]);
});
// All tests share one address, which may fail five times in five minutes.
beforeEach(async () => {
  if (CHROMIUM) await fixture.api.sql`delete from attempts`;
});
afterEach(() => context?.close());

interface Careful {
  email: string;
  password: string;
  secret: string;
  recovery_codes: string[];
}

/** A user with two-step sign-in, which was enabled with the current code. */
async function newCarefulUser(): Promise<Careful> {
  const { email, password } = await fixture.newUser();
  await fixture.api.sql`delete from attempts`;
  const signedIn = await post('', '/auth/login', { email, password });
  const { secret } = await post(signedIn.token, '/account/2fa/setup', { password });
  const { recovery_codes } = await post(signedIn.token, '/account/2fa/enable', {
    code: totpCode(secret, stepAt(Date.now())),
  });
  return { email, password, secret, recovery_codes };
}

async function post(token: string, path: string, payload: object) {
  const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
  const answer = await fixture.api.http.inject({ method: 'POST', url: `/api/v1${path}`, headers, payload });
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${answer.body}`);
  return answer.json();
}

/** The authenticator's next code, because the current one was used. A code is valid one step early and one late. */
const nextCode = (secret: string) => totpCode(secret, stepAt(Date.now()) + 1);

/** Six digits that are not a code of this secret in the next minutes. */
function wrongCode(secret: string): string {
  const now = stepAt(Date.now());
  const right = new Set(Array.from({ length: 20 }, (_, at) => totpCode(secret, now - 5 + at)));
  for (let code = 123_456; ; code++) if (!right.has(String(code))) return String(code);
}

async function open(): Promise<Page> {
  context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  context.setDefaultTimeout(60_000);
  complaints = [];
  const page = await context.newPage();
  page.on('console', (message: ConsoleMessage) => {
    // The browser logs a response 401.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      complaints.push(message.text());
    }
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(fixture.url);
  return page;
}

/** Signs in by keyboard, up to the second step. */
async function passFirstStep(page: Page, { email, password }: Careful): Promise<void> {
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByLabel('Email').focus();
  await page.keyboard.type(email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'One more step' }).waitFor();
}

/** Resolves with the response. */
async function enter(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code').fill(code);
  const answered = page.waitForResponse((response) => response.url().endsWith('/auth/login/2fa'));
  await page.keyboard.press('Enter');
  await answered;
}

const signedIn = (page: Page) => page.getByRole('heading', { name: 'Acme Clinics' }).waitFor();
/** The error text; empty while a response is pending. */
const errorText = (page: Page) => page.locator('#error').textContent();
// waitForFunction uses eval, which the page's Content-Security-Policy forbids.
const waitForError = (page: Page) => page.locator('#error', { hasText: /\S/ }).waitFor({ state: 'attached' });
const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement.id');

describe.skipIf(!CHROMIUM)('the second step of signing in', () => {
  it('asks for a code after the password, reports a wrong one, and accepts the right one', async () => {
    const user = await newCarefulUser();
    const page = await open();
    await passFirstStep(page, user);
    // The password alone sets no session cookie.
    expect(await context.cookies()).toEqual([]);
    await page.locator('#code:focus').waitFor();
    const field = page.getByLabel('Code');
    expect(await field.getAttribute('autocomplete')).toBe('one-time-code');
    expect(await field.getAttribute('aria-describedby')).toBe('code-hint');
    expect(await page.locator('#code-hint').textContent()).toContain('six digits');

    await page.keyboard.type(wrongCode(user.secret));
    await page.keyboard.press('Enter');
    await page.getByText('That code is not right.').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('One more step');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await field.getAttribute('aria-describedby')).toContain('error');
    // The wrong code is selected, so that typing replaces it.
    expect(await focused(page)).toBe('code');
    await page.keyboard.type(nextCode(user.secret));
    await page.keyboard.press('Enter');
    await signedIn(page);
    const cookie = (await context.cookies()).find(({ name }) => name === '__Host-session');
    expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax' });
    await page.reload();
    await signedIn(page);
    expect(complaints).toEqual([]);
  });

  it('accepts a code with the space that authenticators show', async () => {
    const user = await newCarefulUser();
    const page = await open();
    await passFirstStep(page, user);
    const code = nextCode(user.secret);
    await enter(page, `${code.slice(0, 3)} ${code.slice(3)}`);
    await signedIn(page);
    expect(complaints).toEqual([]);
  });

  it('accepts a recovery code, once', async () => {
    const user = await newCarefulUser();
    const [first, second] = user.recovery_codes;
    const page = await open();
    await passFirstStep(page, user);
    expect(await page.getByText('recovery codes').count()).toBe(1);
    await enter(page, first!.toUpperCase());
    await signedIn(page);
    const menu = page.getByRole('button', { name: 'Pages' });
    if (await menu.isVisible()) await menu.click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await passFirstStep(page, user);
    await enter(page, first!);
    await page.getByText('That code is not right.').waitFor();
    await enter(page, second!);
    await signedIn(page);
    expect(complaints).toEqual([]);
  });

  it('starts over from the password on request, and when the login token expired', async () => {
    const user = await newCarefulUser();
    const page = await open();
    await passFirstStep(page, user);
    await enter(page, wrongCode(user.secret));
    await page.getByText('That code is not right.').waitFor();
    await page.getByRole('button', { name: 'Start over' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    // The error about the code is gone.
    expect(await errorText(page)).toBe('');
    expect(await page.getByLabel('Email').getAttribute('aria-invalid')).toBe('false');

    await passFirstStep(page, user);
    await fixture.api.sql`update login_tokens set expires_at = now() - interval '1 second'`;
    await enter(page, nextCode(user.secret));
    await page.getByText('That took too long, or too many tries. Sign in again, please.').waitFor();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await passFirstStep(page, user);
    await enter(page, nextCode(user.secret));
    await signedIn(page);
    expect(complaints).toEqual([]);
  });

  it('asks a user to wait after too many wrong codes', async () => {
    const user = await newCarefulUser();
    const page = await open();
    await passFirstStep(page, user);
    for (let time = 0; time < 5; time++) {
      await enter(page, wrongCode(user.secret));
      await waitForError(page);
      expect(await errorText(page)).toBe('That code is not right.');
    }
    // After five tries the right code is rejected too, and starting over does not reset the limit.
    await enter(page, nextCode(user.secret));
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await errorText(page)).toBe('That took too long, or too many tries. Sign in again, please.');
    await page.getByLabel('Email').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await page.keyboard.press('Enter');
    await page.getByText('Too many tries. Wait a few minutes, then try again.').waitFor();
    expect(await page.getByRole('heading', { name: 'Acme Clinics' }).count()).toBe(0);
    expect(await context.cookies()).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
