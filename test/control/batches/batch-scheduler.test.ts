import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startBatchJob } from '../../../control/batches/batch-job.ts';
import { capacityFor, scheduleBatch } from '../../../control/batches/batch-scheduler.ts';
import { createEngineRegistry } from '../../../control/calls/engines/engine-registry.ts';
import { failQueuedCallsOfAgent } from '../../../control/calls/queue/bulk-cancel.ts';
import { expireQueuedCalls } from '../../../control/calls/queue/expire-calls.ts';
import { carrierUrls } from '../../../control/carriers/carrier-urls.ts';
import { startDispatcher } from '../../../control/dispatch/dispatcher.ts';
import { giveCredits } from '../../support/credits.ts';
import { createTestCarrier, log, type Tenant } from '../calls/call-fixture.ts';
import { ASHA, type BatchFixture, createBatchFixture, numberOf } from './batch-fixture.ts';

let fixture: BatchFixture;
const HOUR_MS = 3_600_000;

beforeAll(async () => {
  fixture = await createBatchFixture();
});
afterEach(async () => {
  expect(await fixture.countsAreTrue()).toBe(true);
  await fixture.sql`delete from batches`;
  await fixture.sql`delete from calls`;
});

const statusesOf = async (tenant: Tenant, id: string) =>
  (await fixture.contacts(tenant, id)).map(({ status }) => status);
const queuedOf = async (batchId: string) => {
  const [row] = await fixture.sql`
    select count(*)::integer as count from calls where batch_id = ${batchId} and status = 'queued'`;
  return row!.count as number;
};
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 50 });

describe('capacity for the next contacts', () => {
  const none = { live: 0, live_of_batches: 0, live_of_batch: 0, queued_of_batch: 0 };
  it.each([
    ['an empty workspace of 5', { limit: 5, ...none }, null, 6],
    ['one slot only', { limit: 1, ...none }, null, 3],
    ['two slots', { limit: 2, ...none }, null, 3],
    ['a fifth of 40', { limit: 40, ...none }, null, 34],
    ['a hundred', { limit: 100, ...none }, null, 82],
    ['its share in use', { limit: 5, live: 4, live_of_batches: 4, live_of_batch: 4, queued_of_batch: 0 }, null, 2],
    ['its share in use and two waiting', { limit: 5, ...none, live_of_batches: 4, queued_of_batch: 2 }, null, 0],
    ['other calls in the way', { limit: 5, ...none, live: 5 }, null, 2],
    ['another batch in the way', { limit: 5, ...none, live: 3, live_of_batches: 3 }, null, 3],
    ['its own limit', { limit: 40, ...none }, 2, 4],
    ['its own limit reached', { limit: 40, ...none, live: 2, live_of_batches: 2, live_of_batch: 2 }, 2, 2],
    ['more in the queue than there is capacity for', { limit: 5, ...none, live: 5, queued_of_batch: 6 }, null, 0],
  ])('in %s', (_what, slots, concurrency, capacity) => {
    expect(capacityFor(slots, concurrency)).toBe(capacity);
  });
});

describe('placing calls', () => {
  it('places calls in row order, for the free slots and two more, and continues as they end', async () => {
    const tenant = await fixture.tenant(5);
    const { id } = await fixture.make(tenant, 12);
    await fixture.feed(tenant);
    expect(await queuedOf(id)).toBe(6);
    const first = await fixture.dial(tenant);
    // One of five slots is reserved for other calls.
    expect(first.map(({ to_number }) => to_number)).toEqual([2, 3, 4, 5].map(numberOf));
    expect(first[0]).toMatchObject({ batch_id: id, started_by: 'batch June', user_data: { name: 'Person 2' } });
    await fixture.feed(tenant);
    expect(await statusesOf(tenant, id)).toEqual([
      ...Array(4).fill('in-progress'),
      ...Array(2).fill('queued'),
      ...Array(6).fill('pending'),
    ]);
    await fixture.end(first[0]!, 'no-answer');
    await fixture.talk(first[1]!);
    await fixture.feed(tenant);
    const batch = await fixture.batch(tenant, id);
    expect(batch.counts).toMatchObject({ 'no-answer': 1, completed: 1, 'in-progress': 2, queued: 4, pending: 4 });
    expect(batch).toMatchObject({ status: 'running', progress: 16, cost_paise: 150, total: 12 });
    const [unanswered, talked] = await fixture.contacts(tenant, id);
    expect(unanswered).toMatchObject({ row: 2, attempts: 1, hangup_reason: 'no-answer', call_id: first[0]!.id });
    expect(talked).toMatchObject({ status: 'completed', duration_seconds: 30, cost_paise: 150, call_id: first[1]!.id });
  });

  it('completes', async () => {
    const tenant = await fixture.tenant(3);
    const { id } = await fixture.make(tenant, 7);
    for (let round = 0; (await fixture.batch(tenant, id)).status === 'running'; round++) {
      expect(round).toBeLessThan(20);
      await fixture.feed(tenant);
      for (const call of await fixture.dial(tenant)) await fixture.talk(call);
    }
    const batch = await fixture.batch(tenant, id);
    expect(batch).toMatchObject({ status: 'completed', progress: 100, cost_paise: 7 * 150 });
    expect(batch.completed_at).not.toBeNull();
    expect(fixture.lines.filter(({ data }) => data.batch_id === id).map(({ message }) => message)).toEqual([
      'batch created',
      'batch completed',
    ]);
    const [dialled] = await fixture.sql`select count(*)::integer as all from calls where batch_id = ${id}`;
    expect(dialled!.all).toBe(7);
  });

  it("uses its numbers in turn, while they are the workspace's", async () => {
    const tenant = await fixture.tenant(5);
    const second = await fixture.number(tenant.workspace_id, null);
    const from_numbers = [tenant.number, second];
    const { id } = await fixture.make(tenant, 20, { from_numbers });
    await fixture.feed(tenant);
    expect((await fixture.dial(tenant)).map(({ from_number }) => from_number)).toEqual([
      ...from_numbers,
      ...from_numbers,
    ]);
    await fixture.sql`update numbers set status = 'released' where number = ${second}`;
    await fixture.sql`update calls set status = 'busy' where batch_id = ${id} and status = 'ringing'`;
    await fixture.sql`update calls set status = 'canceled' where batch_id = ${id} and status = 'queued'`;
    await fixture.feed(tenant);
    expect(new Set((await fixture.dial(tenant)).map(({ from_number }) => from_number))).toEqual(
      new Set([tenant.number]),
    );
    await fixture.sql`update numbers set status = 'released' where number = ${tenant.number}`;
    await fixture.sql`update calls set status = 'busy' where batch_id = ${id} and status = 'ringing'`;
    await fixture.feed(tenant);
    expect(await fixture.batch(tenant, id)).toMatchObject({ status: 'paused', paused_reason: 'no caller number' });
  });

  it('keeps its own concurrency limit', async () => {
    const tenant = await fixture.tenant(10);
    const { id } = await fixture.make(tenant, 12, { concurrency: 2 });
    await fixture.feed(tenant);
    expect(await queuedOf(id)).toBe(4);
    expect(await fixture.dial(tenant)).toHaveLength(2);
    await fixture.feed(tenant);
    expect(await queuedOf(id)).toBe(2);
  });

  it('waits while its agent is paused or its workspace is not active', async () => {
    const tenant = await fixture.tenant(5);
    const { id } = await fixture.make(tenant, 3);
    const { sql } = fixture;
    await sql`update agents set status = 'frozen' where id = ${tenant.agent_id}`;
    await fixture.feed(tenant);
    await sql`update agents set status = 'active' where id = ${tenant.agent_id}`;
    await sql`update workspaces set state = 'suspended' where id = ${tenant.workspace_id}`;
    await fixture.feed(tenant);
    expect([(await fixture.batch(tenant, id)).status, await queuedOf(id)]).toEqual(['running', 0]);
    await sql`update workspaces set state = 'active' where id = ${tenant.workspace_id}`;
    await fixture.feed(tenant);
    expect(await queuedOf(id)).toBe(3);
  });

  it('starts at its time', async () => {
    const tenant = await fixture.tenant(5);
    const scheduled_at = new Date(fixture.clock.wall() + HOUR_MS);
    const { id, status } = await fixture.make(tenant, 3, { scheduled_at });
    await fixture.feed(tenant);
    expect([status, await queuedOf(id)]).toEqual(['scheduled', 0]);
    fixture.clock.shift(HOUR_MS + 1_000);
    await fixture.feed(tenant);
    expect(await fixture.batch(tenant, id)).toMatchObject({ status: 'running', started_at: expect.any(Date) });
    expect(await queuedOf(id)).toBe(3);
  });
});

describe('retries', () => {
  it('come after the set time, after contacts not called yet, and up to the limit', async () => {
    const tenant = await fixture.tenant(2);
    const { id } = await fixture.make(tenant, 5, { max_attempts: 2, retry_after_minutes: 30 });
    await fixture.feed(tenant);
    const [first] = await fixture.dial(tenant);
    await fixture.end(first!, 'busy');
    await fixture.feed(tenant);
    expect((await fixture.contacts(tenant, id))[0]).toMatchObject({ status: 'retrying', attempts: 1 });
    fixture.clock.shift(31 * 60_000);
    const order: string[] = [];
    for (let round = 0; round < 5; round++) {
      await fixture.feed(tenant);
      for (const call of await fixture.dial(tenant)) {
        order.push(call.to_number);
        await (call.to_number === numberOf(2) ? fixture.end(call, 'no-answer') : fixture.talk(call));
      }
    }
    expect(order).toEqual([3, 4, 5, 6, 2].map(numberOf));
    await fixture.feed(tenant);
    expect((await fixture.contacts(tenant, id))[0]).toMatchObject({
      ...{ status: 'no-answer', attempts: 2, next_attempt_at: null },
    });
    expect((await fixture.batch(tenant, id)).status).toBe('completed');
  });

  it('do not count a call that expired in the queue', async () => {
    const tenant = await fixture.tenant(1);
    const { id } = await fixture.make(tenant, 2);
    await fixture.feed(tenant);
    await fixture.sql`update agents set status = 'paused' where id = ${tenant.agent_id}`;
    fixture.clock.shift(25 * HOUR_MS);
    expect(await expireQueuedCalls(fixture.sql, fixture.clock.wall())).toBe(2);
    await fixture.feed(tenant);
    for (const contact of await fixture.contacts(tenant, id)) {
      expect(contact).toMatchObject({ status: 'pending', attempts: 0, hangup_reason: 'expired in queue' });
    }
    await fixture.sql`update agents set status = 'active' where id = ${tenant.agent_id}`;
    await fixture.feed(tenant);
    expect((await fixture.dial(tenant)).map(({ to_number }) => to_number)).toEqual([numberOf(2)]);
  });
});

describe('a batch pauses automatically', () => {
  it('when half of twenty calls failed, and counts anew when it is resumed', async () => {
    const tenant = await fixture.tenant(100);
    const { id } = await fixture.make(tenant, 300);
    const { workspace_id } = tenant;
    await fixture.feed(tenant);
    const calls = await fixture.dial(tenant);
    for (const [at, call] of calls.slice(0, 19).entries()) await fixture.end(call, at % 2 === 0 ? 'failed' : 'busy');
    await fixture.feed(tenant);
    expect((await fixture.batch(tenant, id)).status).toBe('running');
    await fixture.end(calls[19]!, 'busy');
    await fixture.feed(tenant);
    expect(await fixture.batch(tenant, id)).toMatchObject({ status: 'paused', paused_reason: 'too many failures' });
    expect(fixture.lines.at(-1)).toMatchObject({ level: 'warning', message: 'batch paused' });
    fixture.clock.shift(1_000);
    await fixture.batches.resume(workspace_id, id, ASHA);
    await fixture.end(calls[20]!, 'failed');
    await fixture.feed(tenant);
    expect((await fixture.batch(tenant, id)).status).toBe('running');
  });

  it('when credits run out, also while its queue is full', async () => {
    const tenant = await fixture.tenant(2, {}, 0);
    await giveCredits(fixture.sql, tenant.workspace_id, 100);
    const { id } = await fixture.make(tenant, 5);
    await fixture.feed(tenant);
    await giveCredits(fixture.sql, tenant.workspace_id, -100);
    await fixture.feed(tenant);
    expect(await fixture.batch(tenant, id)).toMatchObject({ status: 'paused', paused_reason: 'out of credits' });
    expect(await fixture.dial(tenant)).toEqual([]);
    const resume = () => fixture.batches.resume(tenant.workspace_id, id, ASHA);
    await expect(resume()).rejects.toMatchObject({ status: 402 });
    await giveCredits(fixture.sql, tenant.workspace_id, 100);
    expect((await resume()).status).toBe('running');
    expect(await fixture.dial(tenant)).toHaveLength(1);
  });

  it('when what is left pays for no second of a call, so that nobody is called again and again', async () => {
    const tenant = await fixture.tenant(2, {}, 0);
    await giveCredits(fixture.sql, tenant.workspace_id, 1);
    const { id } = await fixture.make(tenant, 5);
    await fixture.feed(tenant);
    const [call] = await fixture.dial(tenant);
    await fixture.end(call!, 'failed', 'out of credits');
    await fixture.feed(tenant);
    expect(await fixture.batch(tenant, id)).toMatchObject({ status: 'paused', paused_reason: 'out of credits' });
    expect((await fixture.batch(tenant, id)).counts).toMatchObject({ failed: 0 });
  });
});

describe('operations on a batch', () => {
  it('pause: live calls go on and are counted, its queued calls wait', async () => {
    const tenant = await fixture.tenant(3);
    const { id } = await fixture.make(tenant, 6);
    await fixture.feed(tenant);
    const live = await fixture.dial(tenant);
    expect(await fixture.batches.pause(tenant.workspace_id, id, ASHA)).toMatchObject({
      ...{ status: 'paused', paused_reason: 'by Asha' },
    });
    for (const call of live) await fixture.talk(call);
    await fixture.feed(tenant);
    expect(await fixture.dial(tenant)).toEqual([]);
    expect((await fixture.batch(tenant, id)).counts).toMatchObject({ completed: 2, queued: 2, pending: 2 });
    expect((await fixture.batches.resume(tenant.workspace_id, id, ASHA)).paused_reason).toBe('');
    expect(await fixture.dial(tenant)).toHaveLength(2);
  });

  it('cancel: waiting contacts are canceled, live calls go on and are counted', async () => {
    const tenant = await fixture.tenant(3);
    const { id } = await fixture.make(tenant, 6, { max_attempts: 5 });
    await fixture.feed(tenant);
    const live = await fixture.dial(tenant);
    const batch = await fixture.batches.cancel(tenant.workspace_id, id, ASHA);
    expect(batch).toMatchObject({ status: 'canceled', completed_at: expect.any(Date) });
    expect(batch.counts).toMatchObject({ canceled: 4, 'in-progress': 2, queued: 0, pending: 0 });
    const ends = await fixture.sql`
      select distinct status, hangup_by, hangup_reason from calls where batch_id = ${id} and status <> 'ringing'`;
    expect(ends).toEqual([{ status: 'canceled', hangup_by: 'member', hangup_reason: 'batch canceled' }]);
    await fixture.talk(live[0]!);
    await fixture.end(live[1]!, 'busy');
    await fixture.feed(tenant);
    expect((await fixture.batch(tenant, id)).counts).toMatchObject({ canceled: 4, completed: 1, busy: 1 });
    expect(await fixture.batch(tenant, id)).toMatchObject({ status: 'canceled', progress: 100 });
  });

  it('counts the cost of a transfer, which is known after the call', async () => {
    const tenant = await fixture.tenant(3);
    const { id } = await fixture.make(tenant, 1);
    await fixture.feed(tenant);
    const [call] = await fixture.dial(tenant);
    await fixture.talk(call!, 'transferred');
    const { sql } = fixture;
    const now = new Date();
    const transfer = {
      ...{ workspace_id: tenant.workspace_id, call_id: call!.id, id: 'a'.repeat(32), provider: 'twilio', warm: false },
      ...{ name: 'Ravi', number: '+919800000000', reason: '', summary: '', language: '', state: 'talking' },
      ...{ state_at: now, started_at: now, status: 'answered', settled_at: now, caller_left_at: now },
    };
    await sql`insert into transfers ${sql(transfer as never)}`;
    await fixture.feed(tenant);
    const during = { status: 'running', progress: 0, cost_paise: 0, counts: { 'in-progress': 1 } };
    expect(await fixture.batch(tenant, id)).toMatchObject(during);
    // As `chargeTransfers` does, in one transaction.
    await sql.begin(async (tx) => {
      await tx`update transfers set charged_at = now() where call_id = ${call!.id}`;
      await tx`update calls set cost_paise = 400 where id = ${call!.id}`;
    });
    await fixture.feed(tenant);
    const after = { status: 'completed', progress: 100, cost_paise: 400, counts: { completed: 1 } };
    expect(await fixture.batch(tenant, id)).toMatchObject(after);
    expect((await fixture.contacts(tenant, id))[0]).toMatchObject({ status: 'completed', cost_paise: 400 });
  });

  it('is canceled when the agent is deleted or the workspace closed', async () => {
    const tenant = await fixture.tenant(3);
    const { id } = await fixture.make(tenant, 6);
    await fixture.feed(tenant);
    const { sql } = fixture;
    await sql.begin(async (tx) => {
      await failQueuedCallsOfAgent(tx, tenant.workspace_id, tenant.agent_id, fixture.clock.wall());
      await tx`update numbers set agent_id = null where agent_id = ${tenant.agent_id}`;
      await tx`delete from agents where id = ${tenant.agent_id}`;
    });
    await fixture.feed(tenant);
    const batch = await fixture.batch(tenant, id);
    expect(batch).toMatchObject({ status: 'canceled', counts: { failed: 4, canceled: 2 } });

    const other = await fixture.tenant(3);
    const closed = await fixture.make(other, 3);
    await fixture.batches.pause(other.workspace_id, closed.id, ASHA);
    await sql`update workspaces set state = 'closed' where id = ${other.workspace_id}`;
    await fixture.feed(other);
    expect((await fixture.batch(other, closed.id)).status).toBe('canceled');
  });
});

describe('a long batch', () => {
  it('does not block a single call, and none of its own calls expire', async () => {
    const tenant = await fixture.tenant(2);
    const { id } = await fixture.make(tenant, 10_000);
    const { clock, sql } = fixture;
    await fixture.feed(tenant);
    let [live] = await fixture.dial(tenant);
    await fixture.queue(tenant);
    // The reserved slot is taken as well: the next single call has to wait.
    expect((await fixture.dial(tenant)).map(({ batch_id }) => batch_id)).toEqual([null]);
    const waiting = await fixture.queue(tenant, '+919999999999');
    await fixture.feed(tenant);
    await fixture.end(live!, 'busy');
    expect((await fixture.dial(tenant)).map((call) => call.id)).toEqual([waiting.id]);
    await sql`update calls set status = 'no-answer', ended_at = now() where batch_id is null`;

    // Each call takes an hour: the batch would take more than a year.
    for (let hour = 0; hour < 60; hour++) {
      clock.shift(HOUR_MS);
      await fixture.feed(tenant);
      [live] = await fixture.dial(tenant);
      await fixture.end(live!, 'busy');
      expect(await expireQueuedCalls(sql, clock.wall())).toBe(0);
    }
    expect((await fixture.batch(tenant, id)).counts).toMatchObject({ busy: 60, canceled: 0, failed: 0 });
    expect(await queuedOf(id)).toBeLessThanOrEqual(3);
  });

  it('is dialled by a dispatcher and a scheduler that wake each other, the single call next', async () => {
    const tenant = await fixture.tenant(3);
    const carrier = createTestCarrier();
    const { sql, clock } = fixture;
    const dispatcher = startDispatcher({
      ...{ sql, clock, log, carriers: carrier.carriers, streamUrl: () => '' },
      addresses: carrierUrls('http://127.0.0.1:1', 'ws://127.0.0.1:2'),
      engines: createEngineRegistry('ws://127.0.0.1:2', clock),
    });
    const scheduler = startBatchJob({ sql, clock, log, writeLog: () => {} });
    const { id } = await fixture.make(tenant, 40);
    try {
      await eventually(async () => expect(carrier.dialled).toHaveLength(2));
      await fixture.queue(tenant, '+919999999999');
      await eventually(async () => expect(carrier.dialled.at(-1)).toBe('+919999999999'));
      await vi.waitFor(
        async () => {
          const live = await sql`select id from calls where status = 'ringing' and placed_at is not null`;
          for (const call of live) await fixture.end(await fixture.read(call.id), 'no-answer');
          expect((await fixture.batch(tenant, id)).status).toBe('completed');
        },
        { timeout: 120_000, interval: 100 },
      );
    } finally {
      await Promise.all([scheduler.stop(), dispatcher.stop()]);
    }
    expect(carrier.dialled.filter((number) => number !== '+919999999999').sort()).toEqual(
      Array.from({ length: 40 }, (_, at) => numberOf(at + 2)),
    );
  });
});

describe('after a crash', () => {
  it('a contact and its call are written together, or not at all', async () => {
    const tenant = await fixture.tenant(5);
    const { id } = await fixture.make(tenant, 6);
    const { sql, clock } = fixture;
    // The transaction breaks at each of its statements in turn, until it succeeds.
    for (let statement = 1; ; statement++) {
      expect(statement).toBeLessThan(500);
      const got = await scheduleBatch({ sql: dyingAt(statement), clock }, tenant.workspace_id, id).catch(() => null);
      const [calls] = await sql`select count(*)::integer as count from calls where batch_id = ${id}`;
      const queued = (await statusesOf(tenant, id)).filter((status) => status === 'queued');
      expect(queued).toHaveLength(calls!.count);
      expect(await fixture.countsAreTrue()).toBe(true);
      if (got) break;
      expect(calls!.count).toBe(0);
    }
    const called = await sql`select to_number from calls where batch_id = ${id} order by to_number`;
    expect(called.map(({ to_number }) => to_number)).toEqual([2, 3, 4, 5, 6, 7].map(numberOf));
  });

  it('two concurrent schedulers call no contact twice', async () => {
    const tenant = await fixture.tenant(100);
    const { id } = await fixture.make(tenant, 200);
    await Promise.all(Array.from({ length: 6 }, () => fixture.feed(tenant)));
    await fixture.feed(tenant);
    const doubled = await fixture.sql`
      select to_number from calls where batch_id = ${id} group by to_number having count(*) > 1`;
    expect(doubled).toEqual([]);
    expect(await queuedOf(id)).toBe(82);
    const lost = await fixture.sql`
      select row from batch_contacts c where batch_id = ${id} and status = 'queued'
        and not exists (select 1 from calls where id = c.call_id and to_number = c.to_number)`;
    expect(lost).toEqual([]);
  });

  it('a cancel during a tick leaves no contact behind', async () => {
    const tenant = await fixture.tenant(100);
    const { id } = await fixture.make(tenant, 200);
    const feeding = [fixture.feed(tenant), fixture.feed(tenant)];
    await fixture.batches.cancel(tenant.workspace_id, id, ASHA);
    await Promise.all(feeding);
    await fixture.feed(tenant);
    expect((await fixture.batch(tenant, id)).counts).toMatchObject({ canceled: 200 });
    expect(await queuedOf(id)).toBe(0);
  });

  /** A database whose transaction breaks at its nth statement, as if the process was killed. */
  function dyingAt(nth: number) {
    const { sql } = fixture;
    let seen = 0;
    const dying = (tx: unknown): unknown =>
      new Proxy(tx as (...parts: unknown[]) => unknown, {
        apply(target, self, parts: unknown[]) {
          const isStatement = Array.isArray(parts[0]) && 'raw' in (parts[0] as object);
          if (isStatement && ++seen === nth) throw new Error('killed');
          return Reflect.apply(target, self, parts);
        },
        get(target, name) {
          const value = Reflect.get(target, name);
          if (name !== 'savepoint') return value;
          return (run: (inner: unknown) => unknown) =>
            (value as typeof sql.begin)((inner) => run(dying(inner)) as never);
        },
      });
    return new Proxy(sql, {
      get(target, name) {
        if (name !== 'begin') return Reflect.get(target, name);
        return (run: (tx: unknown) => unknown) => target.begin((tx) => run(dying(tx)) as never);
      },
    });
  }
});
