import { beforeAll, describe, expect, it } from 'vitest';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import { ingest } from '../../../../control/calls/events/ingest.ts';
import { changeCall, endUnconnected } from '../../../../control/calls/lifecycle/call-state-machine.ts';
import { moveCallsLeftBehind } from '../../../../control/calls/lifecycle/move-finished-calls.ts';
import { bulkCancel } from '../../../../control/calls/queue/bulk-cancel.ts';
import { lockCall, lockCallById, lockCallOfCarrier } from '../../../../control/calls/store.ts';
import type { Transaction } from '../../../../control/db/connect.ts';
import { type CallFixture, createCallFixture, delivered, log, type Tenant, wholeCall } from '../call-fixture.ts';

let fixture: CallFixture;
let tenant: Tenant;

beforeAll(async () => {
  fixture = await createCallFixture();
  tenant = await fixture.tenant(100);
});

const BUSY = {
  status: 'busy',
  hangup_by: 'carrier',
  hangup_reason: 'busy',
  level: 'warning',
  message: 'not connected: busy',
} as const;

async function tableOf({ id }: Pick<CallRow, 'id'>): Promise<string> {
  const [row] = await fixture.sql`select tableoid::regclass::text as name from calls where id = ${id}`;
  return row!.name;
}

/** Resolves when a statement waits for a row's lock. */
const aWaiter = () =>
  expect
    .poll(
      async () =>
        (
          await fixture.sql`select from pg_locks join pg_stat_activity using (pid)
          where not granted and pg_stat_activity.datname = current_database()`
        ).length,
      { timeout: 60_000 },
    )
    .toBe(1);

const LOCKS: [string, (tx: Transaction, call: CallRow) => Promise<CallRow | null>][] = [
  ['its id', (tx, { id }) => lockCallById(tx, id)],
  ['its workspace and id', (tx, { workspace_id, id }) => lockCall(tx, workspace_id, id)],
  ["the carrier's id", (tx, { provider_call_id }) => lockCallOfCarrier(tx, 'twilio', provider_call_id)],
];

it.each(LOCKS)('a transaction that waits for a call by %s gets the row that was moved meanwhile', async (_, lock) => {
  const call = await fixture.ringing(tenant);
  let waiting: Promise<CallRow | null> | undefined;
  await fixture.sql.begin(async (tx) => {
    const held = await lock(tx, call);
    waiting = fixture.sql.begin((other) => lock(other, call));
    await aWaiter();
    await endUnconnected(tx, held!, BUSY, fixture.clock.wall());
  });
  expect(await waiting).toMatchObject({ id: call.id, status: 'busy', finished: true });
});

it('a call that is finished keeps every column, and can be changed', async () => {
  const call = await fixture.ringing(tenant);
  expect(await tableOf(call)).toBe('live_calls');
  const ended = await fixture.sql.begin(async (tx) => {
    const held = (await lockCallById(tx, call.id))!;
    await endUnconnected(tx, held, BUSY, fixture.clock.wall());
    await changeCall(tx, held, { summary: 'late' });
    return held;
  });
  expect(await tableOf(call)).toMatch(/^finished_calls_/);
  expect(await fixture.read(call.id)).toEqual(ended);
  expect(ended).toMatchObject({ finished: true, summary: 'late', provider_call_id: call.provider_call_id });
});

describe('a call is finished', () => {
  const play = (events: ReturnType<typeof wholeCall>) =>
    ingest(
      { sql: fixture.sql, clock: fixture.clock, log },
      events.map((event) => delivered(event)),
    );

  it('when it is completed, and its late events are still written', async () => {
    const call = await fixture.opened(tenant);
    // Nothing is analysed after a failure.
    const events = wholeCall(call.id, { hangup_by: 'service', hangup_reason: 'error: media' });
    await play(events.slice(0, 3));
    expect(await tableOf(call)).toBe('live_calls');
    await play([...events.slice(3), { ...events[1]!, seq: 6, transcript: [] }]);
    expect(await tableOf(call)).toMatch(/^finished_calls_/);
    const types = await fixture.types(call);
    expect([types.at(-2), types.at(-1)]).toEqual(['call.completed', 'welcome']);
    expect(await fixture.read(call.id)).toMatchObject({ event_seq: types.length, media_seq: 6 });
  });

  it('when it is canceled with the rest of its queue', async () => {
    const other = await fixture.tenant();
    const calls = [await fixture.queue(other), await fixture.queue(other)];
    const scope = { workspace_id: other.workspace_id, agent_id: null, batch_id: null };
    const end = {
      status: 'canceled',
      hangup_by: 'service',
      hangup_reason: 'canceled while queued',
      level: 'info',
    } as const;
    await fixture.sql.begin((tx) => bulkCancel(tx, scope, end, fixture.clock.wall()));
    for (const call of calls) expect(await tableOf(call)).toMatch(/^finished_calls_/);
  });
});

it('calls that an earlier program left behind are moved, and no others', async () => {
  const left = await fixture.ringing(tenant);
  const live = await fixture.ringing(tenant);
  const awaited = await fixture.opened(tenant);
  await fixture.sql`update calls set status = 'no-answer', ended_at = now() where id = ${left.id}`;
  await fixture.sql`
    update calls set status = 'failed', started_at = now(), ended_at = now() where id = ${awaited.id}`;
  expect(await moveCallsLeftBehind(fixture.sql)).toBe(1);
  expect(await tableOf(left)).toMatch(/^finished_calls_/);
  expect([await tableOf(live), await tableOf(awaited)]).toEqual(['live_calls', 'live_calls']);
});
