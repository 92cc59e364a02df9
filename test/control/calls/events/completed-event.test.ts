import { beforeAll, expect, it } from 'vitest';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import { createBodyCompletion } from '../../../../control/calls/events/completed-event.ts';
import { ingest } from '../../../../control/calls/events/ingest.ts';
import { createKey } from '../../../../control/workspaces/keys.ts';
import { request, startTestApi } from '../../../support/control-app.ts';
import { undocumented } from '../../../support/documented-events.ts';
import { connectExplained } from '../../../support/executed-plans.ts';
import { createWebhookFixture, ok, status, type WebhookFixture } from '../../webhooks/webhook-fixture.ts';
import {
  type CallFixture,
  createCallFixture,
  delivered,
  log,
  mediaEvent,
  type Tenant,
  wholeCall,
} from '../call-fixture.ts';

/** Where the transcript of a finished call is stored, and who gets it. */

const AT_MS = Date.parse('2026-11-20T10:00:00.250Z');
const line = (role: 'user' | 'agent', text: string) => ({ role, text, at_ms: AT_MS, interrupted: false });
const SAID = [line('agent', 'Hello, "Ravi"'), line('user', 'नमस्ते 😀')];
const TRANSCRIPT = SAID.map(({ at_ms: _, ...said }) => ({ ...said, at: '2026-11-20T10:00:00.250+00:00' }));
const TEXT = 'agent: Hello, "Ravi"\nuser: नमस्ते 😀';

let fixture: WebhookFixture;

beforeAll(async () => {
  fixture = await createWebhookFixture();
});

/** A completed call with `SAID` as its transcript. */
async function completedCall({ sql, clock, opened }: CallFixture, tenant: Tenant): Promise<CallRow> {
  const call = await opened(tenant);
  const events = wholeCall(call.id).map((event, nth) => ({
    ...event,
    transcript: event.transcript.length > 0 ? [SAID[nth - 1]!] : [],
  }));
  await ingest(
    { sql, clock, log },
    events.map((event) => delivered(event)),
  );
  return call;
}

async function scene(url = 'https://hooks.example/nowhere') {
  const tenant = await fixture.tenant();
  const client = await fixture.client(tenant);
  await client.send('POST', '/webhooks', { url, events: ['*'] });
  const call = await completedCall(fixture, tenant);
  const deliveries = await fixture.deliveries(tenant.workspace_id);
  const delivery = deliveries.find(({ event_type }) => event_type === 'call.completed')!;
  const path = `/webhooks/deliveries/${delivery.id}`;
  return { tenant, client, call, delivery, body: async () => (await client.send('GET', path)).body.request_body };
}

const completedOf = async (call: CallRow) =>
  (await fixture.timeline(call)).find(({ type }) => type === 'call.completed')!;

it('the transcript is stored with the call, and nowhere else', async () => {
  const { call } = await scene();
  const stored = await fixture.sql`
    select data::text as text from call_events where call_id = ${call.id}
    union all select body from webhook_bodies where workspace_id = ${call.workspace_id}`;
  expect(stored.filter(({ text }) => text.includes('Ravi') || text.includes('नमस्ते'))).toEqual([]);
  expect((await fixture.read(call.id)).transcript.map(({ text }) => text)).toEqual(SAID.map(({ text }) => text));
});

it('call.completed has it on the timeline and in the body of a delivery', async () => {
  const { call, body } = await scene();
  const { id, data, message, level } = await completedOf(call);
  expect(data.call).toMatchObject({ id: call.id, transcript: TRANSCRIPT, transcript_text: TEXT });
  const event = JSON.parse(await body());
  expect(event).toMatchObject({ id, type: 'call.completed', call_id: call.id });
  expect(event.data).toEqual({ message, level, latency_ms: null, ...data });
  expect(Object.keys(event.data.call).at(-1)).toBe('transcript_text');
});

it('every attempt has the same bytes, which the API shows', async () => {
  const receiver = await fixture.receiver(status(503));
  const sender = fixture.startSender();
  const { tenant, body } = await scene(receiver.url);
  await fixture.settled(tenant.workspace_id, ['retrying']);
  receiver.answer = ok;
  fixture.clock.shift(10_000);
  await fixture.settled(tenant.workspace_id);
  await sender.stop();
  const sent = receiver.received.filter(({ event }) => event.type === 'call.completed').map(({ body }) => body);
  expect(sent).toHaveLength(2);
  expect(new Set([...sent, await body()])).toEqual(new Set([sent[0]]));
  expect(JSON.parse(sent[0]!).data.call).toMatchObject({ transcript: TRANSCRIPT, transcript_text: TEXT });
});

it('what comes after it does not change it', async () => {
  const { call, body } = await scene();
  const before = [await body(), await completedOf(call)];
  const { sql, clock } = fixture;
  const late = mediaEvent(call.id, 6, 'agent.reply', { transcript: [line('agent', 'Goodbye')] });
  await ingest({ sql, clock, log }, [delivered(late)]);
  expect((await fixture.read(call.id)).transcript).toHaveLength(3);
  expect([await body(), await completedOf(call)]).toEqual(before);
});

it('one that was stored whole, by an earlier version, is read as it is', async () => {
  const { call, delivery, body } = await scene();
  const [data, whole] = [(await completedOf(call)).data, await body()];
  const { sql } = fixture;
  await sql`update call_events set data = ${sql.json(data as never)} where call_id = ${call.id} and type = 'call.completed'`;
  await sql`update webhook_bodies set body = ${whole} where id = ${delivery.body_id}`;
  await sql`update finished_calls set transcript = '[]' where id = ${call.id}`;
  expect([(await completedOf(call)).data, await body()]).toEqual([data, whole]);
});

it('nothing is sent of a call that was deleted while its delivery was being sent', async () => {
  const receiver = await fixture.receiver();
  const { client, call, delivery, body } = await scene(receiver.url);
  await fixture.sql`delete from finished_calls where id = ${call.id}`;
  expect((await client.send('POST', `/webhooks/deliveries/${delivery.id}/retry`)).status).toBe(404);
  expect(await body()).toBe('');
  const sender = fixture.startSender();
  await fixture.settled(call.workspace_id);
  await sender.stop();
  expect(receiver.received.map(({ event }) => event.type)).not.toContain('call.completed');
  expect(await fixture.delivery(call.workspace_id, delivery.id)).toMatchObject({ status: 'failed', attempts: 0 });
});

it('bodies that are completed at once are read with one statement, each from the month of its call', async () => {
  const scenes = [await scene(), await scene()];
  const explained = await connectExplained(fixture.url, { forAnyValues: true });
  let queries = 0;
  explained.sql.options.debug = () => void queries++;
  const tables = await explained.tablesRead(async (sql) => {
    const completeBody = createBodyCompletion(sql);
    const stored = await Promise.all(
      scenes.map(async ({ call, delivery }) => {
        const [row] = await fixture.sql<
          { body: string }[]
        >`select body from webhook_bodies where id = ${delivery.body_id}`;
        return { event_type: 'call.completed', call_id: call.id, body: row!.body };
      }),
    );
    const bodies = await Promise.all(stored.map(completeBody));
    expect(bodies).toEqual(await Promise.all(scenes.map(({ body }) => body())));
  });
  expect(queries).toBe(1);
  expect(tables).toHaveLength(1);
});

it('the whole service shows it in a delivery', async () => {
  const api = await startTestApi();
  const calls = await createCallFixture({ url: api.databaseUrl });
  const tenant = await calls.tenant(5, { webhook_url: 'https://hooks.example/agent' });
  const { workspace_id } = tenant;
  const key = (await createKey(calls.sql, Date.now(), { workspace_id, name: 'a key', created_by: 'tests' }))!.key;
  await completedCall(calls, tenant);
  const get = async (path: string) =>
    (await request(api.http, { method: 'GET', url: `/api/v1${path}`, headers: { 'x-api-key': key } })).body;
  const { items } = await get('/webhooks/deliveries?event_type=call.completed');
  const { request_body } = await get(`/webhooks/deliveries/${items[0].id}`);
  expect(JSON.parse(request_body).data.call).toMatchObject({ transcript: TRANSCRIPT, transcript_text: TEXT });
});

it('webhooks get of it what the OpenAPI document says', async () => {
  const { data, ...event } = JSON.parse(await (await scene()).body());
  const { message: _message, level: _level, latency_ms: _latency, ...own } = data;
  expect(undocumented([{ ...event, data: own }])).toEqual([]);
});
