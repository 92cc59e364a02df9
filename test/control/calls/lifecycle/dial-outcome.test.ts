import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import {
  dialAgain,
  isOfEarlierDial,
  markPlaced,
  writeDialOutcome,
} from '../../../../control/calls/lifecycle/dial-outcome.ts';
import { dequeueNext } from '../../../../control/calls/queue/call-queue.ts';
import { lockCallById } from '../../../../control/calls/store.ts';
import type { CarrierCallRef } from '../../../../control/carriers/callback.ts';
import type { DialOutcome } from '../../../../control/carriers/dial.ts';
import type { Transaction } from '../../../../control/db/connect.ts';
import { type CallFixture, createCallFixture, type Tenant } from '../call-fixture.ts';

/** All calls are due by then. */
const NOW = Date.now() + 3_600_000;

let fixture: CallFixture;
let tenant: Tenant;

beforeAll(async () => {
  fixture = await createCallFixture();
  tenant = await fixture.tenant(100);
});
// An id of the carrier is one live call's.
beforeEach(() => fixture.sql`delete from live_calls`);

const ids = (provider_call_id: string, provider_request_id = ''): CarrierCallRef => ({
  ...{ provider_call_id, provider_request_id },
});

/** A call that is being dialled. */
async function dialled(change: Partial<CallRow> = {}): Promise<CallRow> {
  await fixture.queue(tenant);
  const call = (await fixture.sql.begin((tx) => dequeueNext(tx, tenant.workspace_id, NOW)))!;
  if (Object.keys(change).length > 0)
    await fixture.sql`update live_calls set ${fixture.sql(change as never)} where id = ${call.id}`;
  return fixture.read(call.id);
}
const write = ({ id }: CallRow, outcome: DialOutcome, workspaceId = tenant.workspace_id) =>
  writeDialOutcome(fixture.sql, workspaceId, id, outcome, NOW);
const accept = (call: CallRow, ref = ids('CA-1', 'R-1')) => write(call, { accepted: true, ...ref });
const holding = <Result>({ id }: CallRow, run: (tx: Transaction, call: CallRow) => Promise<Result>) =>
  fixture.sql.begin(async (tx) => run(tx, (await lockCallById(tx, id))!)) as Promise<Result>;
const placed = async (call: CallRow) => (await fixture.types(call)).filter((type) => type === 'call.placed').length;

describe('the answer to a dial request', () => {
  it('that accepts places the call with both ids', async () => {
    const call = await dialled();
    expect(await accept(call)).toBeNull();
    expect(await fixture.read(call.id)).toMatchObject({
      ...{ status: 'ringing', placed_at: new Date(NOW), dial_state: '', dial_due_at: null },
      ...ids('CA-1', 'R-1'),
    });
    expect(await placed(call)).toBe(1);
  });

  it('that accepts a call which is over, or being hung up, returns it for the hang-up', async () => {
    const [over, leaving] = [await dialled(), await dialled({ hangup_requested_reason: 'hung up by Ravi' })];
    await write(over, { accepted: false, reason: 'no' });
    expect(await accept(over)).toMatchObject({ id: over.id, provider_call_id: 'CA-1' });
    expect(await accept(leaving)).toMatchObject({ id: leaving.id, provider_call_id: 'CA-1' });
    expect([await placed(over), await placed(leaving)]).toEqual([0, 1]);
  });

  it('that accepts a connected call leaves the hang-up to its engine', async () => {
    const call = await dialled({ hangup_requested_reason: 'hung up by Ravi' });
    await fixture.sql`update live_calls set status = 'in-progress', started_at = now() where id = ${call.id}`;
    expect(await accept(call)).toBeNull();
  });

  it.each([
    ['the carrier', undefined],
    ['the service', 'service'],
  ] as const)('that refuses ends the call, by %s', async (_, by) => {
    const call = await dialled();
    expect(await write(call, { accepted: false, reason: 'Invalid number', ...(by ? { by } : {}) })).toBeNull();
    expect(await fixture.read(call.id)).toMatchObject({
      ...{ status: 'failed', hangup_by: by ?? 'carrier', hangup_reason: 'dial refused: Invalid number' },
    });
  });

  it.each([
    ['refuses', { accepted: false, reason: 'no' }],
    ['does not come', { accepted: 'unknown', reason: 'no' }],
    ['asks for it later', { accepted: 'later', reason: 'no', retry_after_ms: null }],
  ] as const)('that %s changes nothing when a callback placed the call, or its stream came', async (_, outcome) => {
    for (const known of [{ placed_at: new Date(NOW) }, { media_nonce: 'n'.repeat(16) }]) {
      const call = await dialled(known);
      await write(call, outcome);
      expect(await fixture.read(call.id)).toEqual(call);
    }
  });

  it('that comes late does not change a call that is over', async () => {
    const call = await dialled();
    await write(call, { accepted: false, reason: 'no' });
    const over = await fixture.read(call.id);
    await write(call, { accepted: 'unknown', reason: 'no' });
    expect(await fixture.read(call.id)).toEqual(over);
  });

  it('that does not come is looked for after a second', async () => {
    const call = await dialled();
    await write(call, { accepted: 'unknown', reason: 'no' });
    expect(await fixture.read(call.id)).toMatchObject({ dial_state: 'unknown', dial_due_at: new Date(NOW + 1_000) });
  });

  it.each([
    ['a second, where the carrier gives no time', null, 1_000],
    ['the time that the carrier gives', 7_000, 7_000],
    ['a minute at most', 600_000, 60_000],
  ])('that asks for it later waits for %s', async (_, retry_after_ms, waitMs) => {
    const call = await dialled();
    await write(call, { accepted: 'later', reason: 'slow', retry_after_ms });
    expect(await fixture.read(call.id)).toMatchObject({
      ...{ status: 'ringing', dial_state: 'slowed', dial_due_at: new Date(NOW + waitMs), dial_tries: 1 },
    });
  });

  it('that asks for it later for the eleventh time is a refusal', async () => {
    const [tenth, eleventh] = [await dialled({ dial_tries: 9 }), await dialled({ dial_tries: 10 })];
    for (const call of [tenth, eleventh])
      await write(call, { accepted: 'later', reason: 'slow', retry_after_ms: null });
    expect((await fixture.read(tenth.id)).dial_tries).toBe(10);
    expect(await fixture.read(eleventh.id)).toMatchObject({ status: 'failed', hangup_reason: 'dial refused: slow' });
  });

  it('is for a call of the workspace', async () => {
    const call = await dialled();
    await write(call, { accepted: false, reason: 'no' }, (await fixture.tenant()).workspace_id);
    expect((await fixture.read(call.id)).status).toBe('ringing');
  });
});

describe('a call that the carrier ended for too many calls at once', () => {
  const again = (call: CallRow, ref = ids('CA-1', 'R-1')) => holding(call, (tx, held) => dialAgain(tx, held, ref, NOW));

  it('is dialled again after a second', async () => {
    const call = await dialled({ dial_state: '', placed_at: new Date(NOW), ...ids('CA-1', 'R-1'), dial_tries: 9 });
    expect(await again(call)).toBe(true);
    expect(await fixture.read(call.id)).toMatchObject({
      ...{ dial_state: 'slowed', dial_due_at: new Date(NOW + 1_000), dial_tries: 10, placed_at: null },
      ...ids('', 'R-1'),
    });
  });

  it.each([
    ['its stream came', { media_nonce: 'n'.repeat(16) }],
    ['it came in', { direction: 'inbound' }],
    ['it is connected', { status: 'in-progress' }],
    ['somebody hung up', { hangup_requested_reason: 'hung up by Ravi' }],
    ['it was tried ten times', { dial_tries: 10 }],
  ] as const)('is not when %s', async (_, change) => {
    const call = await dialled(change);
    expect(await again(call)).toBe(false);
    expect(await fixture.read(call.id)).toEqual(call);
  });

  it('is not when the request has no id to recognize its callbacks by', async () => {
    expect(await again(await dialled(), ids('CA-1'))).toBe(false);
  });
});

it("recognizes an earlier dial's callbacks by the id of its request", () => {
  const call = (dial_state: CallRow['dial_state'], provider_request_id: string, dial_tries: number) =>
    ({ dial_state, provider_request_id, dial_tries }) as CallRow;
  const earlier = (of: CallRow, id: string) => isOfEarlierDial(of, ids('CA-1', id));
  // Not accepted yet: the row has the id of the dial before.
  expect([earlier(call('requested', 'R-1', 1), 'R-1'), earlier(call('requested', 'R-1', 1), 'R-2')]).toEqual([
    true,
    false,
  ]);
  // Accepted: the row has the id of this one.
  expect([earlier(call('', 'R-2', 1), 'R-1'), earlier(call('', 'R-2', 1), 'R-2')]).toEqual([true, false]);
  // Without an earlier dial, or without ids.
  expect([
    earlier(call('', 'R-2', 0), 'R-1'),
    earlier(call('', '', 1), 'R-1'),
    earlier(call('', 'R-2', 1), ''),
  ]).toEqual([...[false, false, false]]);
  expect(earlier(call('requested', '', 1), '')).toBe(false);
});

describe("the carrier's ids", () => {
  const mark = (call: CallRow, ref: CarrierCallRef) => holding(call, (tx, held) => markPlaced(tx, held, ref, NOW));

  it('stay as they were first known, and the empty ones of a callback change nothing', async () => {
    const call = await dialled();
    await mark(call, ids('CA-1', 'R-1'));
    await mark(call, ids('CA-2', 'R-2'));
    await mark(call, ids('', ''));
    expect(await fixture.read(call.id)).toMatchObject(ids('CA-1', 'R-1'));
    expect(await placed(call)).toBe(1);
  });

  it('may be missing', async () => {
    const call = await dialled();
    await mark(call, ids(''));
    expect(await fixture.read(call.id)).toMatchObject({ placed_at: new Date(NOW), dial_state: '', ...ids('') });
  });

  it("of the next dial replace the first one's request, and the call is placed on the timeline once", async () => {
    const call = await dialled();
    await mark(call, ids('CA-1', 'R-1'));
    await holding(call, (tx, held) => dialAgain(tx, held, ids('CA-1', 'R-1'), NOW));
    await mark(call, ids('CA-1', 'R-1'));
    expect((await fixture.read(call.id)).placed_at).toBeNull();
    await mark(call, ids('CA-2', 'R-2'));
    expect(await fixture.read(call.id)).toMatchObject({ placed_at: new Date(NOW), ...ids('CA-2', 'R-2') });
    expect(await placed(call)).toBe(1);
  });

  it('place a call that is dialled again after an answer that asked for it later', async () => {
    const call = await dialled();
    await write(call, { accepted: 'later', reason: 'slow', retry_after_ms: null });
    await mark(call, ids('CA-1', 'R-1'));
    expect(await placed(call)).toBe(1);
  });

  it('of an incoming call, or of one that is over, do not place it', async () => {
    const incoming = await dialled({ direction: 'inbound' });
    await mark(incoming, ids('CA-1'));
    expect((await fixture.read(incoming.id)).placed_at).toBeNull();
    expect(await placed(incoming)).toBe(0);
  });
});
