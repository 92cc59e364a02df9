import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { lookAt } from '../support/page-checks.ts';
import { openSignedIn } from '../support/sign-in-page.ts';

/** Saved tools, in a real browser; skipped where there is none. */

let fixture: ConsoleFixture;
let browser: Browser;
let server: Server;
let url: string;
const requests: { method: string; authorization: string | undefined; body: string }[] = [];

beforeAll(async () => {
  if (!CHROMIUM) return;
  server = createServer(async (request, response) => {
    const { method = '', headers } = request;
    requests.push({ method, authorization: headers.authorization, body: await textOf(request) });
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ free: ['09:00', '10:30'] }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slots`;
  [fixture, browser] = await Promise.all([
    startConsole({ settings: { FETCH_ALLOW: '127.0.0.0/8' } }),
    sharedChromium(),
  ]);
});
afterAll(async () => {
  server?.close();
});

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += part;
  return text;
}

type User = Awaited<ReturnType<ConsoleFixture['newUser']>>;

const opened = (user: User, path: string) => openSignedIn(browser, `${fixture.url}${path}`, user);

const TOOL = {
  ...{ name: 'find_slots', description: 'Finds free slots of a day.' },
  headers: { Authorization: 'Bearer secret' },
  parameters: { type: 'object', properties: { day: { type: 'string', description: 'a weekday' } }, required: ['day'] },
};

async function savedTool(user: User, more: object = {}) {
  const owner = await fixture.api.asUser('owner', user.workspace_id);
  const { status, body } = await owner.send('POST', '/tools', { ...TOOL, url, ...more });
  expect(status).toBe(201);
  return { id: body.id as string, owner };
}

describe.skipIf(!CHROMIUM)('tools in the console', () => {
  it('are written with every field, tried out before they are saved, and saved', async () => {
    const user = await fixture.newUser();
    const { page, complaints } = await opened(user, '/tools');
    await page.getByText('There are no saved tools yet.').waitFor();
    await page.getByRole('link', { name: 'New tool' }).click();
    await page.getByLabel('Name', { exact: true }).fill('find slots');
    await page.getByLabel('Description', { exact: true }).fill('Finds free slots of a day.');
    await page.getByLabel('Address').fill(url);
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByLabel('Name of header 1').fill('Authorization');
    const secret = page.getByLabel('Value of header 1');
    await secret.fill('Bearer secret');
    expect(await secret.getAttribute('type')).toBe('password');
    await page.getByRole('button', { name: 'Add a parameter' }).click();
    const parameter = page.getByRole('group', { name: 'New parameter' });
    await parameter.getByLabel('Name').fill('day');
    const day = page.getByRole('group', { name: 'day' });
    await day.getByLabel('Description').fill('a weekday');
    await day.getByLabel('Required').check();
    await page.getByLabel('Said meanwhile').fill('One moment.');

    await page.getByRole('button', { name: 'Save' }).click();
    // The service's refusal stands at its field.
    await page.locator('.form-field', { hasText: 'Name' }).locator('.error').first().waitFor();
    await page.getByLabel('Name', { exact: true }).first().fill('find_slots');
    const tryOut = page.getByRole('region', { name: 'Try it out' });
    await tryOut.getByRole('button', { name: 'Send the request' }).click();
    await tryOut.getByText(/day/).nth(1).waitFor();
    await tryOut.getByLabel('day (required)').fill('monday');
    await tryOut.getByRole('button', { name: 'Send the request' }).click();
    await tryOut.getByText('Status 200').waitFor();
    await tryOut.locator('pre', { hasText: '10:30' }).waitFor();
    expect(requests.at(-1)).toEqual({ method: 'POST', authorization: 'Bearer secret', body: '{"day":"monday"}' });
    await lookAt(page, 'tool');

    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'find_slots' }).waitFor();
    expect(page.url()).toMatch(/\/tools\/[0-9a-f]{32}$/);
    await page.getByRole('link', { name: 'All tools' }).click();
    await page.getByRole('link', { name: 'find_slots' }).waitFor();
    await lookAt(page, 'tools');
    const owner = await fixture.api.asUser('owner', user.workspace_id);
    expect((await owner.send('GET', '/tools')).body).toMatchObject([
      { ...TOOL, method: 'POST', url, pre_call_message: 'One moment.', timeout_seconds: 8 },
    ]);
    expect(complaints).toEqual([]);
  });

  it('are changed as JSON Schema where a table is not enough, and not left by accident', async () => {
    const user = await fixture.newUser();
    const { id, owner } = await savedTool(user);
    const { page, complaints } = await opened(user, `/tools/${id}`);
    await page.getByRole('button', { name: 'JSON Schema' }).click();
    const schema = page.getByLabel('JSON Schema of the parameters');
    await schema.fill('{"type": "object",');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('This is not a JSON object.').first().waitFor();
    const parameters = { type: 'object', properties: { day: { type: ['string', 'null'] } } };
    await schema.fill(JSON.stringify(parameters));
    await page.getByRole('button', { name: 'Table' }).click();
    await page.getByText('A table cannot show all of this').waitFor();
    await page.getByRole('link', { name: 'All tools' }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('find_slots is saved.').waitFor();
    expect((await owner.send('GET', '/tools')).body[0]).toMatchObject({ parameters, headers: TOOL.headers });
    expect(complaints).toEqual([]);
  });

  it('say which agents have a copy before they are deleted', async () => {
    const user = await fixture.newUser();
    const { id } = await savedTool(user);
    await fixture.newAgent(user.workspace_id, { name: 'Maya', tools: [{ ...TOOL, url }] });
    const { page, complaints } = await opened(user, `/tools/${id}`);
    await page.getByRole('link', { name: 'Maya' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 agent uses it and keeps its copy.').waitFor();
    await page.route('**/api/v1/tools/*', (route) =>
      route.fulfill({ status: 503, json: { detail: 'try again soon' } }),
    );
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('Try again soon.').waitFor();
    await page.unroute('**/api/v1/tools/*');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no saved tools yet.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('are read only for viewers, without the values of headers', async () => {
    const user = await fixture.newUser();
    const { id } = await savedTool(user);
    await fixture.api.sql`update memberships set role = 'viewer' where workspace_id = ${user.workspace_id}`;
    const { page } = await opened(user, `/tools/${id}`);
    await page.getByRole('heading', { name: 'find_slots' }).waitFor();
    expect(await page.getByLabel('Description', { exact: true }).first().isDisabled()).toBe(true);
    expect(await page.getByLabel('Value of header 1').inputValue()).toBe('***');
    expect(await page.getByRole('button', { name: /Save|Delete|Send/ }).count()).toBe(0);
  });
});
