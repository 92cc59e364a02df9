import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeWav } from '../../media/audio/wav.ts';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { lookAt } from '../support/page-checks.ts';
import { openSignedIn } from '../support/sign-in-page.ts';
import { tryAgainUntil } from '../support/try-again.ts';

/** The list of agents and the settings of one, in a real browser; skipped where there is none. */

let fixture: ConsoleFixture;
let browser: Browser;

beforeAll(async () => {
  if (!CHROMIUM) return;
  [fixture, browser] = await Promise.all([startConsole(), sharedChromium()]);
});

type User = Awaited<ReturnType<ConsoleFixture['newUser']>>;

const opened = (user: User, path: string) => openSignedIn(browser, `${fixture.url}${path}`, user);

describe.skipIf(!CHROMIUM)('agents in the console', () => {
  it('are listed with pins, copied, and deleted after a question', async () => {
    const user = await fixture.newUser();
    await fixture.newAgent(user.workspace_id, { name: 'Maya, appointments' });
    await fixture.newAgent(user.workspace_id, { name: 'Ravi, orders', status: 'paused' });
    const { page, complaints } = await opened(user, '/agents');
    const names = () => page.locator('.agent-rows [data-cell="name"] a').allTextContents();
    await page.getByRole('link', { name: 'Maya, appointments', exact: true }).waitFor();
    expect(await names()).toEqual(['Ravi, orders', 'Maya, appointments']);
    const pin = page.getByRole('button', { name: 'Pin Maya, appointments' });
    await pin.click();
    await expect.poll(names).toEqual(['Maya, appointments', 'Ravi, orders']);
    await expect.poll(async () => (await fixture.api.sql`select 1 from agent_pins`).length).toBe(1);
    await page.reload();
    await expect.poll(names).toEqual(['Maya, appointments', 'Ravi, orders']);
    await lookAt(page, 'agents');

    await page.getByLabel('More about Maya, appointments').click();
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { name: 'Maya, appointments (copy)' }).waitFor();
    await page.goto(`${fixture.url}/agents`);
    await page.getByLabel('More about Maya, appointments (copy)').click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Maya, appointments (copy) was deleted.').waitFor();
    expect(await names()).toEqual(['Maya, appointments', 'Ravi, orders']);
    expect(complaints).toEqual([]);
  });

  it('begin with a name, a language and a purpose; a prompt that cannot be written stops nobody', async () => {
    const user = await fixture.newUser();
    const { page, complaints } = await opened(user, '/agents');
    await page.getByRole('heading', { name: 'Make the first agent of Acme Clinics' }).waitFor();
    await lookAt(page, 'agents-none');
    await page.getByRole('button', { name: 'New agent' }).click();
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByText('This is needed.').waitFor();
    await page.getByLabel('Name').fill('Asha');
    await page.getByLabel('Language').selectOption('en');
    await page.getByLabel('What should it do?').fill('It books appointments for a clinic in Pune.');
    // What was wrong with the name is mended.
    expect(await page.getByRole('dialog').getByRole('alert').count()).toBe(0);
    await lookAt(page, 'agents-new');
    // No language model can be reached here.
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('button', { name: 'Create without a prompt' }).click();
    await page.getByRole('heading', { name: 'Asha' }).waitFor();
    const [row] = await fixture.api.sql`
      select voice, transcriber from agents where workspace_id = ${user.workspace_id}`;
    expect(row).toMatchObject({ voice: { language: 'en' }, transcriber: { language: 'en' } });
    expect(complaints).toEqual([]);
  });

  it('are asked for again after an answer that failed', async () => {
    const user = await fixture.newUser();
    const { page } = await opened(user, '/agents');
    await page.getByRole('heading', { name: 'Make the first agent' }).waitFor();
    await page.route('**/api/v1/agents', (route) => route.fulfill({ status: 503, body: '{}' }));
    await page.reload();
    await page.getByText('The service could not read the agents just now.').waitFor();
    await page.unroute('**/api/v1/agents');
    await tryAgainUntil(page, page.getByRole('heading', { name: 'Make the first agent' }));
  });
});

describe.skipIf(!CHROMIUM)("an agent's settings in the console", () => {
  async function editor(fields: object = {}) {
    const user = await fixture.newUser();
    const id = await fixture.newAgent(user.workspace_id, { name: 'Maya', ...fields });
    const page = await opened(user, `/agents/${id}`);
    await page.page.getByRole('heading', { name: 'Maya' }).waitFor();
    const row = async () => (await fixture.api.sql`select * from agents where id = ${id}`)[0]!;
    return { ...page, user, id, row };
  }
  const group = (page: Page, name: string) =>
    page
      .getByRole('navigation', { name: 'Groups of settings' })
      .getByRole('button', { name: new RegExp(`^${name}( ?(Changed|Wrong))?$`) })
      .click();

  it('are changed in groups, with the price as it changes, and saved together', async () => {
    const { page, complaints, row } = await editor();
    await page.getByText('Version 1, all saved.').waitFor();
    const price = page.getByRole('region', { name: 'Price', exact: true });
    await expect.poll(() => price.locator('.figure').textContent()).toMatch(/₹/);
    await page.getByLabel('Welcome', { exact: true }).fill('Hello {name}, this is Maya.');
    await page.getByText('{name}', { exact: true }).waitFor();
    await lookAt(page, 'agent-words');
    for (const name of GROUP_NAMES) {
      await group(page, name);
      await lookAt(page, `agent-${name.toLowerCase().replaceAll(' ', '-')}`);
    }
    await group(page, 'Transfers');
    await page.getByRole('button', { name: 'Add a person or team' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Reception');
    await page.getByLabel('Telephone number', { exact: true }).fill('+91 98000 00000');
    await group(page, 'Listening');
    await page.getByLabel('Words to expect', { exact: true }).fill('Antiphon\n\nPune');
    await page.getByText('3 settings are not saved.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 2, all saved.').waitFor();
    expect(await row()).toMatchObject({
      welcome_message: 'Hello {name}, this is Maya.',
      call: { transfer_targets: [{ name: 'Reception', number: '+919800000000' }] },
      transcriber: { keyterms: ['Antiphon', 'Pune'] },
    });
    expect(complaints).toEqual([]);
  });

  it('name another agent that may go on with the call', async () => {
    const { page, complaints, row, user } = await editor();
    const billing = await fixture.newAgent(user.workspace_id, { name: 'Billing' });
    await page.reload();
    await group(page, 'Transfers');
    await page.getByRole('button', { name: 'Add an agent' }).click();
    await page.getByLabel('Agent', { exact: true }).selectOption(billing);
    await page.getByLabel('When to hand the call over').fill('Questions about bills');
    await page.getByLabel('Last turns that it knows').fill('3');
    await lookAt(page, 'agent-handoff');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 2, all saved.').waitFor();
    const saved = { agent_id: billing, name: 'Billing', description: 'Questions about bills', history_turns: 3 };
    expect((await row()).call.handoffs).toMatchObject([saved]);
    expect(complaints).toEqual([]);
  });

  it('that cannot be saved are shown at their fields, in their group', async () => {
    const { page, complaints, row } = await editor();
    await group(page, 'Call');
    await page.getByLabel('Longest call').fill('7');
    await group(page, 'Model');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('1 setting could not be saved:').waitFor();
    const field = page.getByLabel('Longest call');
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    await expect
      .poll(() => page.evaluate('document.activeElement.labels?.[0]?.textContent'))
      .toBe('Longest call (seconds)');
    await lookAt(page, 'agent-wrong');
    await field.fill('300');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 2, all saved.').waitFor();
    expect((await row()).call.max_duration_seconds).toBe(300);
    expect(complaints).toEqual([]);
  });

  it('are asked about before they are lost, and before they would undo the change of somebody else', async () => {
    const { page, complaints, user, id, row } = await editor({ call: { record: false } });
    await page.getByLabel('Prompt', { exact: true }).fill('Be kind.');
    await page.getByRole('link', { name: 'All agents' }).click();
    await page.getByRole('dialog').getByText('What you changed here is lost.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();

    const owner = await fixture.api.asUser('owner', user.workspace_id);
    const { body } = await owner.send('GET', `/agents/${id}`);
    await owner.send('PUT', `/agents/${id}`, { ...body, name: 'Maya of Pune', system_prompt: 'Be quick.' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'The agent was changed meanwhile' });
    await dialog.getByText('Be quick.').waitFor();
    await dialog.getByText('Maya of Pune').waitFor();
    await lookAt(page, 'agent-conflict');
    await dialog.getByRole('button', { name: 'Keep both' }).click();
    await page.getByRole('heading', { name: 'Maya of Pune' }).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 3, all saved.').waitFor();
    expect(await row()).toMatchObject({ name: 'Maya of Pune', system_prompt: 'Be kind.' });
    expect(complaints).toEqual([]);
  });

  it('are not lost by Back or by signing out', async () => {
    const { page, complaints } = await editor();
    await page.getByRole('link', { name: 'All agents' }).click();
    await page.getByRole('link', { name: 'Maya', exact: true }).click();
    const prompt = page.getByLabel('Prompt', { exact: true });
    await prompt.fill('Be kind.');
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await page.goBack();
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await prompt.inputValue()).toBe('Be kind.');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await prompt.inputValue()).toBe('Be kind.');
    await page.goBack();
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('have voices to listen to, and texts that are written from a brief', async () => {
    const { page, complaints, row } = await editor();
    await page.route('**/api/v1/voices?*', (route) => route.fulfill({ json: [VOICE] }));
    const sent = Promise.withResolvers<void>();
    await page.route('**/api/v1/voices/*/preview?*', async (route) => {
      await sent.promise;
      await route.fulfill({ body: wav(), contentType: 'audio/wav' });
    });
    await page.route('**/api/v1/agents/prompt/generate', (route) => route.fulfill({ json: WRITTEN }));
    await page.getByRole('button', { name: 'Have it written' }).click();
    await page.getByLabel('Brief', { exact: true }).fill('It sells shoes to people in Pune.');
    await page.getByRole('button', { name: 'Write', exact: true }).click();
    await page.getByText(WRITTEN.system_prompt).waitFor();
    await page.getByRole('button', { name: 'Use these' }).click();
    expect(await page.getByLabel('Prompt', { exact: true }).inputValue()).toBe(WRITTEN.system_prompt);
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await page.getByLabel('Prompt', { exact: true }).inputValue()).toBe('Be brief.');

    await group(page, 'Voice');
    await page.getByRole('button', { name: 'Choose a voice' }).click();
    await page.getByRole('button', { name: 'Listen to Asha' }).click();
    // Its name for a screen reader contains what is seen (WCAG 2.2, 2.5.3).
    await page.getByRole('button', { name: 'One moment… Stop Asha' }).waitFor();
    sent.resolve();
    await page.getByRole('button', { name: 'Stop Asha', exact: true }).waitFor();
    await lookAt(page, 'agent-voices');
    await page.getByRole('button', { name: 'Choose Asha' }).click();
    await page.getByText('Asha', { exact: true }).waitFor();
    expect((await row()).version).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('can be looked at without the permission to change them', async () => {
    const { page, complaints, user } = await editor();
    await fixture.api.sql`update memberships set role = 'viewer' where workspace_id = ${user.workspace_id}`;
    await page.reload();
    await page.getByRole('heading', { name: 'Maya' }).waitFor();
    expect(await page.getByLabel('Prompt', { exact: true }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

const GROUP_NAMES = [
  ...[
    'Voice',
    'Listening',
    'Model',
    'Tools',
    'Knowledge',
    'Transfers',
    'Guardrails',
    'Call',
    'After the call',
    'Number',
  ],
];

const VOICE = {
  ...{ id: 'asha', provider: 'elevenlabs', name: 'Asha', gender: 'female', languages: ['hi', 'en'], models: [] },
  ...{ accent: 'Indian', description: 'warm and calm', preview: true },
};

const WRITTEN = {
  ...{ welcome_message: 'Hello, this is the shoe shop.', system_prompt: 'You sell shoes in Pune.', variables: [] },
  ...{ cost_paise: 120, currency: 'INR' },
};

/** Two minutes of silence, which no test waits for. */
const wav = () => Buffer.from(encodeWav(8_000, new Int16Array(120 * 8_000)));
