import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asOperator } from '../../dev/first-workspace.ts';
import { newStock } from '../../fixtures/simulators/number-stock.ts';
import { builtConsole } from '../support/built-console.ts';
import { CHROMIUM, launchChromium } from '../support/chromium.ts';
import { CONVERSATION, say, waitForText } from '../support/conversing-caller.ts';
import { createOperatorCommand } from '../support/operator-command.ts';
import { openPage } from '../support/page-checks.ts';
import { eventually } from '../support/until.ts';
import { type Service, startService } from '../support/whole-service.ts';

/**
 * A customer begins alone: from sign-up in the browser to a number that answers with a chosen voice. The one thing that the
 * operator does is to approve the business details.
 */

const WITHIN_MS = 60_000;
const EMAIL = 'asha@clinic.example';
const NUMBER = '+914412345678';
const CALLER = '+919876543210';
const stock = newStock([
  { number: '+914412340000', country: 'IN', type: 'local', monthly: 1.15 },
  { number: NUMBER, country: 'IN', type: 'local', monthly: 1.15 },
]);

let service: Service;
let browser: Browser;

beforeAll(async () => {
  if (!CHROMIUM) return;
  service = await startService({
    transcripts: ['for two people', 'thank you very much goodbye'],
    answer: CONVERSATION.answer,
    numbers: stock,
    settings: { CONSOLE_DIR: await builtConsole() },
  });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

/** Sends a request of the public API from the page, with its session. */
async function ask<T>(page: Page, method: string, path: string, body?: object): Promise<T> {
  const [status, text] = await page.evaluate(
    async ([method, path, body]) => {
      const headers: Record<string, string> = body ? { 'Content-Type': 'application/json' } : {};
      const response = await fetch(`/api/v1${path}`, { method: method!, headers, ...(body ? { body } : {}) });
      return [response.status, await response.text()] as const;
    },
    [method, path, body ? JSON.stringify(body) : null] as const,
  );
  expect(status, `${method} ${path}: ${text}`).toBeLessThan(300);
  return JSON.parse(text) as T;
}

/** Uploads a document from the page. */
async function upload(page: Page, kind: string): Promise<void> {
  const status = await page.evaluate(async (kind) => {
    const form = new FormData();
    form.set('kind', kind);
    form.set('file', new File(['%PDF-1.4\n%%EOF\n'], 'registration.pdf', { type: 'application/pdf' }));
    return (await fetch('/api/v1/kyc/documents', { method: 'POST', body: form })).status;
  }, kind);
  expect(status).toBe(201);
}

/** The text of the newest email to this address whose subject contains these words. */
function email(to: string, subject: string): Promise<string> {
  return eventually(`an email: ${subject}`, WITHIN_MS, async () => {
    const folder = service.stack.home.mail;
    const names = await Promise.resolve()
      .then(() => readdirSync(folder))
      .catch(() => []);
    const texts = names.filter((name) => name.endsWith('.txt')).map((name) => readFileSync(join(folder, name), 'utf8'));
    return texts.find((text) => text.includes(`To: ${to}\n`) && text.includes(subject));
  });
}

describe.skipIf(!CHROMIUM)('a new workspace', () => {
  test('signs up in the browser and gets a number that answers with the chosen voice', async () => {
    const { page, context, complaints } = await openPage(
      browser,
      service.stack.apiUrl.replace('127.0.0.1', 'localhost'),
    );

    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Your name').fill('Asha Rao');
    await page.getByLabel('Email').fill(EMAIL);
    await page.getByLabel('Password').fill('a password of ten');
    await page.getByLabel('Name of your workspace').fill('Asha Clinic');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Welcome to Asha Clinic' }).waitFor();

    const link = /https?:\S+token=\S+/.exec(await email(EMAIL, 'Confirm your email address'))![0];
    const mailed = await context.newPage();
    await mailed.goto(link);
    await mailed.getByRole('button', { name: 'Yes, confirm' }).click();
    await mailed.getByText('Your address is confirmed.').waitFor();
    await mailed.close();
    await page.getByRole('button', { name: 'Look again' }).click();
    await page.getByText(`${EMAIL} is confirmed.`).waitFor();

    await ask(page, 'PUT', '/kyc', {
      ...{ legal_name: 'Asha Clinic Private Limited', business_type: 'private_limited', pan: 'ABCDE1234F' },
      address: { line1: '1 Beach Road', city: 'Chennai', state: 'Tamil Nadu', pincode: '600001', country: 'IN' },
      ...{ contact_name: 'Asha Rao', contact_email: EMAIL, contact_phone: '+914412345000' },
      use_case: 'Patients call to book appointments.',
    });
    await upload(page, 'registration');
    await ask(page, 'POST', '/kyc/submit');
    await page.getByRole('button', { name: 'Look again' }).click();
    await page.getByText('The service is looking at your details.').waitFor();

    const { workspace } = await ask<{ workspace: { id: string } }>(page, 'GET', '/auth/me');
    await asOperator(service.stack, (sql) => createOperatorCommand(sql).operator(`kyc approve ${workspace.id}`));
    await email(EMAIL, 'Your business details are approved');
    await page.getByRole('button', { name: 'Look again' }).click();
    await page.getByRole('heading', { name: 'Asha Clinic', exact: true }).waitFor();

    // The provider's own list, which control reads when it starts.
    const voice = await eventually('a voice', WITHIN_MS, async () => {
      const voices = await ask<{ id: string; name: string }[]>(page, 'GET', '/voices?provider=elevenlabs&gender=male');
      return voices.find(({ name }) => name === 'George');
    });
    const agent = await ask<{ id: string }>(page, 'POST', '/agents', {
      ...{ name: 'Reception', welcome_message: 'Welcome.', system_prompt: 'Answer.' },
      voice: { provider: 'elevenlabs', voice_id: voice.id, language: 'en' },
    });

    const found = await ask<{ number: string; monthly_fee_paise: number }[]>(
      page,
      'GET',
      '/numbers/available?contains=5678',
    );
    expect(found.map(({ number }) => number)).toEqual([NUMBER]);
    await ask(page, 'POST', '/numbers', { number: NUMBER });
    await ask(page, 'POST', `/numbers/${encodeURIComponent(NUMBER)}/connect`, { agent_id: agent.id });
    // The welcome credits pay for it.
    const { credits_paise } = await ask<{ credits_paise: number }>(page, 'GET', '/billing');
    expect(credits_paise).toBe(25_000 - found[0]!.monthly_fee_paise);
    await page.reload();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Reception' }).filter({ hasText: NUMBER }).waitFor();

    // The carrier sends the call where it was told to when the number was bought.
    const twilio = service.carriers.twilio;
    const incoming = twilio.placeInbound({ from: CALLER, to: NUMBER, url: stock.held.get(NUMBER)!.target });
    const phone = await incoming.waitForPhone(WITHIN_MS);
    await waitForText(phone, 'Welcome.', 0);
    const question = await say(phone, 'short-two-people');
    await waitForText(phone, 'Certainly, let me read that back to you.', question.sinceMs);
    await say(phone, 'goodbye');
    await phone.waitForEnd(WITHIN_MS);
    await incoming.delivered();

    const call = await eventually('the call to be completed', WITHIN_MS, async () => {
      const path = `/calls?number=${encodeURIComponent(CALLER)}`;
      const { items } = await ask<{ items: Record<string, unknown>[] }>(page, 'GET', path);
      return items.find(({ status }) => status === 'completed');
    });
    expect(call).toMatchObject({ direction: 'inbound', to_number: NUMBER, agent_name: 'Reception' });
    const speaking = service.tts.connections.filter(({ contexts }) => contexts.length > 0);
    expect(new Set(speaking.map(({ voiceId }) => voiceId))).toEqual(new Set([voice.id]));
    expect([...twilio.violations, ...stock.violations]).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
