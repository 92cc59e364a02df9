import { beforeAll, expect, it } from 'vitest';
import type { CallProvider } from '../../../control/calls/call-row.ts';
import {
  cancelQueuedCallsOfBatch,
  cancelQueuedCallsOfWorkspace,
  failQueuedCallsOfAgent,
} from '../../../control/calls/queue/bulk-cancel.ts';
import { liveCallsOf } from '../../../control/calls/queue/call-concurrency.ts';
import { dequeueCalls, dequeueNext } from '../../../control/calls/queue/call-queue.ts';
import { placeCall, placeCallsIn } from '../../../control/calls/queue/place-call.ts';
import { queuePositions } from '../../../control/calls/queue/queue-position.ts';
import { workspacesInTurn } from '../../../control/calls/queue/queues.ts';
import type { Sql, Transaction } from '../../../control/db/connect.ts';
import { callsWithoutEngine } from '../../../control/dispatch/dispatcher.ts';
import { newId } from '../../../shared/ids.ts';
import { connectExplained, type Plan } from '../../support/executed-plans.ts';
import { type CallFixture, createCallFixture, type Tenant } from '../calls/call-fixture.ts';

/**
 * Checks what the queue's statements read with 20,000 queued calls, or QUEUED: auto_explain reports every executed statement with
 * rows and buffers. No statement may read rows in proportion to the queue.
 */

const QUEUED = Number(process.env.QUEUED ?? 20_000);
const ACTOR = { kind: 'user', id: 'tester', name: 'tests' } as const;

let fixture: CallFixture;
let watched: Sql;
let plansOf: (run: () => Promise<unknown>) => Promise<Plan[]>;
let tenant: Tenant;
let batchId: string;

beforeAll(async () => {
  fixture = await createCallFixture();
  tenant = await fixture.tenant(5);
  const { workspace_id } = tenant;
  const paused = { ...tenant, agent_id: await fixture.agent(workspace_id) };
  for (let index = 0; index < 20; index++) await fixture.agent(workspace_id);
  batchId = await makeBatch('running');
  await fill(tenant, batchId, QUEUED / 2);
  await fill(tenant, await makeBatch('paused'), QUEUED / 4);
  await fill(paused, null, QUEUED / 4);
  await fixture.sql`update agents set status = 'paused' where id = ${paused.agent_id}`;
  for (let index = 0; index < 20; index++) await fixture.tenant();
  await fixture.sql`analyze`;

  ({ sql: watched, plansOf } = await connectExplained(fixture.url));
});

async function makeBatch(status: string): Promise<string> {
  const { workspace_id, agent_id } = tenant;
  const row = {
    ...{ workspace_id, id: newId(), agent_id, agent_name: 'Asha', name: 'A batch', status },
    ...{ from_numbers: [], webhook_url: '', max_attempts: 1, retry_after_minutes: 60, retry_on: [], total: 0 },
    ...{ currency: 'INR', created_by: 'tests', created_at: new Date(), keys: [] },
  };
  await fixture.sql`insert into batches ${fixture.sql(row as never)}`;
  return row.id;
}

/** Queued calls, all at once an hour ago. */
async function fill({ workspace_id, agent_id, number }: Tenant, batch_id: string | null, calls: number): Promise<void> {
  await fixture.sql`
    insert into calls (
      workspace_id, id, agent_id, agent_name, agent_version, batch_id, direction, channel, status, from_number, to_number,
      started_by, provider, created_at, queued_at, currency
    )
    select ${workspace_id}, md5(${newId()} || at), ${agent_id}, 'Asha', 1, ${batch_id}, 'outbound', 'phone', 'queued',
      ${number}, '+919811112222', 'tests', 'twilio', moment, moment, 'INR'
    from generate_series(1, ${calls}) as at
    cross join lateral (select now() - interval '1 hour' + at * interval '10 ms' as moment)`;
}

/** Rows read by the nodes over calls, filtered ones included, and blocks of the whole plan. */
function readBy(plan: Plan): { rows: number; blocks: number; scans: string[] } {
  const inner = (plan.Plans ?? []).map(readBy);
  const rows = inner.reduce((sum, each) => sum + each.rows, 0);
  const scans = inner.flatMap((each) => each.scans);
  const blocks = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  if (plan['Relation Name'] !== 'live_calls') return { rows, blocks, scans };
  const thrownAway = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const own = (plan['Actual Rows'] + thrownAway) * plan['Actual Loops'];
  return { rows: rows + own, blocks, scans: [...scans, plan['Node Type']] };
}

async function reads(run: () => Promise<unknown>) {
  const plans = await plansOf(run);
  // Notices arrive before the result they belong to.
  expect(plans.length).toBeGreaterThan(0);
  const all = plans.map(readBy);
  return {
    rows: Math.max(...all.map(({ rows }) => rows)),
    blocks: Math.max(...all.map(({ blocks }) => blocks)),
    scans: all.flatMap(({ scans }) => scans),
  };
}

it('finds the next call with a probe for each agent and each running batch', async () => {
  const single = await fixture.queue(tenant);
  const { workspace_id } = tenant;
  // Often enough for PostgreSQL to switch to a generic plan.
  for (let time = 0; time < 12; time++) {
    const read = await reads(() =>
      watched.begin(async (tx) => {
        const call = await dequeueNext(tx, workspace_id, fixture.clock.wall());
        expect(call?.batch_id).toBe(time === 0 ? null : batchId);
        // Slots do not matter here.
        await tx`update live_calls set status = 'busy' where id = ${call!.id}`;
        if (time === 0) expect(call!.id).toBe(single.id);
      }),
    );
    expect(read.scans).not.toContain('Seq Scan');
    expect(read.rows).toBeLessThan(100);
    expect(read.blocks).toBeLessThan(500);
  }
});

it('skips a batch at its limit without reading its calls', async () => {
  const { workspace_id } = tenant;
  await watched
    .begin(async (tx) => {
      for (let live = 0; live < 4; live++) await dequeueNext(tx, workspace_id, fixture.clock.wall());
      const read = await reads(async () => {
        expect(await dequeueNext(tx, workspace_id, fixture.clock.wall())).toBeNull();
        expect((await liveCallsOf(tx, workspace_id)).ofBatches).toBe(4);
      });
      expect(read.scans).not.toContain('Seq Scan');
      expect(read.rows).toBeLessThan(100);
      expect(read.blocks).toBeLessThan(500);
      throw new Error('undone');
    })
    .catch((error: Error) => expect(error.message).toBe('undone'));
});

it('finds the next call behind those of a carrier that is full without reading these', async () => {
  const { workspace_id } = tenant;
  const limits = { isFull: (provider: CallProvider) => provider === 'twilio', take: async () => true };
  const [last] = await watched<{ id: string }[]>`
    select id from live_calls where batch_id = ${batchId} and status = 'queued' order by queued_at desc limit 1`;
  await watched`update live_calls set provider = 'plivo' where id = ${last!.id}`;
  for (let time = 0; time < 12; time++) {
    const read = await reads(async () => {
      const undone = watched.begin(async (tx) => {
        const calls = await dequeueCalls(tx, workspace_id, 1, fixture.clock.wall(), limits);
        expect(calls.map(({ id }) => id)).toEqual([last!.id]);
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
    });
    expect(read.scans).not.toContain('Seq Scan');
    expect(read.rows).toBeLessThan(100);
    expect(read.blocks).toBeLessThan(1_000);
  }
  await watched`update live_calls set provider = 'twilio' where id = ${last!.id}`;
});

it('finds the workspaces with a queue without reading their queues', async () => {
  const other = await fixture.tenant();
  await fixture.queue(other);
  for (let time = 0; time < 7; time++) {
    const read = await reads(async () => {
      const turn = await workspacesInTurn(watched, fixture.clock.wall());
      expect(turn).toHaveLength(2);
      expect(turn).toContain(other.workspace_id);
      await callsWithoutEngine(watched);
    });
    expect(read.scans).not.toContain('Seq Scan');
    expect(read.rows).toBeLessThan(100);
    expect(read.blocks).toBeLessThan(500);
  }
});

it('places a call at the cost of counting a thousand', async () => {
  const { workspace_id, agent_id } = tenant;
  const request = { workspace_id, agent_id, to_number: '+919811112222', user_data: {}, actor: ACTOR };
  for (let time = 0; time < 7; time++) {
    const read = await reads(() => placeCall(watched, fixture.clock, request));
    expect(read.scans).not.toContain('Seq Scan');
    expect(read.rows).toBeLessThanOrEqual(1_001);
  }
  const calls = [{ to_number: '+919811112222', user_data: {} }];
  const ofBatch = { workspace_id, agent_id, actor: ACTOR, batch_id: batchId, calls };
  const [call] = await watched.begin((tx) => placeCallsIn(tx, fixture.clock.wall(), ofBatch));
  expect(call!.queue_position).toBe(1_001);
  const [queued] = await fixture.timeline(call!);
  expect(queued).toMatchObject({ message: 'queued far behind', data: { position: 1_001 } });
  const read = await reads(() => queuePositions(watched, workspace_id, [call!.id], fixture.clock.wall()));
  expect(read.rows).toBeLessThan(2_100);
});

it('ends a long queue by reading the calls that it ends', async () => {
  const { workspace_id, agent_id } = tenant;
  const nowMs = fixture.clock.wall();
  const ends: [string, (tx: Transaction) => Promise<number>][] = [
    ['of a batch', (tx) => cancelQueuedCallsOfBatch(tx, workspace_id, batchId, 'member', nowMs)],
    ['of an agent', (tx) => failQueuedCallsOfAgent(tx, workspace_id, agent_id, nowMs)],
    ['of a workspace', (tx) => cancelQueuedCallsOfWorkspace(tx, workspace_id, nowMs)],
  ];
  for (const [whose, end] of ends) {
    // Often enough for PostgreSQL to switch to a generic plan.
    for (let time = 0; time < 7; time++) {
      const read = await reads(async () => {
        const undone = watched.begin(async (tx) => {
          expect(await end(tx)).toBe(1_000);
          throw new Error('undone');
        });
        await expect(undone).rejects.toThrow('undone');
      });
      expect(read.scans, whose).not.toContain('Seq Scan');
      // The thousand in the query and in the update, and a few that the plan skips.
      expect(read.rows, whose).toBeLessThan(2_600);
    }
  }
});
