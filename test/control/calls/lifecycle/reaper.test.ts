import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import { ingest } from '../../../../control/calls/events/ingest.ts';
import { createReaper, type Reaper } from '../../../../control/calls/lifecycle/reaper.ts';
import { wakeUpsOf } from '../../../../control/db/connect.ts';
import {
  type CallFixture,
  createCallFixture,
  createShiftedClock,
  createTestBus,
  createTestCarrier,
  delivered,
  log,
  type Tenant,
  wholeCall,
} from '../call-fixture.ts';

let fixture: CallFixture;
let tenant: Tenant;
let reaper: Reaper | null = null;

beforeAll(async () => {
  fixture = await createCallFixture();
  tenant = await fixture.tenant(100);
});
afterEach(async () => {
  await reaper?.stop();
  reaper = null;
  await fixture.sql`delete from calls`;
  await fixture.sql`delete from engines`;
});

const QUICK = { interval_ms: 40, engine_report_timeout_ms: 40 };

/** Starts a reaper at the real time. */
function reap(times = {}) {
  const clock = createShiftedClock();
  const bus = createTestBus();
  // Every run asks once whether the bus is connected, before it ends any call.
  let runs = 0;
  bus.connected = () => {
    runs++;
    return bus.online;
  };
  const { carriers, hungUp } = createTestCarrier();
  reaper = createReaper({ sql: fixture.sql, clock, log, bus, carriers, times: { ...QUICK, ...times } });
  reaper.start();
  return {
    clock,
    bus,
    hungUp,
    /** Resolves after a whole run that began after this moment. */
    async aRun() {
      const before = runs;
      await eventually(async () => expect(runs).toBeGreaterThan(before + 1));
    },
  };
}

/** Writes a heartbeat of an engine so long ago, which lists these calls and those that it listed before. */
const listCalls = (callIds: string[], { engine_id = 'engine-1', ago = '0 s' } = {}) => fixture.sql`
  insert into engines (engine_id, sent_at, heartbeat_at, call_ids)
  values (${engine_id}, now() - ${ago}::interval, now() - ${ago}::interval, ${callIds})
  on conflict (engine_id) do update set sent_at = excluded.sent_at, heartbeat_at = excluded.heartbeat_at,
    call_ids = engines.call_ids || excluded.call_ids`;

/** A connected call that its engine has just listed. */
async function live(engine_id = 'engine-1') {
  const call = await fixture.opened(tenant);
  await fixture.sql`update calls set engine_id = ${engine_id} where id = ${call.id}`;
  await listCalls([call.id], { engine_id });
  await ingest(
    { sql: fixture.sql, clock: fixture.clock, log },
    wholeCall(call.id)
      .slice(0, 3)
      .map((event) => delivered(event)),
  );
  return fixture.read(call.id);
}

/** When the call's engine listed it last; 0: its last heartbeat did not. */
async function listed({ id, engine_id }: CallRow): Promise<number> {
  const [engine] = await fixture.sql`
    select heartbeat_at from engines where engine_id = ${engine_id} and ${id} = any(call_ids)`;
  return engine?.heartbeat_at.getTime() ?? 0;
}

const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 30 });

it('fails a call whose engine sent no heartbeat for 45 seconds', async () => {
  const call = await live();
  const { clock, hungUp, aRun } = reap();
  clock.shift(30_000);
  await aRun();
  expect((await fixture.read(call.id)).status).toBe('in-progress');
  clock.shift(20_000);
  await eventually(async () => expect((await fixture.read(call.id)).status).toBe('failed'));
  const after = await fixture.read(call.id);
  expect(after).toMatchObject({ hangup_by: 'service', hangup_reason: 'media engine lost' });
  const [ended, completed] = (await fixture.timeline(call)).slice(-2);
  expect(ended).toMatchObject({ type: 'call.ended', level: 'error', message: 'media engine lost' });
  expect(ended!.data).toMatchObject({ hangup_by: 'service' });
  expect(completed).toMatchObject({ type: 'call.completed', data: { call: { status: 'failed' } } });
  await eventually(async () => expect(hungUp).toEqual([call.provider_call_id]));
});

it('spares a call whose engine sends heartbeats', async () => {
  const [alive, lost] = [await live(), await live('engine-2')];
  const { clock, bus, aRun } = reap();
  clock.shift(30_000);
  const shiftedMs = clock.wall();
  bus.heartbeat([alive.id]);
  await eventually(async () => expect(await listed(alive)).toBeGreaterThanOrEqual(shiftedMs));
  clock.shift(20_000);
  await eventually(async () => expect((await fixture.read(lost.id)).status).toBe('failed'));
  await aRun();
  expect((await fixture.read(alive.id)).status).toBe('in-progress');
});

it('ends a call at the time of the last heartbeat that listed it', async () => {
  const call = await live();
  await listCalls([], { ago: '10 minutes' });
  await fixture.sql`
    update calls set started_at = engines.heartbeat_at - interval '10 minutes' from engines
    where calls.id = ${call.id} and engines.engine_id = calls.engine_id`;
  const { clock } = reap();
  clock.shift(46_000);
  await eventually(async () => expect((await fixture.read(call.id)).status).toBe('failed'));
  expect((await fixture.read(call.id)).duration_seconds).toBeGreaterThanOrEqual(598);
  expect((await fixture.read(call.id)).duration_seconds).toBeLessThanOrEqual(602);
});

it('fails a call that its engine, which is alive, does not list any more', async () => {
  const [kept, dropped] = [await live(), await live()];
  const { clock, bus, aRun } = reap();
  bus.heartbeat([kept.id, dropped.id]);
  await eventually(async () => expect(await listed(dropped)).toBeGreaterThan(0));
  for (let seconds = 10; seconds <= 60; seconds += 10) {
    clock.shift(10_000);
    const shiftedMs = clock.wall();
    bus.heartbeat([kept.id], { at_ms: shiftedMs });
    await eventually(async () => expect(await listed(kept)).toBeGreaterThanOrEqual(shiftedMs));
    await aRun();
  }
  await eventually(async () => expect((await fixture.read(dropped.id)).status).toBe('failed'));
  expect((await fixture.read(kept.id)).status).toBe('in-progress');
});

it('does not count missing heartbeats while it could not receive them', async () => {
  const call = await live();
  await listCalls([], { ago: '10 minutes' });
  const { clock, bus, aRun } = reap();
  await aRun();
  expect((await fixture.read(call.id)).status).toBe('in-progress');
  bus.online = false;
  clock.shift(60_000);
  await aRun();
  expect((await fixture.read(call.id)).status).toBe('in-progress');
  bus.online = true;
  await aRun();
  expect((await fixture.read(call.id)).status).toBe('in-progress');
  clock.shift(46_000);
  await eventually(async () => expect((await fixture.read(call.id)).status).toBe('failed'));
});

it('notices a lost engine while somebody sends heartbeats that cannot be stored', async () => {
  const call = await live();
  const { clock, bus } = reap();
  clock.shift(50_000);
  const forged = [
    { at_ms: 1e17 },
    { at_ms: -1 },
    { at_ms: Number.NaN },
    { engine_id: 'engine\0' },
    { call_ids: ['\0'] },
  ];
  for (const more of forged) bus.heartbeat([], more);
  await eventually(async () => expect((await fixture.read(call.id)).status).toBe('failed'));
});

it('ends a call that rings for 90 seconds, at the carrier first', async () => {
  const call = await fixture.ringing(tenant);
  const { clock, hungUp, aRun } = reap();
  clock.shift(60_000);
  await aRun();
  expect((await fixture.read(call.id)).status).toBe('ringing');
  clock.shift(35_000);
  await eventually(async () => expect((await fixture.read(call.id)).status).toBe('no-answer'));
  expect(hungUp).toEqual([call.provider_call_id]);
  expect((await fixture.timeline(call)).at(-1)).toMatchObject({
    message: 'not connected: no-answer',
    level: 'warning',
  });
});

it('fails a call whose dispatcher died before the dial', async () => {
  const call = await fixture.ringing(tenant, '');
  const { clock, hungUp } = reap();
  clock.shift(91_000);
  await eventually(async () => expect((await fixture.read(call.id)).status).toBe('failed'));
  expect(await fixture.read(call.id)).toMatchObject({ hangup_reason: 'error: dispatch' });
  expect(hungUp).toEqual([]);
});

it('frees the slot and wakes the dispatcher', async () => {
  const call = await fixture.ringing(tenant);
  const woken: string[] = [];
  const listening = wakeUpsOf(fixture.sql).on('dispatch', (workspaceId) => woken.push(workspaceId));
  const { clock } = reap();
  clock.shift(91_000);
  await eventually(async () => expect(woken).toContain(call.workspace_id));
  listening.stop();
});

it('sends a hang-up command for a call that has ended', async () => {
  const [over, running] = [await live(), await live()];
  await fixture.sql`
    update calls set status = 'failed', ended_at = now() - interval '1 minute' where id = ${over.id}`;
  const { bus } = reap();
  bus.heartbeat([over.id, running.id, 'f'.repeat(32)]);
  await eventually(async () => expect(bus.commands.map(({ call_id }) => call_id)).toEqual([over.id]));
});

it('settles calls that the carrier ended, also while control was down', async () => {
  const [soon, later] = [await live(), await live()];
  await fixture.sql`update calls set carrier_ended_at = now() where id in (${soon.id}, ${later.id})`;
  reap({ interval_ms: 3_600_000 });
  reaper!.settleLater(soon.id);
  await eventually(async () => expect((await fixture.read(soon.id)).status).toBe('failed'));
  await reaper!.stop();
  reap();
  await eventually(async () => expect((await fixture.read(later.id)).status).toBe('failed'));
});

it('ends a ringing call that a member hung up as canceled, whether or not it was dialled', async () => {
  const calls = [await fixture.ringing(tenant), await fixture.ringing(tenant, '')];
  await fixture.sql`update calls set hangup_requested_reason = 'hung up by Ravi'`;
  const { clock } = reap();
  clock.shift(91_000);
  for (const { id } of calls) {
    await eventually(async () => expect((await fixture.read(id)).status).toBe('canceled'));
    expect(await fixture.read(id)).toMatchObject({ hangup_by: 'member', hangup_reason: 'hung up by Ravi' });
    expect(await fixture.types({ workspace_id: tenant.workspace_id, id })).toEqual([
      'call.queued',
      'call.dequeued',
      'call.ended',
    ]);
  }
});

it("hangs up the caller of a lost engine, but not one who talks to a transfer's target", async () => {
  const [dialling, talking] = [await live(), await live()];
  for (const [{ id }, status] of [[dialling, 'dialing'] as const, [talking, 'answered'] as const]) {
    const transfer = { name: 'Desk', number: '+911140000099', reason: '', status, at: Date.now() };
    await fixture.sql`update calls set transfer = ${fixture.sql.json(transfer)} where id = ${id}`;
  }
  const { clock, hungUp, aRun } = reap();
  clock.shift(46_000);
  for (const { id } of [dialling, talking]) {
    await eventually(async () => expect((await fixture.read(id)).status).toBe('failed'));
  }
  await eventually(async () => expect(hungUp).toContain(dialling.provider_call_id));
  await aRun();
  expect(hungUp).toEqual([dialling.provider_call_id]);
});

it('ends a call of a lost engine only when all that the engine published is read, however long that takes', async () => {
  const call = await live();
  const { clock, bus, aRun } = reap();
  bus.stored = 4;
  clock.shift(50_000);
  await aRun();
  expect((await fixture.read(call.id)).status).toBe('in-progress');
  clock.shift(3_600_000);
  await aRun();
  expect((await fixture.read(call.id)).status).toBe('in-progress');
  bus.stored = 0;
  await eventually(async () => expect((await fixture.read(call.id)).status).toBe('failed'));
});

it('ends a ringing call that an engine opened only when the bus was back for 45 seconds: it may be connected', async () => {
  const opened = await fixture.opened(tenant);
  const unopened = await fixture.ringing(tenant);
  const { clock, bus, aRun } = reap();
  bus.reachableMs = 44_000;
  clock.shift(150_000);
  await eventually(async () => expect((await fixture.read(unopened.id)).status).toBe('no-answer'));
  await aRun();
  expect((await fixture.read(opened.id)).status).toBe('ringing');
  bus.reachableMs = 45_000;
  await eventually(async () => expect((await fixture.read(opened.id)).status).toBe('no-answer'));
});

it('ends more calls than it reads at once, and not one whose events are not read yet', async () => {
  const unread = await live();
  await fixture.sql`
    insert into calls
    select (jsonb_populate_record(calls, jsonb_build_object('id', 'copy' || n, 'provider_call_id', 'CA' || n))).*
    from calls, generate_series(1, 150) as n where id = ${unread.id}`;
  await listCalls(Array.from({ length: 150 }, (_, index) => `copy${index + 1}`));
  const { clock, bus } = reap();
  bus.lastEventSeq = async (id?: string) => (id === unread.id ? 4 : 0);
  clock.shift(46_000);
  await eventually(async () => {
    const left = await fixture.sql`select id from calls where status = 'in-progress'`;
    expect(left.map(({ id }) => id)).toEqual([unread.id]);
  });
});
