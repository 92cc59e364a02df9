import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import { endUnconnected } from '../../../../control/calls/lifecycle/call-state-machine.ts';
import { deleteExpiredCalls } from '../../../../control/calls/retention/call-retention.ts';
import { eraseRequestedCalls } from '../../../../control/calls/retention/erase-calls.ts';
import { addMonthPartitions, dropEmptyMonths } from '../../../../control/calls/retention/month-partitions.ts';
import { lockCallById } from '../../../../control/calls/store.ts';
import { deleteLogsOfCalls } from '../../../../control/observability/server-log.ts';
import { requestCallErasure, setRetention } from '../../../../control/operators/call-data.ts';
import { newId } from '../../../../shared/ids.ts';
import { chunkName } from '../../../../shared/recordings/chunks.ts';
import { type CallApi, createCallApi } from '../call-api-fixture.ts';
import { type CallFixture, createCallFixture, log, type Tenant } from '../call-fixture.ts';

let fixture: CallFixture;
let api: CallApi;

beforeAll(async () => {
  fixture = await createCallFixture();
  api = await createCallApi(fixture);
});
afterAll(() => api.http.close());

const deletion = () => ({ sql: fixture.sql, store: api.store, deleteLogs: deleteLogsOfCalls });
const expire = (defaultDays = 0) => deleteExpiredCalls({ ...deletion(), clock: fixture.clock, log, defaultDays });

/** A finished, charged call with everything that can belong to one, so many days old. */
async function wholeCallOf(tenant: Tenant, days: number, more: object = {}): Promise<CallRow> {
  const { sql } = fixture;
  const { workspace_id } = tenant;
  const endpoint = { workspace_id, id: newId(), url: 'https://receiver.example', description: '', events: ['*'] };
  const secret = { active: true, secret: Buffer.from('x'), secret_hint: '', created_at: new Date(), created_by: 'x' };
  await sql`insert into webhook_endpoints ${sql({ ...endpoint, ...secret } as never)}`;
  const call = await api.finished(tenant);
  await sql`update calls set ${sql({ recorded: true, ...more })}, created_at = now() - ${days} * interval '1 day'
    where id = ${call.id}`;
  api.store.objects.set(chunkName(workspace_id, call.id, 0), new Uint8Array(100));
  const line = { workspace_id, id: newId(), at: new Date(), level: 'info', message: 'a line', source: 'call' };
  await sql`insert into server_logs ${sql({ ...line, call_id: call.id })}`;
  const incident = {
    ...{ workspace_id, id: newId(), rule_id: newId(), rule_name: 'a rule', category: 'abuse', severity: 'warning' },
    ...{ agent_id: tenant.agent_id, agent_name: 'Asha', call_id: call.id, quote: 'what was said', confidence: 1 },
    ...{ action: 'notice', strike: 0, created_at: new Date() },
  };
  await sql`insert into guardrail_incidents ${sql(incident)}`;
  return (await fixture.read(call.id))!;
}

/** Rows that name the call, by table; the recording counts as one. */
async function leftOf({ workspace_id, id }: CallRow): Promise<Record<string, number>> {
  const left: Record<string, number> = {};
  for (const table of ['call_events', 'webhook_deliveries', 'server_logs', 'ledger', 'guardrail_incidents']) {
    left[table] = (await fixture.sql`select from ${fixture.sql(table)} where call_id = ${id}`).length;
  }
  left.calls = (await fixture.sql`select from calls where id = ${id}`).length;
  left.bodies = (await fixture.sql`select from webhook_bodies where body like ${`%${id}%`}`).length;
  left.quotes = (await fixture.sql`select from guardrail_incidents where call_id = ${id} and quote <> ''`).length;
  left.recordings = api.store.objects.has(chunkName(workspace_id, id, 0)) ? 1 : 0;
  return left;
}

const NOTHING = {
  call_events: 0,
  webhook_deliveries: 0,
  server_logs: 0,
  calls: 0,
  bodies: 0,
  quotes: 0,
  recordings: 0,
};

describe('the retention time', () => {
  it('deletes a call with all that belongs to it, and keeps what was charged and that there was an incident', async () => {
    const tenant = await fixture.tenant();
    const [old, young] = [await wholeCallOf(tenant, 31), await wholeCallOf(tenant, 29)];
    const before = await leftOf(old);
    expect(Object.values(before).every((rows) => rows > 0)).toBe(true);
    await setRetention({ sql: fixture.sql, wallMs: Date.now() }, tenant.workspace_id, 30);
    expect(await expire()).toBe(1);
    expect(await leftOf(old)).toEqual({ ...NOTHING, ledger: before.ledger, guardrail_incidents: 1 });
    expect(Object.values(await leftOf(young)).every((rows) => rows > 0)).toBe(true);
  });

  it("is the service's where the workspace has none, and may be for ever", async () => {
    const [kept, none] = [await fixture.tenant(), await fixture.tenant()];
    const [ofKept, ofNone] = [await wholeCallOf(kept, 400), await wholeCallOf(none, 400)];
    await setRetention({ sql: fixture.sql, wallMs: Date.now() }, kept.workspace_id, 0);
    expect(await expire(0)).toBe(0);
    expect(await expire(365)).toBe(1);
    expect([(await leftOf(ofKept)).calls, (await leftOf(ofNone)).calls]).toEqual([1, 0]);
  });

  it('keeps a call whose recording could not be deleted', async () => {
    const tenant = await fixture.tenant();
    const call = await wholeCallOf(tenant, 31);
    await setRetention({ sql: fixture.sql, wallMs: Date.now() }, tenant.workspace_id, 30);
    const store = { ...api.store, remove: async () => Promise.reject(new Error('no answer')) };
    const failing = { ...deletion(), store, clock: fixture.clock, log, defaultDays: 0 };
    await expect(deleteExpiredCalls(failing)).rejects.toThrow('no answer');
    expect((await leftOf(call)).calls).toBe(1);
    expect(await expire()).toBe(1);
  });

  /** So many finished calls of 31 days ago, of which none has a recording; the newest is the one that the others are copies of. */
  async function manyOf(tenant: Tenant, count: number): Promise<void> {
    const { id } = await api.finished(tenant);
    await fixture.sql`
      update calls set recorded = false, created_at = now() - interval '31 days', to_number = '+919800000003' where id = ${id}`;
    await fixture.sql`
      insert into finished_calls
      select (jsonb_populate_record(one, jsonb_build_object('id', one.id || n, 'provider_call_id', 'CA' || n))).*
      from finished_calls as one, generate_series(1, ${count - 1}) as n where one.id = ${id}`;
  }
  const leftWith = async ({ workspace_id }: Tenant) =>
    (await fixture.sql`select from calls where workspace_id = ${workspace_id}`).length;

  it('deletes and erases more calls than it reads at once, and no more when it is stopped', async () => {
    const [tenant, stopped, erased] = [await fixture.tenant(), await fixture.tenant(), await fixture.tenant()];
    for (const each of [tenant, stopped, erased]) await manyOf(each, 201);
    for (const { workspace_id } of [tenant, stopped])
      await setRetention({ sql: fixture.sql, wallMs: Date.now() }, workspace_id, 30);
    const deps = { ...deletion(), clock: fixture.clock, log, defaultDays: 0 };
    expect(await deleteExpiredCalls(deps, undefined, () => true)).toBe(0);
    expect(await deleteExpiredCalls(deps)).toBe(402);
    expect([await leftWith(tenant), await leftWith(stopped)]).toEqual([0, 0]);
    await requestCallErasure({ sql: fixture.sql, wallMs: Date.now() }, erased.workspace_id, '+919800000003');
    expect(await eraseRequestedCalls(deletion())).toBe(201);
    expect(await leftWith(erased)).toBe(0);
  });

  it('deletes the recordings of all its calls', async () => {
    const tenant = await fixture.tenant(20);
    const calls: CallRow[] = [];
    for (let made = 0; made < 9; made++) calls.push(await wholeCallOf(tenant, 31));
    await setRetention({ sql: fixture.sql, wallMs: Date.now() }, tenant.workspace_id, 30);
    expect(await expire()).toBe(9);
    for (const call of calls) expect((await leftOf(call)).recordings).toBe(0);
  });

  it('deletes what may have been recorded by an engine that was lost', async () => {
    const tenant = await fixture.tenant();
    const call = await wholeCallOf(tenant, 31, { recorded: false, recording_unknown: true });
    await setRetention({ sql: fixture.sql, wallMs: Date.now() }, tenant.workspace_id, 30);
    await expire();
    expect((await leftOf(call)).recordings).toBe(0);
  });

  it('drops past months that are empty, and no other partition', async () => {
    const { sql } = fixture;
    const [empty, used, present] = ['2021-01-10', '2021-02-10', '2021-06-10'].map((at) =>
      Date.parse(`${at}T00:00:00Z`),
    );
    // The first partition ends with this month; these are before it.
    await sql`alter table finished_calls detach partition finished_calls_earlier`;
    await addMonthPartitions(sql, empty!).catch(() => {});
    const tenant = await fixture.tenant();
    const call = await fixture.queue(tenant);
    await sql`
      with deleted as (delete from live_calls where id = ${call.id} returning live_calls as row)
      insert into finished_calls
      select moved.* from deleted cross join lateral
        jsonb_populate_record(deleted.row, ${sql.json({ id: newId(used), status: 'busy', finished: true })}) as moved`;
    const dropped = (await dropEmptyMonths(sql, present!)).filter((name) => name.startsWith('finished_calls'));
    expect(dropped.sort()).toEqual(['finished_calls_2021_01', 'finished_calls_2021_03', 'finished_calls_2021_04']);
    const [left] = await sql`select count(*)::integer as calls from finished_calls_2021_02`;
    expect(left).toEqual({ calls: 1 });
  });
});

describe('the erasure of one person', () => {
  const number = '+919800000001';
  const ask = (tenant: Tenant) =>
    requestCallErasure({ sql: fixture.sql, wallMs: Date.now() }, tenant.workspace_id, number);
  const erase = () => eraseRequestedCalls(deletion());

  it('deletes the calls to and from the number in this workspace, and no others', async () => {
    const [tenant, other] = [await fixture.tenant(), await fixture.tenant()];
    const to = await wholeCallOf(tenant, 1, { direction: 'outbound', to_number: number });
    const from = await wholeCallOf(tenant, 1, { direction: 'inbound', from_number: number });
    const [stranger, elsewhere] = [
      await wholeCallOf(tenant, 1, { direction: 'outbound', to_number: '+919800000002', from_number: number }),
      await wholeCallOf(other, 1, { direction: 'outbound', to_number: number }),
    ];
    expect(await ask(tenant)).toEqual({ calls: 2, going_on: 0 });
    expect(await erase()).toBe(2);
    for (const call of [to, from]) expect(await leftOf(call)).toMatchObject(NOTHING);
    for (const call of [stranger, elsewhere]) expect((await leftOf(call)).calls).toBe(1);
    expect(await fixture.sql`select from call_erasures`).toHaveLength(0);
    const [audit] = await fixture.sql`
      select data from audit_events where workspace_id = ${tenant.workspace_id} and action = 'calls.erased'`;
    expect(audit!.data).toEqual({ number: '+91***01' });
  });

  it('leaves calls that came after it, also while an earlier one goes on', async () => {
    const { sql } = fixture;
    const tenant = await fixture.tenant();
    const later = await wholeCallOf(tenant, 0, { direction: 'inbound', from_number: number });
    const earlier = await fixture.queue(tenant, number);
    await sql`update calls set status = 'ringing', created_at = created_at - interval '2 hours' where id = ${earlier.id}`;
    await ask(tenant);
    await sql`update call_erasures set requested_at = requested_at - interval '1 hour'`;
    expect(await erase()).toBe(0);
    expect((await leftOf(later)).calls).toBe(1);
    expect(await ask(tenant)).toEqual({ calls: 2, going_on: 1 });
    expect(await erase()).toBe(1);
    await sql`delete from call_erasures`;
  });

  it('ends a queued call to the person, and no other', async () => {
    const tenant = await fixture.tenant();
    const [call, other] = [await fixture.queue(tenant, number), await fixture.queue(tenant)];
    expect(await ask(tenant)).toEqual({ calls: 1, going_on: 0 });
    expect(await fixture.read(call.id)).toMatchObject({ status: 'canceled', hangup_reason: 'canceled while queued' });
    expect((await fixture.read(other.id)).status).toBe('queued');
    expect(await erase()).toBe(1);
  });

  it('waits for a call that goes on', async () => {
    const tenant = await fixture.tenant();
    const call = await fixture.queue(tenant, number);
    await fixture.sql`update calls set status = 'ringing' where id = ${call.id}`;
    expect(await ask(tenant)).toEqual({ calls: 1, going_on: 1 });
    expect(await erase()).toBe(0);
    await fixture.sql.begin(async (tx) => {
      const held = (await lockCallById(tx, call.id))!;
      const end = { status: 'canceled', hangup_by: 'member', hangup_reason: 'canceled' } as const;
      await endUnconnected(tx, held, { ...end, level: 'info', message: 'canceled' }, Date.now());
    });
    expect(await erase()).toBe(1);
    expect((await leftOf(call)).calls).toBe(0);
    expect(await fixture.sql`select from call_erasures`).toHaveLength(0);
  });
});
