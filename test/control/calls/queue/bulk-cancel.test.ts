import { beforeAll, beforeEach, expect, it } from 'vitest';
import { createAgentSaver } from '../../../../control/agents/save-agent.ts';
import { hangUpCall } from '../../../../control/calls/lifecycle/hang-up.ts';
import {
  cancelQueuedCallsOfBatch,
  cancelQueuedCallsOfWorkspace,
  continueBulkCancels,
  failQueuedCallsOfAgent,
  startBulkCancels,
} from '../../../../control/calls/queue/bulk-cancel.ts';
import { dequeueNext } from '../../../../control/calls/queue/call-queue.ts';
import { expireQueuedCalls } from '../../../../control/calls/queue/expire-calls.ts';
import type { Transaction } from '../../../../control/db/connect.ts';
import { newId } from '../../../../shared/ids.ts';
import { toolHeaders } from '../../../support/tool-headers.ts';
import { eventually } from '../../../support/until.ts';
import {
  type CallFixture,
  createCallFixture,
  createTestBus,
  createTestCarrier,
  log,
  type Tenant,
} from '../call-fixture.ts';

const ASHA = { kind: 'user', id: 'asha', name: 'Asha' } as const;

let fixture: CallFixture;
let tenant: Tenant;
/** Subscribes to the lifecycle events. */
let endpoint: string;

beforeAll(async () => {
  fixture = await createCallFixture();
});
beforeEach(async () => {
  tenant = await fixture.tenant(5);
  endpoint = await subscribe(tenant.workspace_id);
});

async function subscribe(workspace_id: string): Promise<string> {
  const id = `we_${newId()}`;
  const row = { workspace_id, id, url: 'https://receiver.example/hook', description: '', events: ['*'], active: true };
  const secret = { secret: Buffer.from('x'), secret_hint: '', created_at: new Date(), created_by: 'tests' };
  await fixture.sql`insert into webhook_endpoints ${fixture.sql({ ...row, ...secret } as never)}`;
  return id;
}

/** Queued calls with their first event, all at once an hour ago, queued after those before. */
async function fill(calls: number, batch_id: string | null = null, agent_id = tenant.agent_id): Promise<void> {
  await fixture.sql`
    insert into calls (
      workspace_id, id, agent_id, agent_name, agent_version, batch_id, direction, channel, status, from_number, to_number,
      started_by, provider, created_at, queued_at, currency, event_seq
    )
    select ${tenant.workspace_id}, md5(${newId()} || at), ${agent_id}, 'Asha', 1, ${batch_id}, 'outbound', 'phone', 'queued',
      ${tenant.number}, '+919811112222', 'tests', 'twilio', moment, moment, 'INR', 1
    from generate_series(1, ${calls}) as at
    cross join lateral (select clock_timestamp() - interval '1 hour' + at * interval '1 microsecond' as moment)`;
}

async function makeBatch(): Promise<string> {
  const { workspace_id, agent_id } = tenant;
  const row = {
    ...{ workspace_id, id: newId(), agent_id, agent_name: 'Asha', name: 'A batch', status: 'running' },
    ...{ from_numbers: [], webhook_url: '', max_attempts: 1, retry_after_minutes: 60, retry_on: [], total: 0 },
    ...{ currency: 'INR', created_by: 'tests', created_at: new Date(), keys: [] },
  };
  await fixture.sql`insert into batches ${fixture.sql(row as never)}`;
  return row.id;
}

async function statuses(agent_id = tenant.agent_id): Promise<Record<string, number>> {
  const rows = await fixture.sql<{ status: string; calls: number }[]>`
    select status, count(*)::integer as calls from calls
    where workspace_id = ${tenant.workspace_id} and agent_id = ${agent_id} group by status`;
  return Object.fromEntries(rows.map(({ status, calls }) => [status, calls]));
}

/** Ended calls of the tenant, their `call.ended` events and deliveries: each once, with the next number. */
async function endsOf() {
  const { sql } = fixture;
  const { workspace_id } = tenant;
  const [row] = await sql<{ over: number; ends: number; in_order: number; deliveries: number; bodies: number }[]>`
    select
      (select count(*)::integer from calls
        where workspace_id = ${workspace_id} and status in ('failed', 'canceled') and ended_at is not null) as over,
      (select count(*)::integer from call_events
        where workspace_id = ${workspace_id} and type = 'call.ended') as ends,
      (select count(*)::integer from call_events e join calls c on c.workspace_id = e.workspace_id and c.id = e.call_id
        where e.workspace_id = ${workspace_id} and e.type = 'call.ended' and e.seq = 2 and c.event_seq = 2) as in_order,
      (select count(distinct call_id)::integer from webhook_deliveries
        where workspace_id = ${workspace_id} and event_type = 'call.ended' and endpoint_id = ${endpoint}
          and status = 'pending') as deliveries,
      (select count(*)::integer from webhook_bodies where workspace_id = ${workspace_id}
        and body::jsonb ->> 'type' = 'call.ended' and id in (
          select d.event_id from webhook_deliveries d where d.workspace_id = ${workspace_id}
            and d.call_id = body::jsonb ->> 'call_id')) as bodies`;
  return row!;
}

const everyOne = (calls: number) => ({
  ...{ over: calls, ends: calls, in_order: calls, deliveries: calls, bodies: calls },
});

const cancelRest = (isStopped?: () => boolean) => continueBulkCancels(fixture, isStopped);
const bulkCancelsLeft = async () =>
  (await fixture.sql`select 1 from bulk_cancels where workspace_id = ${tenant.workspace_id}`).length;

async function deleteAgent(): Promise<void> {
  const { sql, clock } = fixture;
  await sql`update numbers set agent_id = null where agent_id = ${tenant.agent_id}`;
  const onAgentDeleted = async (tx: Transaction, workspaceId: string, agentId: string) => {
    await failQueuedCallsOfAgent(tx, workspaceId, agentId, clock.wall());
  };
  await createAgentSaver({ sql, clock, toolHeaders, onAgentDeleted }).remove(
    tenant.workspace_id,
    tenant.agent_id,
    ASHA,
  );
}

it('ends a short queue with the deletion, without a bulk cancel', async () => {
  await fill(30);
  await fill(20, await makeBatch());
  const another = await fixture.agent(tenant.workspace_id);
  await fill(3, null, another);
  await deleteAgent();
  expect(await statuses()).toEqual({ failed: 50 });
  expect(await statuses(another)).toEqual({ queued: 3 });
  expect(await endsOf()).toEqual(everyOne(50));
  expect(await bulkCancelsLeft()).toBe(0);
  const ends = await fixture.sql`
    select distinct hangup_by, hangup_reason from calls where workspace_id = ${tenant.workspace_id} and status = 'failed'`;
  expect(ends).toEqual([{ hangup_by: 'service', hangup_reason: 'agent deleted' }]);
  const events = await fixture.sql`
    select distinct source, level, message, latency_ms, data from call_events
    where workspace_id = ${tenant.workspace_id} and type = 'call.ended'`;
  const event = { source: 'control', level: 'warning', message: 'agent deleted', latency_ms: null };
  expect(events).toEqual([{ ...event, data: { hangup_by: 'service' } }]);
});

it('ends a thousand calls of a long queue with the deletion, the others after it, and dials none of them', async () => {
  await fill(1_100);
  await fill(600, await makeBatch());
  await fill(100, await makeBatch());
  const another = await fixture.agent(tenant.workspace_id);
  await fill(1, null, another);
  const live = await fixture.sql.begin((tx) => dequeueNext(tx, tenant.workspace_id, fixture.clock.wall()));
  await deleteAgent();
  expect(await statuses()).toEqual({ failed: 1_000, queued: 799, ringing: 1 });
  expect(await bulkCancelsLeft()).toBe(1);
  const next = () => fixture.sql.begin((tx) => dequeueNext(tx, tenant.workspace_id, fixture.clock.wall()));
  expect(await next()).toMatchObject({ agent_id: another });
  expect(await next()).toBeNull();
  expect(await cancelRest()).toBe(799);
  expect(await statuses()).toEqual({ failed: 1_799, ringing: 1 });
  expect(await endsOf()).toEqual(everyOne(1_799));
  expect((await fixture.read(live!.id)).status).toBe('ringing');
  expect(await bulkCancelsLeft()).toBe(0);
  expect(await cancelRest()).toBe(0);
});

it('continues after a crash, ends each call once with concurrent processes, and leaves calls that were ended otherwise', async () => {
  await fill(2_600);
  await deleteAgent();
  // A crash between two commits leaves the rest and the row of the bulk cancel.
  let looks = 0;
  expect(await cancelRest(() => ++looks > 1)).toBe(500);
  expect(await statuses()).toEqual({ failed: 1_500, queued: 1_100 });
  expect(await endsOf()).toEqual(everyOne(1_500));
  expect(await bulkCancelsLeft()).toBe(1);

  const [first] = await fixture.sql<{ id: string }[]>`
    select id from calls where workspace_id = ${tenant.workspace_id} and status = 'queued' order by queued_at, id limit 1`;
  const deps = { ...fixture, log, bus: createTestBus(), carriers: createTestCarrier().carriers };
  await hangUpCall(deps, tenant.workspace_id, first!.id, ASHA);
  const ended = await Promise.all([cancelRest(), cancelRest(), cancelRest()]);
  expect(ended.reduce((sum, each) => sum + each, 0)).toBe(1_099);
  expect(await statuses()).toEqual({ failed: 2_599, canceled: 1 });
  expect(await endsOf()).toEqual(everyOne(2_600));
  expect(await bulkCancelsLeft()).toBe(0);
});

it('runs in the background of several processes', async () => {
  await fill(2_100);
  const loops = [startBulkCancels({ ...fixture, log }), startBulkCancels({ ...fixture, log })];
  try {
    await deleteAgent();
    await eventually('the end of the queue', 60_000, async () => (await bulkCancelsLeft()) === 0 || null);
    expect(await statuses()).toEqual({ failed: 2_100 });
    expect(await endsOf()).toEqual(everyOne(2_100));
  } finally {
    await Promise.all(loops.map((loop) => loop.stop()));
  }
});

it('ends a few hundred calls atomically', async () => {
  await fill(1_300);
  await deleteAgent();
  await fixture.sql`
    create function refuse_one() returns trigger language plpgsql as $$
    begin raise exception 'disk full'; end $$`;
  await fixture.sql`create trigger refuse_one before insert on call_events for each row execute function refuse_one()`;
  await expect(cancelRest()).rejects.toThrow('disk full');
  expect(await statuses()).toEqual({ failed: 1_000, queued: 300 });
  await fixture.sql`drop trigger refuse_one on call_events`;
  expect(await cancelRest()).toBe(300);
  expect(await endsOf()).toEqual(everyOne(1_300));
});

it('does not dial a call chosen just before the deletion', async () => {
  await fill(1_001);
  await fill(2, await makeBatch());
  const meanwhile = await fixture.sql.begin((tx) =>
    dequeueNext(afterTheLook(tx, deleteAgent), tenant.workspace_id, fixture.clock.wall()),
  );
  expect(meanwhile).toBeNull();
  expect(await statuses()).toEqual({ failed: 1_000, queued: 3 });
  expect(await cancelRest()).toBe(3);
  expect(await endsOf()).toEqual(everyOne(1_003));
});

it('does not dial a call chosen just before its agent was paused', async () => {
  await fill(2);
  const pause = async () => {
    await fixture.sql`update agents set status = 'paused' where id = ${tenant.agent_id}`;
  };
  const call = await fixture.sql.begin((tx) =>
    dequeueNext(afterTheLook(tx, pause), tenant.workspace_id, fixture.clock.wall()),
  );
  expect(call).toBeNull();
  expect(await statuses()).toEqual({ queued: 2 });
});

it('ends a long batch with its own reason, and leaves other calls of the agent', async () => {
  const batch = await makeBatch();
  await fill(1_200, batch);
  await fill(5);
  const { sql, clock } = fixture;
  await sql.begin(async (tx) => {
    await tx`update batches set status = 'canceled' where id = ${batch}`;
    const done = await cancelQueuedCallsOfBatch(tx, tenant.workspace_id, batch, 'member', clock.wall());
    expect(done).toBe(1_000);
  });
  // Deleted before the rest is done.
  await sql`delete from batches where id = ${batch}`;
  expect(await cancelRest()).toBe(200);
  expect(await statuses()).toEqual({ canceled: 1_200, queued: 5 });
  const ends = await sql`select distinct hangup_by, hangup_reason from calls where batch_id = ${batch}`;
  expect(ends).toEqual([{ hangup_by: 'member', hangup_reason: 'batch canceled' }]);
  expect(await endsOf()).toEqual(everyOne(1_200));
});

it('ends all queued calls of a closed workspace, and of no other', async () => {
  const other = await fixture.tenant();
  const elsewhere = await fixture.queue(other);
  await fill(900);
  await fill(300, await makeBatch());
  await fill(100, null, await fixture.agent(tenant.workspace_id));
  await fixture.sql.begin(async (tx) => {
    await cancelQueuedCallsOfWorkspace(tx, tenant.workspace_id, fixture.clock.wall());
  });
  expect(await cancelRest()).toBe(300);
  expect(await endsOf()).toEqual(everyOne(1_300));
  expect((await fixture.read(elsewhere.id)).status).toBe('queued');
});

it('expires calls of several workspaces at once, each delivered to its own receivers', async () => {
  const other = await fixture.tenant();
  const ofOther = await subscribe(other.workspace_id);
  await fill(40);
  const elsewhere = await fixture.queue(other);
  await fixture.sql`
    update calls set queued_at = queued_at - interval '25 hours'
    where workspace_id in (${tenant.workspace_id}, ${other.workspace_id})`;
  expect(await expireQueuedCalls(fixture.sql, fixture.clock.wall())).toBe(41);
  expect(await endsOf()).toEqual(everyOne(40));
  expect(await fixture.types(elsewhere)).toEqual(['call.queued', 'call.ended']);
  const deliveries = await fixture.sql`
    select endpoint_id, event_type, event_seq from webhook_deliveries where call_id = ${elsewhere.id} order by event_seq`;
  expect(deliveries).toEqual([
    { endpoint_id: ofOther, event_type: 'call.queued', event_seq: 1 },
    { endpoint_id: ofOther, event_type: 'call.ended', event_seq: 2 },
  ]);
});

/** Runs something once, between the first query for the next calls and their locks. */
function afterTheLook(tx: Transaction, happens: () => Promise<void>): Transaction {
  let happened = false;
  return new Proxy(tx, {
    apply(target, self, args) {
      const query = Reflect.apply(target as never, self, args) as PromiseLike<unknown>;
      const words = args[0] as readonly string[] | undefined;
      if (happened || !Array.isArray(words) || !words.join('').includes('cross join lateral')) return query;
      happened = true;
      return query.then(async (rows) => {
        await happens();
        return rows;
      });
    },
  });
}
