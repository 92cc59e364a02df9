import { createHash } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { request } from '../support/control-app.ts';
import { lookAt } from '../support/page-checks.ts';
import { openSignedIn } from '../support/sign-in-page.ts';

/** API keys and OAuth apps in a real browser; skipped where there is none. */

const REDIRECT = 'https://crm.example.com/callback';
const VERIFIER = 'v'.repeat(43);
let fixture: ConsoleFixture;
let browser: Browser;

beforeAll(async () => {
  if (!CHROMIUM) return;
  [fixture, browser] = await Promise.all([startConsole(), sharedChromium()]);
});
// All tests share one address, which may sign in and fail so often only.
beforeEach(async () => {
  if (CHROMIUM) await fixture.api.sql`delete from attempts`;
});

type User = Awaited<ReturnType<ConsoleFixture['newUser']>>;

const opened = (user: User, path: string) => openSignedIn(browser, `${fixture.url}${path}`, user);

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function confirm(page: Page, { password }: User): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await dialog.getByLabel('Password').fill(password);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** As if the password had been entered an hour ago. */
const confirmationIsOver = () => fixture.api.sql`update sessions set confirmed_at = now() - interval '1 hour'`;

const statusWith = async (key: string, path: string, method = 'GET') =>
  (await fetch(`${fixture.url}/api/v1${path}`, { method, headers: { authorization: `Bearer ${key}` } })).status;

/** The secret that the page shows this once. */
async function shownSecret(page: Page): Promise<string> {
  const secret = await page.locator('.shown-once .secret code').textContent();
  await button(page, 'I have stored it').click();
  await page.locator('.shown-once').waitFor({ state: 'detached' });
  return secret!;
}

/** Lets the signed-in person of the page connect an app, as the app's link would. @returns its access token. */
async function connect(page: Page, user: User, app: { client_id: string; client_secret: string }): Promise<string> {
  const cookie = (await page.context().cookies()).find(({ name }) => name === '__Host-session');
  const form = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    request(fixture.api.http, {
      ...{ method: 'POST', url: path, payload: new URLSearchParams(fields).toString() },
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  const consent = await form(
    '/oauth/authorize',
    {
      ...{ response_type: 'code', client_id: app.client_id, redirect_uri: REDIRECT, code_challenge_method: 'S256' },
      code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
      ...{ workspace_id: user.workspace_id, decision: 'allow', password: user.password },
    },
    { cookie: `${cookie!.name}=${cookie!.value}`, 'sec-fetch-site': 'same-origin' },
  );
  const code = new URL(consent.headers.location!).searchParams.get('code')!;
  const tokens = await form('/oauth/token', {
    ...{ grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: VERIFIER },
    ...app,
  });
  const { body } = tokens;
  return (typeof body === 'string' ? JSON.parse(body) : body).access_token;
}

describe.skipIf(!CHROMIUM)('API keys in the console', () => {
  it('are made with limits, shown once, replaced with an overlap, and revoked', async () => {
    const user = await fixture.newUser();
    const { page, complaints } = await opened(user, '/workspace/keys');
    await page.getByText('There are no API keys yet.').waitFor();
    await lookAt(page, 'keys-empty');
    await button(page, 'Make a key').click();
    await page.getByLabel('Name').fill('Reports');
    await page.getByLabel('Everything that keys may do').click();
    await page.getByLabel('Agents (read)', { exact: true }).click();
    await page.getByLabel('Last day').fill('2099-01-31');
    await page.getByLabel('Allowed addresses').fill('nowhere');
    await confirmationIsOver();
    await button(page, 'Make the key').click();
    await confirm(page, user);
    await page.getByText(/IP address or a network/).waitFor();
    await lookAt(page, 'new-key');
    await page.getByLabel('Allowed addresses').fill('127.0.0.1\n::1/128');
    await button(page, 'Make the key').click();
    await page.getByText('The key Reports is made.').waitFor();
    await lookAt(page, 'key-made');
    const key = await shownSecret(page);
    expect([await statusWith(key, '/agents'), await statusWith(key, '/calls')]).toEqual([200, 403]);
    // It is written after the answer.
    const lastUsed = async () =>
      (await fixture.api.sql`select last_used_at from api_keys where workspace_id = ${user.workspace_id}`)[0]
        ?.last_used_at;
    await expect.poll(lastUsed).not.toBeNull();
    await page.reload();
    await page.getByText('Agents (read)').waitFor();
    await page.getByText(/last used .* from 127.0.0.1/).waitFor();
    expect(await page.getByText(key).count()).toBe(0);

    await button(page, 'Replace Reports').click();
    await page.getByLabel('The present key works for').selectOption('1 hour more');
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    await page.getByText('The key Reports is made.').waitFor();
    const next = await shownSecret(page);
    await page.getByText(/Replaced, works until/).waitFor();
    expect([await statusWith(key, '/agents'), await statusWith(next, '/agents')]).toEqual([200, 200]);
    await lookAt(page, 'keys');
    await button(page, 'Revoke Reports').last().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The key Reports is revoked.').waitFor();
    expect([await statusWith(key, '/agents'), await statusWith(next, '/agents')]).toEqual([401, 200]);
    expect(complaints).toEqual([]);
  });

  it('are not made by a person who does not confirm', async () => {
    const user = await fixture.newUser();
    const { page } = await opened(user, '/workspace/keys');
    await page.getByText('There are no API keys yet.').waitFor();
    await confirmationIsOver();
    await button(page, 'Make a key').click();
    await page.getByLabel('Name').fill('Reports');
    await button(page, 'Make the key').click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await button(page, 'Make the key').waitFor();
    expect(await fixture.api.sql`select id from api_keys where workspace_id = ${user.workspace_id}`).toEqual([]);
  });
});

describe.skipIf(!CHROMIUM)('OAuth apps in the console', () => {
  it('are registered, connected, given a new secret, and deleted', async () => {
    const user = await fixture.newUser();
    const { page, complaints } = await opened(user, '/workspace/apps');
    await page.getByText('No app is registered.').waitFor();
    await button(page, 'Register an app').click();
    await page.getByLabel('Name').fill('Acme CRM');
    await page.getByLabel('Redirect addresses').fill('http://crm.example.com/callback');
    await confirmationIsOver();
    await button(page, 'Register').click();
    await confirm(page, user);
    await page.getByText(/begins with https/).waitFor();
    await lookAt(page, 'register-app');
    await page.getByLabel('Redirect addresses').fill(REDIRECT);
    await button(page, 'Register').click();
    await page.getByText('The secret of Acme CRM.').waitFor();
    const client_secret = await shownSecret(page);
    const client_id = (await page.locator('.client-id code').textContent())!;
    const token = await connect(page, user, { client_id, client_secret });
    expect(await statusWith(token, '/agents')).toBe(200);
    await page.reload();
    await page.getByText('1 connection', { exact: false }).waitFor();
    await button(page, 'Disconnect Acme CRM').waitFor();
    await lookAt(page, 'apps');

    await button(page, 'Edit Acme CRM').click();
    await page.getByLabel('Name').fill('Acme Sheets');
    await button(page, 'Save').click();
    await button(page, 'New secret for Acme Sheets').click();
    await button(page, 'Make a new secret').click();
    await page.getByText('The secret of Acme Sheets.').waitFor();
    expect(await shownSecret(page)).not.toBe(client_secret);
    await button(page, 'Delete Acme Sheets').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No app is registered.').waitFor();
    await page.getByText('No app is connected.').waitFor();
    expect(await statusWith(token, '/agents')).toBe(401);
    expect(complaints).toEqual([]);
  });

  it('are disconnected by the person, and may be public', async () => {
    const user = await fixture.newUser();
    const { page, complaints } = await opened(user, '/workspace/apps');
    await button(page, 'Register an app').click();
    await page.getByLabel('Name').fill('Phone app');
    await page.getByLabel('Redirect addresses').fill(REDIRECT);
    await page.getByLabel('It can keep a secret').click();
    await button(page, 'Register').click();
    await page.getByText('Public, without a secret').waitFor();
    expect(await page.locator('.shown-once').count()).toBe(0);
    const client_id = (await page.locator('.client-id code').textContent())!;
    const token = await connect(page, user, { client_id } as { client_id: string; client_secret: string });
    await page.reload();
    await button(page, 'Disconnect Phone app').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('No app is connected.').waitFor();
    expect(await statusWith(token, '/agents')).toBe(401);
    expect(complaints).toEqual([]);
  });
});
