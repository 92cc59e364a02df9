import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startBatchJob } from '../../../control/batches/batch-job.ts';
import { createEngineRegistry } from '../../../control/calls/engines/engine-registry.ts';
import { ingest } from '../../../control/calls/events/ingest.ts';
import { createLockedCalls } from '../../../control/calls/events/locked-calls.ts';
import { createReaper } from '../../../control/calls/lifecycle/reaper.ts';
import { carrierUrls } from '../../../control/carriers/carrier-urls.ts';
import { isLockTimeout } from '../../../control/db/item-runner.ts';
import { startDispatcher } from '../../../control/dispatch/dispatcher.ts';
import type { CallEvent } from '../../../shared/bus/messages.ts';
import { eventually } from '../../support/until.ts';
import { createBatchFixture } from '../batches/batch-fixture.ts';
import { createTestBus, createTestCarrier, delivered, log, type Tenant, wholeCall } from './call-fixture.ts';

/** What one workspace, call or batch does to the others when it fails or its rows are locked. */

let fixture: Awaited<ReturnType<typeof createBatchFixture>>;
const stopping: (() => Promise<void>)[] = [];
/** Triggers go when nothing runs any more: a drop locks every partition, and is one of two that could wait for each other. */
const dropping: (() => Promise<void>)[] = [];

beforeAll(async () => {
  fixture = await createBatchFixture();
});
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
  for (const drop of dropping.splice(0)) await drop();
  await fixture.sql`delete from calls`;
  await fixture.sql`delete from batches`;
  await fixture.sql`delete from engines`;
});

/** Locks a row until `release`, at the latest until the end of the test. */
async function lock(table: 'workspaces' | 'calls', id: string): Promise<() => Promise<void>> {
  const { sql } = fixture;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let held = () => {};
  const locked = new Promise<void>((resolve) => {
    held = resolve;
  });
  const holding = sql.begin(async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = 0`;
    await tx`select 1 from ${tx(table)} where id = ${id} for update`;
    held();
    await released;
  });
  await locked;
  const unlock = async () => {
    release();
    await holding;
  };
  stopping.unshift(unlock);
  return unlock;
}

/** Makes a change of a row fail until the end of the test. */
async function refuse(table: string, when: string): Promise<void> {
  const { sql } = fixture;
  const create = () =>
    sql.unsafe(`
      create or replace function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
      create trigger refused before insert or update on ${table} for each row when (${when}) execute function refuse()`);
  // A trigger locks a table and all its partitions, which a job's transaction may do in another order, or for long: one of them fails.
  await eventually('the trigger', 60_000, () =>
    create().catch((error: { code?: string }) => {
      if (error.code !== '40P01' && !isLockTimeout(error)) throw error;
      return null;
    }),
  );
  dropping.push(async () => void (await sql.unsafe(`drop trigger refused on ${table}`)));
}

/** Writes a heartbeat of an engine, of the real time. */
const listCalls = (engine_id: string, callIds: string[]) => fixture.sql`
  insert into engines (engine_id, sent_at, heartbeat_at, call_ids) values (${engine_id}, now(), now(), ${callIds})`;

async function two(): Promise<[Tenant, Tenant]> {
  return [await fixture.tenant(10), await fixture.tenant(10)];
}

async function live(tenant: Tenant) {
  const { sql, clock } = fixture;
  const call = await fixture.opened(tenant);
  await ingest(
    { sql, clock, log },
    wholeCall(call.id)
      .slice(0, 3)
      .map((event) => delivered(event)),
  );
  return fixture.read(call.id);
}

const statusOf = async (call: { id: string }) => (await fixture.read(call.id)).status;
const becomes = (call: { id: string }, status: string) =>
  eventually(`${status}`, 60_000, async () => ((await statusOf(call)) === status ? true : null));

describe('the dispatcher', () => {
  function dispatch() {
    const { sql, clock } = fixture;
    const carrier = createTestCarrier();
    const dispatcher = startDispatcher({
      ...{ sql, clock, log, carriers: carrier.carriers, intervalMs: 50, streamUrl: () => '' },
      addresses: carrierUrls('http://127.0.0.1:1', 'ws://127.0.0.1:2'),
      engines: createEngineRegistry('ws://127.0.0.1:2', clock),
    });
    stopping.push(() => dispatcher.stop());
  }

  it('dials for the others while the row of a workspace is locked, and for that one afterwards', async () => {
    const [locked, other] = await two();
    const [waits, goes] = [await fixture.queue(locked), await fixture.queue(other)];
    const unlock = await lock('workspaces', locked.workspace_id);
    dispatch();
    await becomes(goes, 'ringing');
    expect(await statusOf(waits)).toBe('queued');
    await unlock();
    await becomes(waits, 'ringing');
  });

  it('dials for the others while a workspace fails', async () => {
    const [broken, other] = await two();
    const [waits, goes] = [await fixture.queue(broken), await fixture.queue(other)];
    await refuse('dispatch_turns', `new.workspace_id = '${broken.workspace_id}'`);
    dispatch();
    await becomes(goes, 'ringing');
    expect(await statusOf(waits)).toBe('queued');
  });

  it('dials while calls that have expired cannot be ended', async () => {
    const [broken, other] = await two();
    const [expired, goes] = [await fixture.queue(broken), await fixture.queue(other)];
    await fixture.sql`update calls set queued_at = queued_at - interval '25 hours' where id = ${expired.id}`;
    await refuse('call_events', `new.call_id = '${expired.id}'`);
    dispatch();
    await becomes(goes, 'ringing');
  });
});

describe('the reaper', () => {
  function reap() {
    const { sql, clock } = fixture;
    const bus = createTestBus();
    const { carriers } = createTestCarrier();
    const reaper = createReaper({ sql, clock, log, bus, carriers, times: { interval_ms: 50 } });
    reaper.start();
    stopping.push(() => reaper.stop());
    return bus;
  }

  it('ends the other calls of a lost engine while one fails', async () => {
    const [broken, other] = [await live(await fixture.tenant()), await live(await fixture.tenant())];
    await listCalls('engine-1', [broken.id, other.id]);
    await refuse('call_events', `new.call_id = '${broken.id}' and new.type = 'call.ended'`);
    reap();
    fixture.clock.shift(50_000);
    await becomes(other, 'failed');
    expect(await statusOf(broken)).toBe('in-progress');
  });

  it('settles the other calls that carriers ended while the row of one is locked', async () => {
    const [locked, other] = [await live(await fixture.tenant()), await live(await fixture.tenant())];
    await fixture.sql`update calls set carrier_ended_at = now() - interval '1 minute' where id = ${locked.id}`;
    await fixture.sql`update calls set carrier_ended_at = now() where id = ${other.id}`;
    await lock('calls', locked.id);
    fixture.clock.shift(6_000);
    reap();
    await becomes(other, 'failed');
  });

  it('takes a call for held while its engine lists it, also one whose row is locked', async () => {
    const [locked, other] = [await live(await fixture.tenant()), await live(await fixture.tenant())];
    const unlock = await lock('calls', locked.id);
    const bus = reap();
    fixture.clock.shift(50_000);
    bus.heartbeat([locked.id, other.id]);
    // Ended by the same runs that spare the first two.
    const lost = await live(await fixture.tenant());
    await fixture.sql`update calls set engine_id = 'engine-2' where id = ${lost.id}`;
    await listCalls('engine-2', [lost.id]);
    await unlock();
    await becomes(lost, 'failed');
    expect([await statusOf(locked), await statusOf(other)]).toEqual(['in-progress', 'in-progress']);
  });
});

it('events of a locked call are put back, for longer each time and without another try before, and those of others are written', async () => {
  const { sql, clock } = fixture;
  const [locked, other] = [await live(await fixture.tenant()), await live(await fixture.tenant())];
  const unlock = await lock('calls', locked.id);
  const deps = { sql, clock, log, locked: createLockedCalls({ now: () => 0 }) };
  const rest = (call: { id: string }) => wholeCall(call.id).slice(3);
  const give = async (events: CallEvent[], more = {}) => {
    const given = events.map((event) => delivered(event));
    await ingest({ ...deps, ...more }, given);
    return given.map(({ answer }) => answer);
  };
  expect(await give([...rest(locked), ...rest(other)])).toEqual(['again', 'again', 'done', 'done']);
  expect(await statusOf(other)).toBe('completed');
  expect(deps.locked.waitMs(locked.id)).toBeGreaterThan(0);
  const unused = { begin: () => Promise.reject(new Error('not to be asked')) };
  expect(await give(rest(locked), { sql: unused })).toEqual(['again', 'again']);

  await unlock();
  deps.locked.delete(locked.id);
  expect(await give(rest(locked))).toEqual(['done', 'done']);
  expect(await statusOf(locked)).toBe('completed');
});

it('batches of the other workspaces go on while the row of a workspace is locked', async () => {
  const { sql, clock } = fixture;
  const [locked, other] = await two();
  // More than can be waited for one after the other, each for a lock time-out of 10 seconds.
  for (let made = 0; made < 7; made++) await fixture.make(locked, 1);
  const goes = await fixture.make(other, 1);
  await lock('workspaces', locked.workspace_id);
  const job = startBatchJob({ sql, clock, log, writeLog: () => {}, intervalMs: 50 });
  stopping.push(() => job.stop());
  await eventually('a queued contact', 60_000, async () =>
    (await fixture.contacts(other, goes.id))[0]!.status === 'queued' ? true : null,
  );
});
