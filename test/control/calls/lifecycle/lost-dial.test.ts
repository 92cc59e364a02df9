import { beforeAll, expect, it } from 'vitest';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import { afterLook, settleLostDial, takeLostDials } from '../../../../control/calls/lifecycle/lost-dial.ts';
import { dequeueNext } from '../../../../control/calls/queue/call-queue.ts';
import type { FoundDials } from '../../../../control/carriers/dial.ts';
import { type CallFixture, createCallFixture, type Tenant } from '../../calls/call-fixture.ts';

let fixture: CallFixture;

beforeAll(async () => {
  fixture = await createCallFixture();
});

const ref = (provider_call_id: string) => ({
  ...{ provider_call_id, provider_request_id: '', status: null, carrier_status: '' },
});
const found = (ids: string[], more: Partial<FoundDials> = {}): FoundDials => ({
  ...{ dials: ids.map(ref), exact: false, complete: true, ...more },
});

/** A call whose dial was requested, and whose answer did not come. */
async function lost(tenant: Tenant): Promise<CallRow> {
  await fixture.queue(tenant);
  return (await fixture.sql.begin((tx) => dequeueNext(tx, tenant.workspace_id, fixture.clock.wall())))!;
}
const settle = (call: CallRow, list: FoundDials | null) =>
  settleLostDial(fixture.sql, call.id, list, fixture.clock.wall());
const idOf = async (call: CallRow) => (await fixture.read(call.id)).provider_call_id;

it('takes the one call of the list that may be it', () => {
  const state = { dial_tries: 0, dialled_at_ms: 0 };
  expect(afterLook(state, found(['CA1']), false, 1_000)).toMatchObject({
    do: 'take',
    dial: { provider_call_id: 'CA1' },
  });
  expect(afterLook(state, found(['CA1', 'CA2']), false, 1_000)).toEqual({ do: 'look again', tries: 0 });
  expect(afterLook(state, found(['CA1']), true, 1_000)).toEqual({ do: 'look again', tries: 0 });
});

it('gives up only where the list has all calls, after three looks and 30 seconds', () => {
  const looked = (dial_tries: number, list: FoundDials | null, nowMs: number) =>
    afterLook({ dial_tries, dialled_at_ms: 0 }, list, false, nowMs);
  expect(looked(2, found([]), 30_000)).toEqual({ do: 'give up' });
  expect(looked(1, found([]), 30_000)).toEqual({ do: 'look again', tries: 2 });
  expect(looked(2, found([]), 29_999)).toEqual({ do: 'look again', tries: 3 });
  expect(looked(9, found([], { complete: false }), 60_000)).toEqual({ do: 'look again', tries: 9 });
  expect(looked(9, null, 60_000)).toEqual({ do: 'look again', tries: 9 });
});

it("leaves out the ids of the service's other calls", async () => {
  const tenant = await fixture.tenant();
  const other = await fixture.ringing(tenant, 'CA-other');
  const call = await lost(tenant);
  await settle(call, found(['CA-other', 'CA-mine']));
  expect([await idOf(other), await idOf(call)]).toEqual(['CA-other', 'CA-mine']);
});

it('does not choose between two lost dials of the same numbers, unless the carrier knows their ids', async () => {
  const tenant = await fixture.tenant();
  const [first, second] = [await lost(tenant), await lost(tenant)];
  await settle(first, found(['CA-one']));
  expect(await idOf(first)).toBe('');
  await settle(first, found(['CA-one'], { exact: true }));
  expect(await idOf(first)).toBe('CA-one');
  await settle(second, found(['CA-one', 'CA-two']));
  expect(await idOf(second)).toBe('CA-two');
});

it('is looked up by one process at a time, and by another one when that does not write what it saw', async () => {
  const call = await lost(await fixture.tenant());
  const { sql, clock } = fixture;
  const take = async () => (await takeLostDials(sql, 10, clock.wall())).filter(({ id }) => id === call.id).length;
  expect(await take()).toBe(0);
  clock.shift(15_000);
  expect(await Promise.all([take(), take()]).then((taken) => taken.sort())).toEqual([0, 1]);
  expect(await take()).toBe(0);
  clock.shift(15_000);
  expect(await take()).toBe(1);
});

it('a call that was found but is hung up already is not wanted any more', async () => {
  const call = await lost(await fixture.tenant());
  await fixture.sql`update calls set hangup_requested_reason = 'hung up by Ravi' where id = ${call.id}`;
  expect((await settle(call, found(['CA-unwanted']))).unwanted).toMatchObject({ provider_call_id: 'CA-unwanted' });
});

it('fails a call that the carrier never had, and looks again before', async () => {
  const call = await lost(await fixture.tenant());
  const { sql, clock } = fixture;
  await settle(call, found([]));
  expect(await fixture.read(call.id)).toMatchObject({ status: 'ringing', dial_state: 'unknown', dial_tries: 1 });
  await sql`update live_calls set dial_tries = 2 where id = ${call.id}`;
  clock.shift(31_000);
  await settle(call, found([]));
  expect(await fixture.read(call.id)).toMatchObject({
    ...{ status: 'failed', hangup_reason: 'dial refused: the carrier does not know the call' },
  });
});

it('is not looked for when its stream or a callback came, or it is over', async () => {
  const [opened, over] = [await lost(await fixture.tenant()), await lost(await fixture.tenant())];
  await fixture.sql`update live_calls set media_nonce = ${'n'.repeat(16)} where id = ${opened.id}`;
  await settle(opened, found(['CA-another']));
  expect(await fixture.read(opened.id)).toMatchObject({ dial_state: '', dial_due_at: null, provider_call_id: '' });
  await fixture.sql`update live_calls set status = 'in-progress' where id = ${over.id}`;
  await settle(over, found(['CA-late']));
  expect(await idOf(over)).toBe('');
});
