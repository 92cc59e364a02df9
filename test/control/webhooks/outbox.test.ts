import { beforeAll, describe, expect, it } from 'vitest';
import { writeEvents } from '../../../control/calls/events/timeline.ts';
import { lockCall } from '../../../control/calls/store.ts';
import { setCampaignUrl } from '../../../control/webhooks/configured-urls.ts';
import { newId } from '../../../shared/ids.ts';
import type { Client } from '../../support/control-app.ts';
import { startTestApi, type TestApi } from '../../support/control-app.ts';
import { createWebhookFixture, type WebhookFixture } from './webhook-fixture.ts';

let fixture: WebhookFixture;
let api: TestApi;

beforeAll(async () => {
  fixture = await createWebhookFixture();
  api = await startTestApi();
});

const endpoint = async (client: Client, more: object = {}) =>
  (await client.send('POST', '/webhooks', { url: 'https://hooks.example/', ...more })).body;

async function setUp(agent: { webhook_url?: string } = {}) {
  const tenant = await fixture.tenant(5, agent);
  const client = await fixture.client(tenant);
  const call = await fixture.queue(tenant);
  return { tenant, client, call };
}

const sentTo = async (workspace_id: string) =>
  (await fixture.deliveries(workspace_id)).map(({ event_type, receiver }) => `${event_type} → ${receiver}`);

const body = async (workspace_id: string, event_id: string) => {
  const [row] = await fixture.sql`
    select body from webhook_bodies where workspace_id = ${workspace_id} and id = ${event_id}`;
  return row!.body as string;
};

describe('an event', () => {
  it('creates one delivery for each subscribed endpoint', async () => {
    const { client, call } = await setUp();
    const all = await endpoint(client);
    const named = await endpoint(client, { events: ['error', 'user.turn'] });
    const both = await endpoint(client, { events: ['*', 'user.turn'] });
    await endpoint(client, { active: false });
    await endpoint((await setUp()).client);
    await fixture.writeEvents(
      call,
      'call.dequeued',
      'call.started',
      'welcome',
      'user.turn',
      'tts.first_audio',
      'error',
    );
    expect((await sentTo(call.workspace_id)).sort()).toEqual(
      [
        `call.started → ${all.id}`,
        `call.started → ${both.id}`,
        `user.turn → ${named.id}`,
        `user.turn → ${both.id}`,
        `error → ${named.id}`,
      ].sort(),
    );
  });

  it('goes to the URLs of agent and campaign when it is a lifecycle event', async () => {
    const { tenant, client, call } = await setUp({ webhook_url: 'https://hooks.example/agent' });
    const batch_id = newId();
    await fixture.sql`update calls set batch_id = ${batch_id} where id = ${call.id}`;
    await setCampaignUrl(fixture.sql, tenant.workspace_id, batch_id, 'https://hooks.example/campaign');
    await setCampaignUrl(fixture.sql, tenant.workspace_id, newId(), 'https://hooks.example/another');
    await fixture.agent(tenant.workspace_id, { webhook_url: 'https://hooks.example/another' });
    await fixture.writeEvents(call, 'call.started', 'user.turn', 'error', 'call.ended');
    const agent = `agent:${tenant.agent_id}`;
    expect(await sentTo(tenant.workspace_id)).toEqual([
      `call.queued → ${agent}`,
      `call.started → ${agent}`,
      `call.started → campaign:${batch_id}`,
      `call.ended → ${agent}`,
      `call.ended → campaign:${batch_id}`,
    ]);
    const list = async (endpoint_id: string) => {
      const { body } = await client.send('GET', `/webhooks/deliveries?endpoint_id=${endpoint_id}`);
      return body.items.map(({ url }: { url: string }) => url);
    };
    expect(await list('agent')).toEqual(Array(3).fill('https://hooks.example/agent'));
    expect(await list('campaign')).toEqual(Array(2).fill('https://hooks.example/campaign'));
  });

  it('has one id and one body for all its receivers, with times in UTC', async () => {
    const { tenant, client, call } = await setUp({ webhook_url: 'https://hooks.example/agent' });
    await endpoint(client);
    await endpoint(client);
    await fixture.writeEvents(call, ['call.placed', { provider: 'twilio', message: 'not this', at: 'theirs' }]);
    const rows = (await fixture.deliveries(tenant.workspace_id)).filter(
      ({ event_type }) => event_type === 'call.placed',
    );
    expect(rows).toHaveLength(3);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(3);
    expect(new Set(rows.map(({ event_id }) => event_id)).size).toBe(1);
    const event = JSON.parse(await body(tenant.workspace_id, rows[0]!.event_id));
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      type: 'call.placed',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/),
      workspace_id: tenant.workspace_id,
      call_id: call.id,
      agent_id: tenant.agent_id,
      data: { message: 'call.placed', level: 'info', latency_ms: null, provider: 'twilio', at: 'theirs' },
    });
    const [item] = (await fixture.timeline(call)).filter(({ type }) => type === 'call.placed');
    expect(event.id).toBe(item!.id);
    for (const { id, created_at } of rows) {
      expect(id).toMatch(/^whd_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
      expect(Number.parseInt(id.slice(4, 16), 16)).toBe(created_at.getTime());
    }
  });

  it('creates nothing when its transaction is rolled back or there is no receiver', async () => {
    const { tenant, client, call } = await setUp();
    await fixture.writeEvents(call, 'call.placed');
    await endpoint(client);
    const broken = fixture.sql.begin(async (tx) => {
      const row = await lockCall(tx, call.workspace_id, call.id);
      const event = { message: '', level: 'info', latency_ms: null, data: {}, at_ms: Date.now() } as const;
      await writeEvents(tx, row!, [{ type: 'call.started', ...event }]);
      throw new Error('after the event');
    });
    await expect(broken).rejects.toThrow('after the event');
    expect(await sentTo(tenant.workspace_id)).toEqual([]);
    const rows = await fixture.sql`select id from webhook_bodies where workspace_id = ${tenant.workspace_id}`;
    expect([...rows]).toEqual([]);
  });

  it('is stored unchanged with any data', async () => {
    const { tenant, client, call } = await setUp();
    await endpoint(client, { events: ['tool.result'] });
    const result = 'नमस्ते \\u0000 "quoted" \n\t 😀 {"a":[1,2]}';
    await fixture.writeEvents(call, ['tool.result', { name: 'look_up', status: 200, result }]);
    const [delivery] = await fixture.deliveries(tenant.workspace_id);
    expect(JSON.parse(await body(tenant.workspace_id, delivery!.event_id)).data.result).toBe(result);
  });
});

it('a call placed over the API is delivered to its workspace', async () => {
  const client = await api.newWorkspace();
  const { id } = await endpoint(client, { url: 'https://203.0.114.9/hook' });
  const agent = (await client.send('POST', '/agents', { name: 'Asha' })).body;
  await api.sql`
    insert into numbers (number, workspace_id, agent_id, provider, created_at)
    values ('+911140000000', ${client.workspace_id}, ${agent.id}, 'twilio', now())`;
  const placed = await client.send('POST', `/agents/${agent.id}/call`, { to_number: '+919811112222' });
  expect(placed.status).toBe(201);
  const { body } = await client.send('GET', `/webhooks/deliveries?endpoint_id=${id}`);
  expect(body).toMatchObject({
    items: [{ event_type: 'call.queued', call_id: placed.body.id, agent_id: agent.id, status: 'pending', attempts: 0 }],
    total: 1,
  });
});

it.each(['cleared', 'deleted'])('an agent whose URL is %s gets no more deliveries', async (how) => {
  const client = await api.newWorkspace();
  const webhook_url = 'https://203.0.114.9/agent';
  const agent = (await client.send('POST', '/agents', { name: 'Asha', webhook_url })).body;
  await api.sql`
    insert into numbers (number, workspace_id, agent_id, provider, created_at)
    values (${how === 'cleared' ? '+911140000001' : '+911140000002'}, ${client.workspace_id}, ${agent.id}, 'twilio', now())`;
  await client.send('POST', `/agents/${agent.id}/call`, { to_number: '+919811112222' });
  const list = async () =>
    (await client.send('GET', '/webhooks/deliveries?endpoint_id=agent&event_type=call.queued')).body.items;
  expect(await list()).toMatchObject([{ url: webhook_url, status: 'pending' }]);
  if (how === 'cleared') await client.send('PUT', `/agents/${agent.id}`, { name: 'Asha' });
  else expect((await client.send('DELETE', `/agents/${agent.id}`)).status).toBe(204);
  expect(await list()).toMatchObject([{ status: 'failed', last_error: 'endpoint deleted', next_attempt_at: null }]);
});

it('a campaign without its URL gets no more deliveries', async () => {
  const { tenant, call } = await setUp();
  const batch_id = newId();
  await fixture.sql`update calls set batch_id = ${batch_id} where id = ${call.id}`;
  await setCampaignUrl(fixture.sql, tenant.workspace_id, batch_id, 'https://hooks.example/campaign');
  await fixture.writeEvents(call, 'call.placed');
  await setCampaignUrl(fixture.sql, tenant.workspace_id, batch_id, '');
  await fixture.writeEvents(call, 'call.ended');
  expect(await fixture.deliveries(tenant.workspace_id)).toMatchObject([
    {
      event_type: 'call.placed',
      status: 'failed',
      last_error: 'endpoint deleted',
      next_attempt_at: null,
    },
  ]);
});
