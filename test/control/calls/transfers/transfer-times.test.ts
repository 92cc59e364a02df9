import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { reconcileTransfers } from '../../../../control/calls/transfers/transfer-reconciler.ts';
import type { TransferState } from '../../../../control/calls/transfers/transfer-row.ts';
import { newId } from '../../../../shared/ids.ts';
import { log } from '../call-fixture.ts';
import { createTransferFixture, type TransferFixture } from './transfer-fixture.ts';

/** How long the states of a transfer may last, to the millisecond. */

let fixture: TransferFixture;

beforeAll(async () => {
  fixture = await createTransferFixture();
});
beforeEach(() => fixture.reset());

/** A run of the reconciler so long after the transfer came into its state. */
async function roundAfter(id: string, ms: number): Promise<void> {
  const { state_at } = await fixture.row(id);
  const clock = { ...fixture.clock, wall: () => state_at.getTime() + ms };
  await reconcileTransfers({ sql: fixture.sql, clock, log, transfers: fixture.controller });
}
async function inState(state: TransferState, warm = true) {
  const call = await fixture.inConversation();
  const { id } = await fixture.start(call, warm);
  await fixture.sql`update transfers set state = ${state} where id = ${id}`;
  return { call, id };
}
const dial = (provider_call_id = `CA-${newId()}`) => ({
  ...{ provider_call_id, provider_request_id: '', status: null, carrier_status: 'ringing' },
});

it.each([
  ['starting', 30_000, 'failed'],
  ['ringing', 45_000, 'no-answer'],
  ['briefing', 75_000, 'failed'],
  ['joining', 25_000, 'failed'],
] as const)('is %s for %d ms at most', async (state, ms, status) => {
  const { id } = await inState(state);
  await roundAfter(id, ms);
  expect((await fixture.row(id)).status).toBeNull();
  await roundAfter(id, ms + 1);
  expect(await fixture.row(id)).toMatchObject({ state: 'over', status });
});

it('ends a talk of which the carrier reports no end after five hours', async () => {
  const { call, id } = await inState('ringing', false);
  await fixture.controller.dialStatus('twilio', id, { event: 'answered', status: null, dial_status: '' });
  await fixture.ended(call.id, 2, 'transferred');
  await roundAfter(id, 5 * 3_600_000);
  expect((await fixture.row(id)).state).toBe('talking');
  await roundAfter(id, 5 * 3_600_000 + 1);
  expect(await fixture.row(id)).toMatchObject({ state: 'over', status: 'answered' });
});

it('goes on after the call when the engine let go of the caller, or the transfer is cold', async () => {
  const warm = await inState('joining');
  const cold = await inState('ringing', false);
  for (const { call } of [warm, cold]) await fixture.ended(call.id, 2, 'transferred');
  await fixture.round();
  for (const { id } of [warm, cold]) expect((await fixture.row(id)).status).toBeNull();
});

it.each([
  ['joining', 'caller hung up'],
  ['briefing', 'transferred'],
] as const)('is canceled when the caller leaves it %s: %s', async (state, reason) => {
  const { call, id } = await inState(state);
  await fixture.ended(call.id, 2, reason);
  await fixture.round();
  expect((await fixture.row(id)).status).toBe('canceled');
});

describe('a target whose dial is not answered', () => {
  beforeEach(() => {
    fixture.behaves.dial = async () => ({ accepted: 'unknown', reason: '' });
  });
  const ringing = async () => (await fixture.start(await fixture.inConversation(), true)).id;

  it('is given up after twelve seconds without it in the list', async () => {
    fixture.behaves.listed = { dials: [], exact: false, complete: true };
    const id = await ringing();
    await roundAfter(id, 11_999);
    expect((await fixture.row(id)).status).toBeNull();
    await roundAfter(id, 12_000);
    expect((await fixture.row(id)).status).toBe('failed');
  });

  it.each([
    ['the list has two that it may be', { dials: [dial(), dial()], exact: false, complete: true }],
    ["the list is by the service's own ids", { dials: [dial()], exact: true, complete: true }],
  ])('is not taken or given up when %s', async (_, list) => {
    fixture.behaves.listed = list;
    const id = await ringing();
    await roundAfter(id, 20_000);
    expect(await fixture.row(id)).toMatchObject({ target_call_id: '', status: null });
  });

  it('is none of the targets that the call had before', async () => {
    const call = await fixture.inConversation();
    const first = dial();
    fixture.behaves.listed = { dials: [first], exact: false, complete: true };
    const before = await fixture.start(call, true);
    await roundAfter(before.id, 4_000);
    await fixture.controller.giveUp('twilio', before.id, { status: 'no-answer', dial_status: '' });
    const second = dial();
    fixture.behaves.listed = { dials: [first, second], exact: false, complete: true };
    const { id } = await fixture.start(call, true);
    await roundAfter(id, 4_000);
    expect((await fixture.row(id)).target_call_id).toBe(second.provider_call_id);
  });

  it('keeps the id that a callback brought while the list was read', async () => {
    const id = await ringing();
    fixture.behaves.listed = { dials: [dial()], exact: false, complete: true };
    const stale = await fixture.row(id);
    await fixture.sql`update transfers set target_call_id = 'CA-callback' where id = ${id}`;
    await fixture.controller.lookUpTarget(stale);
    expect((await fixture.row(id)).target_call_id).toBe('CA-callback');
  });
});
