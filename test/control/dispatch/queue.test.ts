import { afterEach, beforeAll, expect, it } from 'vitest';
import type { CallProvider, CallRow } from '../../../control/calls/call-row.ts';
import { slotsForBatches } from '../../../control/calls/queue/call-concurrency.ts';
import { dequeueCalls, dequeueNext } from '../../../control/calls/queue/call-queue.ts';
import { expireQueuedCalls } from '../../../control/calls/queue/expire-calls.ts';
import { placeCall, placeCallsIn } from '../../../control/calls/queue/place-call.ts';
import { nextInQueue, queuePositions } from '../../../control/calls/queue/queue-position.ts';
import { workspacesInTurn } from '../../../control/calls/queue/queues.ts';
import { newId } from '../../../shared/ids.ts';
import { type CallFixture, createCallFixture, createShiftedClock, type Tenant } from '../calls/call-fixture.ts';

let fixture: CallFixture;

beforeAll(async () => {
  fixture = await createCallFixture();
});
afterEach(async () => {
  await fixture.sql`delete from calls`;
});

const ACTOR = { kind: 'user', id: 'tester', name: 'tests' } as const;

const next = ({ workspace_id }: Tenant, nowMs = fixture.clock.wall()) =>
  fixture.sql.begin((tx) => dequeueNext(tx, workspace_id, nowMs));

/** Ends a call. */
const end = (call: CallRow | null) => fixture.sql`update calls set status = 'no-answer' where id = ${call!.id}`;

async function batch({ workspace_id, agent_id }: Tenant, more: { concurrency?: number; status?: string } = {}) {
  const row = {
    ...{ workspace_id, id: newId(), agent_id, agent_name: 'Asha', name: 'A batch', status: 'running' },
    ...{ from_numbers: [], webhook_url: '', max_attempts: 1, retry_after_minutes: 60, retry_on: [], total: 0 },
    ...{ currency: 'INR', created_by: 'tests', created_at: new Date(), keys: [] },
    ...more,
  };
  await fixture.sql`insert into batches ${fixture.sql(row as never)}`;
  return row.id;
}

/** A queued call of the batch. */
const contact = async ({ workspace_id, agent_id }: Tenant, batch_id: string) => {
  const calls = [{ to_number: '+919811112222', user_data: {} }];
  const request = { workspace_id, agent_id, actor: ACTOR, batch_id, calls };
  const [call] = await fixture.sql.begin((tx) => placeCallsIn(tx, fixture.clock.wall(), request));
  return call!;
};

it('reserves a fifth of the slots for calls outside batches', async () => {
  expect([1, 2, 3, 5, 6, 10, 11, 100].map(slotsForBatches)).toEqual([1, 1, 2, 4, 4, 8, 8, 80]);
  const tenant = await fixture.tenant(5);
  const id = await batch(tenant);
  for (let index = 0; index < 8; index++) await contact(tenant, id);
  for (let index = 0; index < 4; index++) expect((await next(tenant))?.batch_id).toBe(id);
  expect(await next(tenant)).toBeNull();
  const single = await fixture.queue(tenant);
  expect((await next(tenant))?.id).toBe(single.id);
  expect(await next(tenant)).toBeNull();
});

it('dials a call placed after a batch next, whichever call it is that ends', async () => {
  const tenant = await fixture.tenant(3);
  const id = await batch(tenant);
  for (let index = 0; index < 10; index++) await contact(tenant, id);
  const first = await fixture.queue(tenant);
  expect((await next(tenant))?.id).toBe(first.id);
  const live = [await next(tenant), await next(tenant)];
  expect(live.map((call) => call?.batch_id)).toEqual([id, id]);
  const [second, third] = [await fixture.queue(tenant), await fixture.queue(tenant)];
  await end(live[0]!);
  expect((await next(tenant))?.id).toBe(second.id);
  await end(first);
  expect((await next(tenant))?.id).toBe(third.id);
  await end(second);
  expect((await next(tenant))?.batch_id).toBe(id);

  const narrow = await fixture.tenant(1);
  const only = await batch(narrow);
  for (let index = 0; index < 3; index++) await contact(narrow, only);
  const dialled = await next(narrow);
  expect(dialled?.batch_id).toBe(only);
  const single = await fixture.queue(narrow);
  expect(await next(narrow)).toBeNull();
  await end(dialled);
  expect((await next(narrow))?.id).toBe(single.id);
});

it('takes calls of running batches only, oldest first, each batch within its own limit', async () => {
  const tenant = await fixture.tenant(20);
  const [narrow, wide, paused] = [
    await batch(tenant, { concurrency: 2 }),
    await batch(tenant),
    await batch(tenant, { status: 'paused' }),
  ];
  const queued: CallRow[] = [];
  for (const id of [paused, narrow, narrow, narrow, wide, narrow, wide]) queued.push(await contact(tenant, id));
  const started: string[] = [];
  for (let call = await next(tenant); call; call = await next(tenant)) started.push(call.id);
  expect(started).toEqual([queued[1], queued[2], queued[4], queued[6]].map((call) => call!.id));
  await fixture.sql`update batches set status = 'running' where id = ${paused}`;
  expect((await next(tenant))?.id).toBe(queued[0]!.id);
  await end(queued[1]!);
  expect((await next(tenant))?.id).toBe(queued[3]!.id);
  expect(await next(tenant)).toBeNull();
});

it('starts a scheduled call at its time, and until then takes others', async () => {
  const tenant = await fixture.tenant();
  const { workspace_id, agent_id } = tenant;
  const { sql, clock } = fixture;
  const not_before = new Date(clock.wall() + 3_600_000);
  const request = { workspace_id, agent_id, to_number: '+919811112222', user_data: {}, actor: ACTOR };
  const booked = await placeCall(sql, clock, { ...request, not_before });
  expect(await next(tenant)).toBeNull();
  expect(await workspacesInTurn(sql, clock.wall())).not.toContain(workspace_id);
  const later = await placeCall(sql, clock, request);
  expect((await next(tenant))?.id).toBe(later.id);
  expect((await next(tenant, not_before.getTime() - 1))?.id).toBeUndefined();
  expect(await workspacesInTurn(sql, not_before.getTime())).toContain(workspace_id);
  expect((await next(tenant, not_before.getTime()))?.id).toBe(booked.id);
});

it('never dials an expired call, even before it is canceled', async () => {
  const tenant = await fixture.tenant();
  const { sql, clock } = fixture;
  const old = await fixture.queue(tenant);
  const young = await fixture.queue(tenant);
  await sql`update calls set queued_at = queued_at - interval '24 hours 1 second' where id = ${old.id}`;
  expect((await next(tenant))?.id).toBe(young.id);
  expect(await next(tenant)).toBeNull();
  expect(await expireQueuedCalls(sql, clock.wall())).toBe(1);
});

it('waits for the activation of the workspace, and for the agent', async () => {
  const tenant = await fixture.tenant();
  const { sql } = fixture;
  const call = await fixture.queue(tenant);
  await sql`update workspaces set state = 'onboarding' where id = ${tenant.workspace_id}`;
  expect(await next(tenant)).toBeNull();
  await sql`update workspaces set state = 'active' where id = ${tenant.workspace_id}`;
  for (const status of ['paused', 'frozen']) {
    await sql`update agents set status = ${status} where id = ${tenant.agent_id}`;
    expect(await next(tenant)).toBeNull();
  }
  await sql`update agents set status = 'active' where id = ${tenant.agent_id}`;
  expect((await next(tenant))?.id).toBe(call.id);
});

it('waits for the calling hours of the agent', async () => {
  const call = { calling_hours: true, call_start_hour: 9, call_end_hour: 21, timezone: 'Asia/Kolkata' };
  const tenant = await fixture.tenant(5, { call });
  const clock = createShiftedClock();
  const evening = Date.parse('2031-03-03T21:00:00+05:30');
  clock.shift(evening - Date.now());
  const { workspace_id, agent_id } = tenant;
  const request = { workspace_id, agent_id, to_number: '+919811112222', user_data: {}, actor: ACTOR };
  const placed = await placeCall(fixture.sql, clock, request);
  const at = (hours: number) => next(tenant, evening + hours * 3_600_000);
  expect(await at(0.1)).toBeNull();
  expect(await at(11.9)).toBeNull();
  expect((await at(12))?.id).toBe(placed.id);
});

it('refuses to place a call without credits, after every other check', async () => {
  const { sql, clock } = fixture;
  const broke = await fixture.tenant(5, {}, 0);
  const { workspace_id, agent_id } = broke;
  const request = { workspace_id, agent_id, to_number: '+919811112222', user_data: {}, actor: ACTOR };
  const place = (more: object = {}) => placeCall(sql, clock, { ...request, ...more });
  await expect(place()).rejects.toMatchObject({ status: 402, detail: 'out of credits: add credits in Billing' });
  await expect(place({ from_number: '+19990001111' })).rejects.toMatchObject({ status: 400 });
  expect(await sql`select 1 from calls where workspace_id = ${workspace_id}`).toHaveLength(0);
  await sql`update wallets set plan_seconds_left = 60 where workspace_id = ${workspace_id}`;
  expect((await place()).status).toBe('queued');
});

it('fails due calls without credits, and lets calls of batches wait', async () => {
  const { sql } = fixture;
  const tenant = await fixture.tenant(2);
  const { workspace_id } = tenant;
  const id = await batch(tenant);
  const ofBatch = await contact(tenant, id);
  const live = await fixture.ringing(tenant);
  const calls: CallRow[] = [];
  for (let index = 0; index < 25; index++) calls.push(await fixture.queue(tenant));
  await sql`update wallets set paid_paise = -1, free_paise = 0 where workspace_id = ${workspace_id}`;
  const failed = async () =>
    (await sql`select 1 from calls where workspace_id = ${workspace_id} and status = 'failed'`).length;
  expect(await next(tenant)).toBeNull();
  expect(await failed()).toBe(20);
  expect(await next(tenant)).toBeNull();
  expect(await failed()).toBe(25);
  expect(await fixture.read(calls[24]!.id)).toMatchObject({ hangup_by: 'service', hangup_reason: 'out of credits' });
  const events = await fixture.timeline(calls[24]!);
  expect(events.map(({ type, level, message }) => [type, level, message]).slice(1)).toEqual([
    ['call.ended', 'error', 'out of credits'],
  ]);
  expect((await fixture.read(ofBatch.id)).status).toBe('queued');
  expect((await fixture.read(live.id)).status).toBe('ringing');
  await sql`update wallets set paid_paise = 1 where workspace_id = ${workspace_id}`;
  expect((await next(tenant))?.id).toBe(ofBatch.id);
});

it('fails a call whose number was released while it waited, and not one whose number is past due', async () => {
  const { sql } = fixture;
  const tenant = await fixture.tenant();
  const [first, second] = [await fixture.queue(tenant), await fixture.queue(tenant)];
  const setNumber = (status: string) =>
    sql`update numbers set status = ${status} where workspace_id = ${tenant.workspace_id}`;
  await setNumber('past_due');
  expect((await next(tenant))?.id).toBe(first.id);
  await setNumber('released');
  expect(await next(tenant)).toBeNull();
  const hangup_reason = 'dial refused: the number it is placed from was released';
  expect(await fixture.read(second.id)).toMatchObject({ status: 'failed', hangup_by: 'service', hangup_reason });
  expect((await fixture.timeline(second)).at(-1)).toMatchObject({ type: 'call.ended', level: 'error' });
});

it('counts positions in the order in which calls are taken', async () => {
  const tenant = await fixture.tenant();
  const { workspace_id, agent_id } = tenant;
  const { sql, clock } = fixture;
  const [running, paused] = [await batch(tenant), await batch(tenant, { status: 'paused' })];
  const away = { ...tenant, agent_id: await fixture.agent(workspace_id) };
  await fixture.number(workspace_id, away.agent_id);
  const unserved = [await contact(tenant, paused), await fixture.queue(away)];
  await sql`update agents set status = 'paused' where id = ${away.agent_id}`;
  const ofBatch = [await contact(tenant, running), await contact(tenant, running)];
  const request = { workspace_id, agent_id, to_number: '+919811112222', user_data: {}, actor: ACTOR };
  const booked = await placeCall(sql, clock, { ...request, not_before: new Date(clock.wall() + 60_000) });
  const single = await placeCall(sql, clock, request);
  const another = await contact(tenant, running);
  // As it was when each was placed.
  expect([...ofBatch, booked, single, another].map((call) => call.queue_position)).toEqual([1, 2, 3, 1, 4]);

  const inOrder = [single, ...ofBatch, another, booked];
  const positions = await queuePositions(
    sql,
    workspace_id,
    [...inOrder, ...unserved].map(({ id }) => id),
    clock.wall(),
  );
  expect(inOrder.map(({ id }) => positions.get(id))).toEqual([1, 2, 3, 4, 5]);
  // Those that wait for their batch or agent would be next when it goes on.
  expect(unserved.map(({ id }) => positions.get(id))).toEqual([2, 1]);
  expect((await fixture.timeline(another))[0]).toMatchObject({
    message: 'queued at position 4',
    data: { position: 4 },
  });
  const listed = await nextInQueue(sql, workspace_id, 100, clock.wall());
  expect(listed.map(({ id }) => id)).toEqual(inOrder.map(({ id }) => id));
  for (const { id } of inOrder.slice(0, 4)) expect((await next(tenant))?.id).toBe(id);
});

it('takes several calls at once as it would one after the other', async () => {
  const tenant = await fixture.tenant(10);
  const { workspace_id } = tenant;
  const { sql, clock } = fixture;
  const [narrow, wide] = [await batch(tenant, { concurrency: 1 }), await batch(tenant)];
  const queued: CallRow[] = [];
  for (const id of [narrow, narrow, wide, wide, wide, wide, wide, wide, wide, wide])
    queued.push(await contact(tenant, id));
  const single = await fixture.queue(tenant);
  const take = (count: number) => sql.begin((tx) => dequeueCalls(tx, workspace_id, count, clock.wall()));
  const ids = (calls: CallRow[]) => calls.map(({ id }) => id);
  const first = await take(3);
  expect(ids(first)).toEqual(ids([single, queued[0]!, queued[2]!]));
  for (const call of first) {
    expect(await fixture.types(call)).toEqual(['call.queued', 'call.dequeued']);
    expect(call).toMatchObject({ status: 'ringing', dial_state: 'requested', event_seq: 2 });
  }
  // Eight of the ten slots are for batches.
  expect(ids(await take(20))).toEqual(ids(queued.slice(3, 9)));
  expect(await take(20)).toEqual([]);
});

it('takes calls of other carriers from behind those of a carrier that is full', async () => {
  const tenant = await fixture.tenant(10);
  const { workspace_id } = tenant;
  const { sql, clock } = fixture;
  const id = await batch(tenant);
  const single = [await fixture.queue(tenant), await fixture.queue(tenant), await fixture.queue(tenant)];
  const ofBatch = [await contact(tenant, id), await contact(tenant, id), await contact(tenant, id)];
  const others = [single[2]!, ofBatch[2]!].map((call) => call.id);
  await sql`update calls set provider = 'plivo' where id = any(${others})`;
  const full = new Set<CallProvider>(['twilio']);
  const limits = { isFull: (provider: CallProvider) => full.has(provider), take: async () => true };
  const take = () => sql.begin((tx) => dequeueCalls(tx, workspace_id, 2, clock.wall(), limits));
  expect((await take()).map((call) => call.id)).toEqual(others);
  expect(await take()).toEqual([]);
  full.clear();
  expect((await take()).map((call) => call.id)).toEqual(single.slice(0, 2).map((call) => call.id));
});
