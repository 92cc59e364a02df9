import { beforeAll, describe, expect, it } from 'vitest';
import { processSources } from '../../../control/knowledge/process-sources.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { type Client, startTestApi, type TestApi } from '../../support/control-app.ts';

let api: TestApi;
let acme: Client;
let other: Client;

beforeAll(async () => {
  api = await startTestApi();
  acme = await api.newWorkspace('Acme');
  other = await api.newWorkspace('Other');
});

const CONFIG = { system_prompt: 'x'.repeat(4_000), llm: { provider: 'groq' } };

describe('the price of an agent', () => {
  it('is the same for a saved agent and a draft without a name', async () => {
    const agent = (await acme.send('POST', '/agents', { name: 'Asha', ...CONFIG })).body;
    const saved = await acme.send('GET', `/agents/${agent.id}/pricing`);
    expect(saved.status).toBe(200);
    expect(saved.body).toMatchObject({
      channel: 'phone',
      currency: 'INR',
      floor_paise_per_minute: 550,
      assumptions: { prompt_tokens: 1_000, llm_input_tokens_per_minute: 7_400 },
    });
    expect(saved.body.components.map(({ key }: { key: string }) => key)).toEqual([
      'transcriber',
      'llm',
      'voice',
      'telephony',
      'platform',
    ]);
    const unsaved = await acme.send('POST', '/agents/pricing', CONFIG);
    expect([unsaved.status, unsaved.body]).toEqual([200, saved.body]);
    const [count] = await api.sql`select count(*)::integer as n from agents where workspace_id = ${acme.workspace_id}`;
    expect(count!.n).toBe(1);
  });

  it('depends on channel, plan, currency and carrier', async () => {
    const tenant = await api.newWorkspace('Place');
    const agent = (await tenant.send('POST', '/agents', { name: 'Asha' })).body;
    await api.sql`
      insert into numbers (number, workspace_id, agent_id, provider, connected_at, created_at)
      values ('+919999900002', ${tenant.workspace_id}, ${agent.id}, 'twilio', now(), now())
    `;
    await api.sql`update workspaces set plan_id = 'growth', currency = 'USD' where id = ${tenant.workspace_id}`;
    const { body } = await tenant.send('GET', `/agents/${agent.id}/pricing`);
    expect(body).toMatchObject({ currency: 'USD', floor_paise_per_minute: 6 });
    expect(body.components[3]).toMatchObject({ key: 'telephony', provider: 'twilio' });
    const web = (await tenant.send('GET', `/agents/${agent.id}/pricing?channel=web`)).body;
    expect([web.channel, web.components.length]).toEqual(['web', 4]);
    const draft = (await tenant.send('POST', '/agents/pricing?channel=web', {})).body;
    expect([draft.channel, draft.components.length]).toEqual(['web', 4]);
    const wrong = await tenant.send('GET', `/agents/${agent.id}/pricing?channel=fax`);
    expect([wrong.status, wrong.body.detail[0].loc]).toEqual([422, ['query', 'channel']]);
  });

  it("follows the operator's rates", async () => {
    const platform = async () =>
      (await acme.send('POST', '/agents/pricing', {})).body.components.at(-1).paise_per_minute as number;
    const before = await platform();
    await api.sql`
      insert into rates (component, currency, rate_paise, updated_at) values ('platform', 'INR', ${before + 1.5}, now())
    `;
    expect(await platform()).toBe(before + 1.5);
    await api.sql`delete from rates`;
  });

  it('counts the knowledge in the prompt', async () => {
    const base = (await acme.send('POST', '/knowledge-bases', { name: 'Menu' })).body;
    const text = 'We open at nine. '.repeat(40);
    await acme.send('POST', `/knowledge-bases/${base.id}/sources/text`, { name: 'Hours', text });
    await processSources({ sql: api.sql, clock: systemClock, log: createLogger('control', 'silent'), embedder: null });
    const ask = async (knowledge_mode: string) =>
      (await acme.send('POST', '/agents/pricing', { knowledge_base_ids: [base.id], knowledge_mode })).body.assumptions;
    expect((await ask('search')).prompt_tokens).toBe(0);
    // As the engine is given it: the name of the source, a colon, a new line.
    expect((await ask('auto')).prompt_tokens).toBe(Math.ceil(('Hours:\n'.length + text.trim().length) / 4));
  });

  it('does not use knowledge of another workspace', async () => {
    const agent = (await acme.send('POST', '/agents', { name: 'Asha' })).body;
    expect((await other.send('GET', `/agents/${agent.id}/pricing`)).body).toEqual({ detail: 'agent not found' });
    const base = (await acme.send('POST', '/knowledge-bases', { name: 'Ours' })).body;
    const { status, body } = await other.send('POST', '/agents/pricing', { knowledge_base_ids: [base.id] });
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'knowledge_base_ids', 0]]);
  });

  it('validates a draft', async () => {
    const { status, body } = await acme.send('POST', '/agents/pricing', { llm: { temperature: 3 } });
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'llm', 'temperature']]);
    const rule = await acme.send('POST', '/agents/pricing', { call: { transfer_enabled: true } });
    expect(rule.body.detail[0].msg).toBe('transfer_enabled needs at least one transfer target');
    const hidden = { name: 'x', description: 'does x', url: 'https://example.com', headers: { A: '***' } };
    expect((await acme.send('POST', '/agents/pricing', { tools: [hidden] })).status).toBe(200);
    expect((await acme.send('POST', '/agents/pricing')).status).toBe(422);
  });

  it('is visible to viewers', async () => {
    const viewer = await api.asUser('viewer', acme.workspace_id);
    expect((await viewer.send('POST', '/agents/pricing', {})).status).toBe(200);
  });
});
