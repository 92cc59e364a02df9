import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../shared/ids.ts';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { lookAt } from '../support/page-checks.ts';
import { openSignedIn } from '../support/sign-in-page.ts';

/** The versions, shared links and figures of an agent, in a real browser; skipped where there is none. */

let fixture: ConsoleFixture;
let browser: Browser;

beforeAll(async () => {
  if (!CHROMIUM) return;
  [fixture, browser] = await Promise.all([startConsole(), sharedChromium()]);
});

type User = Awaited<ReturnType<ConsoleFixture['newUser']>>;

const opened = (user: User, path: string) => openSignedIn(browser, `${fixture.url}${path}`, user);

const PROMPT = `${Array.from({ length: 12 }, (_, at) => `Rule ${at}: be kind to the caller.`).join('\n')}\nYou sell red shoes.`;

/** An agent with three versions, and who owns it. */
async function changedAgent(user: User) {
  const agentId = await fixture.newAgent(user.workspace_id, { name: 'Maya', system_prompt: PROMPT });
  const owner = await fixture.api.asUser('owner', user.workspace_id);
  const { body: agent } = await owner.send('GET', `/agents/${agentId}`);
  const changes = [
    { voice: { ...agent.voice, speed: 1.2 }, call: { ...agent.call, record: false } },
    { system_prompt: PROMPT.replace('red', 'blue'), llm: { ...agent.llm, temperature: 0.9 } },
  ];
  for (const change of changes) {
    const saved = await owner.send('PUT', `/agents/${agentId}`, { ...agent, ...change });
    expect(saved.status).toBe(200);
  }
  return { agentId, owner };
}

describe.skipIf(!CHROMIUM)('versions of an agent in the console', () => {
  it('are listed with what changed, compared word by word, and restored', async () => {
    const user = await fixture.newUser();
    const { agentId, owner } = await changedAgent(user);
    const { page, complaints } = await opened(user, `/agents/${agentId}/versions`);
    await page.getByRole('heading', { name: 'Maya' }).waitFor();
    await page.locator('ins', { hasText: 'blue' }).waitFor();
    expect(await page.locator('del', { hasText: 'red' }).count()).toBe(1);
    await page.getByText('lines that are the same').waitFor();
    await lookAt(page, 'versions');
    await page.getByLabel('From version').selectOption('1');
    await page.getByLabel('To version').selectOption('2');
    await page.getByText('Voice: speed', { exact: true }).waitFor();
    expect(page.url()).toContain('?from=1&to=2');
    await page.reload();
    await page.locator('ins', { hasText: '1.2' }).waitFor();

    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByText('The agent is as it was in version 1.').waitFor();
    await page.getByText('Restored from version 1').waitFor();
    expect((await owner.send('GET', `/agents/${agentId}`)).body).toMatchObject({ version: 4, system_prompt: PROMPT });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Restored from version 3').waitFor();
    expect(complaints).toEqual([]);
  });

  it('say why an earlier one cannot come back, and that they could not be read', async () => {
    const user = await fixture.newUser();
    const { agentId } = await changedAgent(user);
    const { page } = await opened(user, `/agents/${agentId}/versions`);
    await page.route('**/restore', (route) =>
      route.fulfill({ status: 409, json: { detail: 'the agent was changed meanwhile' } }),
    );
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').getByText('The agent was changed meanwhile.').waitFor();
    await page.route('**/api/v1/agents/*/versions*', (route) => route.abort());
    await page.reload();
    await page.getByText('The service cannot be reached. Check your connection.').waitFor();
  });

  it('are shared by links that are copied and ended', async () => {
    const user = await fixture.newUser();
    const agentId = await fixture.newAgent(user.workspace_id, { name: 'Maya' });
    const { page, context, complaints } = await opened(user, `/agents/${agentId}/versions`);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText('This agent is not shared.').waitFor();
    await page.getByLabel('The link works for').selectOption('Until it is ended');
    await page.getByRole('button', { name: 'Make a link' }).click();
    await page.getByText('works until it is ended').waitFor();
    await page.getByRole('button', { name: 'Copy the link' }).click();
    // What the button says is there for two seconds.
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toContain('/shared-agents/');
    await lookAt(page, 'shares');
    await page.getByRole('button', { name: 'End', exact: true }).click();
    await page.getByRole('button', { name: 'End the link' }).click();
    await page.getByText('This agent is not shared.').waitFor();
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!CHROMIUM)('a canary in the console', () => {
  it('is begun with settings that were saved for it, compared, and put to use', async () => {
    const user = await fixture.newUser();
    const agentId = await fixture.newAgent(user.workspace_id, { name: 'Maya', system_prompt: 'Be kind.' });
    const { page, complaints } = await opened(user, `/agents/${agentId}`);
    await page.getByLabel('Prompt', { exact: true }).fill('Be brief.');
    await page.getByRole('button', { name: 'Save for a share of the calls' }).click();
    await page.getByText('All new calls use version 1.').waitFor();
    await page.getByLabel('Share of the new calls (%)').fill('25');
    await page.getByRole('button', { name: 'Start the canary' }).click();
    await page.locator('strong', { hasText: '25 % of the new calls use version 2.' }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Version 2' }).getByText('Canary, 25 %').waitFor();
    await addCall(user, agentId, { hoursAgo: -0.01, replies: [400], version: 2 });
    await addCall(user, agentId, { hoursAgo: -0.01, replies: [900] });
    await page.reload();
    const replies = page.getByRole('row', { name: 'Half of the replies within' });
    await replies.getByText('400 ms').waitFor();
    await replies.getByText('900 ms').waitFor();
    await lookAt(page, 'canary');
    await page.getByRole('button', { name: 'Use it for all calls' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Use it for all calls' }).click();
    await page.getByText('All new calls use version 3.').waitFor();
    await page.getByText('Restored from version 2').waitFor();
    expect(complaints).toEqual([]);
  });

  it('is changed and ended, and only shown to those who may not edit', async () => {
    const user = await fixture.newUser();
    const { agentId, owner } = await changedAgent(user);
    await owner.send('PUT', `/agents/${agentId}/canary`, { version: 2, percent: 10 });
    const { page, complaints } = await opened(user, `/agents/${agentId}/versions`);
    await page.getByLabel('Share of the new calls (%)').fill('50');
    await page.getByRole('button', { name: 'Change the share' }).click();
    await page.locator('strong', { hasText: '50 % of the new calls use version 2.' }).waitFor();
    await page.getByRole('button', { name: 'End the canary' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End the canary' }).click();
    await page.getByText('All new calls use version 3.').waitFor();
    await page.getByText('Canary, 50 %').waitFor({ state: 'hidden' });
    expect((await owner.send('GET', `/agents/${agentId}/canary`)).status).toBe(404);
    expect(complaints).toEqual([]);
  });
});

interface Added {
  version?: number;
  hoursAgo: number;
  status?: string;
  replies?: number[];
}

/** A call of the agent an hour or days ago, with these times until its replies. */
async function addCall(
  user: User,
  agentId: string,
  { hoursAgo, status = 'completed', replies = [], version = 1 }: Added,
) {
  const { sql } = fixture.api;
  const [id, at] = [newId(), new Date(Date.now() - hoursAgo * 3_600_000)];
  const row = {
    ...{ workspace_id: user.workspace_id, id, agent_id: agentId, agent_name: 'Maya', agent_version: version },
    ...{ direction: 'outbound', channel: 'phone', status, from_number: '', to_number: '', started_by: '' },
    ...{ provider: 'twilio', currency: 'INR', created_at: at, queued_at: at, cost_paise: 250, duration_seconds: 62 },
    started_at: status === 'completed' ? at : null,
    ended_at: at,
    hangup_reason: status === 'completed' ? 'caller hung up' : 'carrier error',
  };
  await sql`insert into calls ${sql(row as never)}`;
  for (const [index, latency_ms] of replies.entries()) {
    await sql`
      insert into call_events (
        workspace_id, call_id, seq, id, source, source_seq, type, message, level, latency_ms, data, created_at
      ) values (
        ${user.workspace_id}, ${id}, ${index + 1}, ${newId()}, 'media', ${index + 1}, 'tts.first_audio', '', 'info',
        ${latency_ms}, '{"parts":{}}', ${at}
      )`;
  }
}

describe.skipIf(!CHROMIUM)('figures of an agent in the console', () => {
  it('are drawn over days, with a table of the same, for the range in the address', async () => {
    const user = await fixture.newUser();
    const agentId = await fixture.newAgent(user.workspace_id, { name: 'Maya' });
    for (let day = 0; day < 6; day++) {
      for (let each = 0; each <= day; each++) {
        await addCall(user, agentId, { hoursAgo: 24 * day + 0.01, replies: [600 + 50 * day, 700 + 100 * day] });
      }
      if (day % 2 === 0) await addCall(user, agentId, { hoursAgo: 24 * day + 0.01, status: 'failed' });
    }
    const { page, complaints } = await opened(user, `/agents/${agentId}/figures`);
    await page.getByText('caller hung up').waitFor();
    await expect.poll(() => page.locator('.chart canvas').count()).toBe(3);
    await page.getByRole('figure', { name: 'Calls' }).getByText('Show as a table').click();
    await page.getByRole('table', { name: 'Calls' }).waitFor();
    expect(await page.getByRole('table', { name: 'Calls' }).getByRole('row').count()).toBe(8);
    await lookAt(page, 'figures');
    await page.getByRole('button', { name: '30 days' }).click();
    await expect.poll(() => page.getByRole('table', { name: 'Calls' }).getByRole('row').count()).toBe(31);
    expect(page.url()).toContain('?range=30');
    await page.getByRole('button', { name: '24 hours' }).click();
    await page.getByText('Where the time goes, today').waitFor();
    expect(complaints).toEqual([]);
  });

  it('say that there are none, and that they could not be read', async () => {
    const user = await fixture.newUser();
    const agentId = await fixture.newAgent(user.workspace_id, { name: 'Maya' });
    const { page } = await opened(user, `/agents/${agentId}/figures`);
    await page.getByText('This agent had no calls in this time.').waitFor();
    await lookAt(page, 'no-figures');
    await page.route('**/latency*', (route) =>
      route.fulfill({ status: 403, json: { detail: 'you may not see calls' } }),
    );
    await page.reload();
    await page.getByRole('alert').getByText('you may not see calls').waitFor();
  });
});
