import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callRoutes } from '../../../../control/calls/api/routes.ts';
import { ingest } from '../../../../control/calls/events/ingest.ts';
import type { Principal } from '../../../../control/http/authenticate.ts';
import { createHttpApp } from '../../../../control/http/server.ts';
import { createMemoryStore } from '../../../support/memory-store.ts';
import {
  type CallFixture,
  createCallFixture,
  createTestBus,
  createTestCarrier,
  delivered,
  log,
  type Tenant,
  wholeCall,
} from '../call-fixture.ts';

let fixture: CallFixture;
let app: FastifyInstance;
let tenant: Tenant;
let other: Tenant;
const bus = createTestBus();
const { carriers, hungUp } = createTestCarrier();

beforeAll(async () => {
  fixture = await createCallFixture();
  const { sql, clock } = fixture;
  app = await createHttpApp({ log, findPrincipal: async (key) => callerOf(key) });
  callRoutes(app, { sql, clock, log, bus, carriers, recordings: createMemoryStore() });
  await app.ready();
  tenant = await fixture.tenant(50, { welcome_message: 'Hi {name}, about {order}', system_prompt: 'Be {mood}' });
  other = await fixture.tenant(50);
});
afterAll(async () => {
  await app.close();
});

/** The API key is the id of the workspace. */
function callerOf(workspace_id: string): Principal {
  const actor = { kind: 'api_key', id: 'k', name: 'Key one' } as const;
  return {
    workspace_id,
    workspace_state: 'active',
    role: 'api_key',
    actor,
    user_id: null,
    session_id: null,
    key_id: 'k',
  };
}

async function send(who: Tenant, method: 'GET' | 'POST', url: string, body?: object, headers = {}) {
  const answer = await app.inject({
    method,
    url: `/api/v1${url}`,
    headers: { 'x-api-key': who.workspace_id, ...headers },
    ...(body ? { payload: body } : {}),
  });
  return { status: answer.statusCode, headers: answer.headers, raw: answer.rawPayload, body: parsed(answer.body) };
}

function parsed(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const place = (who: Tenant, body: object = {}) =>
  send(who, 'POST', `/agents/${who.agent_id}/call`, { to_number: '+919811112222', ...body });

async function finished(who: Tenant) {
  const call = await fixture.opened(who);
  await ingest(
    { sql: fixture.sql, clock: fixture.clock, log },
    wholeCall(call.id).map((event) => delivered(event)),
  );
  return call;
}

describe('placing a call', () => {
  it('returns the queued call', async () => {
    const { status, body } = await place(tenant, { user_data: { name: 'Ravi', age: 3, ok: true } });
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: 'queued', queue_position: 1, direction: 'outbound', channel: 'phone' });
    expect(body).toMatchObject({
      agent_name: 'Asha',
      agent_version: 1,
      from_number: tenant.number,
      provider: 'twilio',
    });
    expect(body).toMatchObject({
      started_by: 'Key one',
      user_data: { name: 'Ravi', age: 3, ok: true },
      currency: 'INR',
    });
    expect(body.created_at).toMatch(/\+05:30$/);
    expect(body).not.toHaveProperty('workspace_id');
    const second = await place(tenant);
    expect(second.body.queue_position).toBe(2);
    const events = await send(tenant, 'GET', `/calls/${body.id}/events`);
    expect(events.body).toHaveLength(1);
    expect(events.body[0]).toMatchObject({ seq: 1, type: 'call.queued', level: 'info', latency_ms: null });
    expect(events.body[0].data).toEqual({ position: 1, by: 'Key one', missing: ['order', 'mood'] });
    expect(events.body[0].id).toMatch(/^evt_[a-f0-9]{32}$/);
  });

  it('checks the request', async () => {
    expect((await place(tenant, { to_number: '98111' })).status).toBe(422);
    expect((await place(tenant, { user_data: { a: null } })).status).toBe(422);
    expect((await place(tenant, { user_data: { a: 'x'.repeat(2001) } })).status).toBe(422);
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`v${index}`, 1]));
    expect((await place(tenant, { user_data: many })).status).toBe(422);
    const inEightDays = new Date(Date.now() + 8 * 86_400_000).toISOString();
    expect((await place(tenant, { not_before: inEightDays })).status).toBe(422);
  });

  it('is refused in the order of the specification', async () => {
    const { workspace_id } = tenant;
    expect((await send(tenant, 'POST', `/agents/${'0'.repeat(32)}/call`, { to_number: '+919811112222' })).status).toBe(
      404,
    );
    const paused = await fixture.agent(workspace_id, { status: 'paused' });
    const answer = await send(tenant, 'POST', `/agents/${paused}/call`, { to_number: '+919811112222' });
    expect([answer.status, answer.body.detail]).toEqual([409, 'the agent is paused']);
    const foreign = await place(tenant, { from_number: other.number });
    expect(foreign.status).toBe(400);
    expect(foreign.body.detail).toBe(`${other.number} is not an active number of this workspace`);
  });

  it("uses the agent's number, else the only one", async () => {
    const lone = await fixture.tenant();
    const second = await fixture.agent(lone.workspace_id);
    const from = async (agent_id: string) =>
      (await send(lone, 'POST', `/agents/${agent_id}/call`, { to_number: '+919811112222' })).body.from_number;
    expect(await from(second)).toBe(lone.number);
    await fixture.number(lone.workspace_id, null);
    expect(await from(second)).toBeUndefined();
    expect(await from(lone.agent_id)).toBe(lone.number);
  });

  it('can be booked for later, and then waits behind the others', async () => {
    const who = await fixture.tenant();
    const not_before = new Date(Date.now() + 3_600_000).toISOString();
    const booked = await place(who, { not_before });
    expect(booked.body).toMatchObject({ status: 'queued', queue_position: 1 });
    expect(Date.parse(booked.body.not_before_at)).toBe(Math.floor(Date.parse(not_before) / 1000) * 1000);
    expect((await place(who)).body.queue_position).toBe(1);
    expect((await send(who, 'GET', `/calls/${booked.body.id}`)).body.queue_position).toBe(2);
  });
});

describe('the list', () => {
  it('is read with the breakdown of its price as an earlier release wrote it', async () => {
    const { id } = await fixture.queue(await fixture.tenant(1));
    const [{ workspace_id }] = await fixture.sql<[{ workspace_id: string }]>`
      update calls set cost_breakdown = ${fixture.sql.json({ lines: [{ unit: 'token' }] })} where id = ${id} returning workspace_id`;
    const { status, body } = await send({ ...tenant, workspace_id }, 'GET', `/calls/${id}`);
    expect([status, body.cost_breakdown]).toEqual([200, { lines: [{ unit: 'token' }] }]);
  });

  it('pages newest first and counts everything', async () => {
    const who = await fixture.tenant();
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) ids.unshift((await fixture.queue(who)).id);
    const page = async (query: string) => (await send(who, 'GET', `/calls?${query}`)).body;
    const first = await page('limit=2');
    expect([first.items.map(({ id }: { id: string }) => id), first.total]).toEqual([ids.slice(0, 2), 5]);
    expect(first.items[0]).not.toHaveProperty('transcript');
    expect(first.items[0].queue_position).toBe(5);
    const last = await page('limit=2&skip=4');
    expect([last.items.map(({ id }: { id: string }) => id), last.total]).toEqual([ids.slice(4), 5]);
    expect((await page('')).total).toBe(5);
    expect((await send(who, 'GET', '/calls?limit=201')).status).toBe(422);
  });

  it('filters', async () => {
    const who = await fixture.tenant();
    const done = await finished(who);
    const queued = await fixture.queue(who, '+14155550123');
    const found = async (query: string) =>
      (await send(who, 'GET', `/calls?${query}`)).body.items?.map(({ id }: { id: string }) => id);
    expect(await found('status=completed')).toEqual([done.id]);
    expect(await found('status=queued,ringing')).toEqual([queued.id]);
    expect(await found('number=0123')).toEqual([queued.id]);
    expect(await found(`number=${encodeURIComponent('+919811112222')}`)).toEqual([done.id]);
    expect(await found('number=+919811112222')).toEqual([done.id]);
    expect(await found('min_duration=10')).toEqual([done.id]);
    expect(await found('q=hi+THERE')).toEqual([done.id]);
    expect(await found('q=100%25')).toEqual([]);
    expect(await found(`agent_id=${who.agent_id}&direction=outbound`)).toEqual([queued.id, done.id]);
    expect(await found('direction=inbound')).toEqual([]);
    expect(await found('since=2999-01-01')).toEqual([]);
    expect(await found('until=2999-01-01&answered_by=human')).toEqual([]);
    expect((await send(who, 'GET', '/calls?status=lost')).status).toBe(422);
    expect((await send(who, 'GET', '/calls?number=12')).status).toBe(422);
  });
});

describe('hanging up', () => {
  it('cancels a queued call at once', async () => {
    const { body } = await place(tenant);
    const { status, body: after } = await send(tenant, 'POST', `/calls/${body.id}/hangup`);
    expect(status).toBe(200);
    expect(after).toMatchObject({ status: 'canceled', hangup_by: 'member', hangup_reason: 'canceled while queued' });
    expect(after.queue_position).toBeNull();
    const [ended] = (await fixture.timeline({ ...tenant, id: body.id })).slice(-1);
    expect(ended).toMatchObject({ type: 'call.ended', message: 'canceled while queued', level: 'info' });
    expect(ended!.data).toEqual({ hangup_by: 'member' });
    const again = await send(tenant, 'POST', `/calls/${body.id}/hangup`);
    expect([again.status, again.body.detail]).toEqual([409, 'the call is already over']);
  });

  it('sends a command to the engine that holds the call', async () => {
    const call = await fixture.opened(tenant);
    bus.reply = { done: true, detail: '' };
    const { body } = await send(tenant, 'POST', `/calls/${call.id}/hangup`);
    bus.reply = null;
    expect(body.status).toBe('ringing');
    expect(bus.commands.at(-1)).toEqual({ call_id: call.id, hangup_by: 'member', hangup_reason: 'hung up by Key one' });
  });

  it('hangs up at the carrier when no engine has the call', async () => {
    const call = await fixture.ringing(tenant);
    expect((await send(tenant, 'POST', `/calls/${call.id}/hangup`)).status).toBe(200);
    expect(hungUp.at(-1)).toBe(call.provider_call_id);
  });
});

describe('pausing the recording', () => {
  it('sends an order to the engine that holds the call, and is in the audit trail', async () => {
    const call = await fixture.opened(tenant);
    bus.reply = { done: true, detail: '' };
    const paused = await send(tenant, 'POST', `/calls/${call.id}/recording/pause`);
    const resumed = await send(tenant, 'POST', `/calls/${call.id}/recording/resume`);
    bus.reply = null;
    expect([paused.body, resumed.body]).toEqual([{ paused: true }, { paused: false }]);
    expect(bus.recordingOrders).toEqual([
      { call_id: call.id, paused: true },
      { call_id: call.id, paused: false },
    ]);
    const audited = await fixture.sql`
      select action from audit_events where workspace_id = ${tenant.workspace_id} and target_id = ${call.id} order by id`;
    expect(audited.map(({ action }) => action)).toEqual(['call.placed', 'recording.paused', 'recording.resumed']);
  });

  it('is refused where nothing was paused', async () => {
    const call = await fixture.opened(tenant);
    const silent = await send(tenant, 'POST', `/calls/${call.id}/recording/pause`);
    expect(silent.status).toBe(409);
    const { body } = await place(tenant);
    const queued = await send(tenant, 'POST', `/calls/${body.id}/recording/pause`);
    expect([queued.status, queued.body.detail]).toEqual([409, 'the call is not live']);
  });
});

it('returns the whole record of a finished call', async () => {
  const call = await finished(tenant);
  const { body } = await send(tenant, 'GET', `/calls/${call.id}?timezone=UTC`);
  expect(body).toMatchObject({ status: 'completed', extracted: {}, summary: '' });
  expect(body.transcript[0]).toMatchObject({ role: 'agent', text: 'Hello', interrupted: false });
  expect(body.transcript[0].at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
  expect(body.usage.tts_characters).toBe(80);
});

it('returns where in the recording each line and each event is', async () => {
  const call = await finished(tenant);
  const { sql } = fixture;
  const answeredMs = (await fixture.read(call.id)).started_at!.getTime();
  const said = [{ role: 'user', text: 'Hello', at: answeredMs + 1_234, interrupted: false }];
  await sql`update finished_calls set transcript = ${sql.json(said)} where id = ${call.id}`;
  await sql`
    update call_events set created_at = ${new Date(answeredMs + 2_345)} where call_id = ${call.id} and type = 'call.ended'`;
  const { body } = await send(tenant, 'GET', `/calls/${call.id}`);
  expect(body.transcript[0].offset_ms).toBe(1_234);
  const events = (await send(tenant, 'GET', `/calls/${call.id}/events`)).body;
  expect(events.find(({ type }: { type: string }) => type === 'call.ended').offset_ms).toBe(2_345);
  const { body: queued } = await place(tenant);
  expect((await send(tenant, 'GET', `/calls/${queued.id}/events`)).body[0].offset_ms).toBeNull();
});

it('never returns or changes calls of another workspace', async () => {
  const call = await finished(tenant);
  const queued = await fixture.queue(tenant);
  for (const id of [call.id, queued.id]) {
    for (const path of ['', '/events', '/recording']) {
      expect((await send(other, 'GET', `/calls/${id}${path}`)).status).toBe(404);
    }
    expect((await send(other, 'POST', `/calls/${id}/hangup`)).status).toBe(404);
  }
  expect((await fixture.read(queued.id)).status).toBe('queued');
  expect((await send(other, 'GET', '/calls')).body).toEqual({ items: [], total: 0 });
  expect((await send(other, 'GET', `/calls?agent_id=${tenant.agent_id}`)).body.total).toBe(0);
  const stolen = await send(other, 'POST', `/agents/${tenant.agent_id}/call`, { to_number: '+919811112222' });
  expect(stolen.status).toBe(404);
});
