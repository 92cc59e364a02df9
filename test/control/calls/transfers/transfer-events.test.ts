import { beforeAll, beforeEach, expect, it } from 'vitest';
import { markCallerEnded } from '../../../../control/calls/transfers/transfer-row.ts';
import { CarrierError } from '../../../../control/carriers/carrier.ts';
import { newId } from '../../../../shared/ids.ts';
import { carrierCallback } from '../call-fixture.ts';
import { createTransferFixture, type TransferFixture } from './transfer-fixture.ts';

/** The carrier's events of warm transfers in every order: early, repeated, late, and of legs that are over. */

let fixture: TransferFixture;

beforeAll(async () => {
  fixture = await createTransferFixture();
});
beforeEach(() => fixture.reset());

/** A warm transfer whose target rings. */
async function ringing() {
  const call = await fixture.inConversation();
  return { call, ...(await fixture.start(call, true)) };
}
const answered = async (id: string) => fixture.controller.targetAnswered('twilio', id, await fixture.ofTarget(id));
const briefed = async (id: string) => fixture.controller.targetBriefed('twilio', id, await fixture.ofTarget(id));
const targetIs = async (id: string, status: 'ringing' | 'in-progress' | 'busy' | 'completed') =>
  fixture.controller.targetStatus('twilio', id, await fixture.ofTarget(id, status));

/** One whose caller talks with the target. */
async function joined() {
  const transfer = await ringing();
  await answered(transfer.id);
  await briefed(transfer.id);
  await fixture.background();
  return transfer;
}

/** The engine lets go of the caller when the returned function is called. */
function slowEngine(): () => void {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  fixture.behaves.engine = () => promise;
  return () => resolve(true);
}

it("briefs a target that answers before the carrier's reply to the dial request", async () => {
  const id = newId();
  const target = carrierCallback({ provider_call_id: 'CA-fast' });
  fixture.behaves.dial = async () => {
    expect(await fixture.controller.targetAnswered('twilio', id, target)).toMatchObject({ do: 'listen' });
    return { accepted: true, provider_call_id: 'CA-fast', provider_request_id: 'R-fast' };
  };
  const { reply } = await fixture.start(await fixture.inConversation(), true, { transfer_id: id });
  expect(reply.accepted).toBe(true);
  expect(await fixture.row(id)).toMatchObject({ state: 'briefing', target_request_id: 'R-fast', caller_left_at: null });
});

it('plays the summary again when the carrier asks again, and the state lasts no longer for it', async () => {
  const { id } = await ringing();
  await answered(id);
  const { state_at, target_answered_at } = await fixture.row(id);
  fixture.clock.shift(10_000);
  expect(await answered(id)).toMatchObject({ do: 'listen' });
  expect(await fixture.row(id)).toMatchObject({ state: 'briefing', state_at, target_answered_at });
});

it('hangs up a target that answers again when it is joined, or given up', async () => {
  const { id } = await joined();
  expect(await answered(id)).toEqual({ do: 'hang up' });
  const other = await ringing();
  await targetIs(other.id, 'busy');
  expect(await answered(other.id)).toEqual({ do: 'hang up' });
});

it('hangs up the target of a call that has just ended', async () => {
  const { call, id } = await ringing();
  await fixture.ended(call.id, 2, 'caller hung up');
  expect(await answered(id)).toEqual({ do: 'hang up' });
});

it('joins once, however often the carrier reports that the summary was played', async () => {
  const release = slowEngine();
  const { id } = await ringing();
  await answered(id);
  expect(await briefed(id)).toMatchObject({ do: 'wait in room' });
  expect(await briefed(id)).toMatchObject({ do: 'wait in room' });
  release();
  await fixture.background();
  const joins = () => fixture.asked.filter((request) => request === 'join').length;
  const before = joins();
  expect(await briefed(id)).toMatchObject({ do: 'wait in room' });
  await fixture.background();
  expect(joins()).toBe(before);
  expect((await fixture.row(id)).state).toBe('talking');
});

it("lets a caller into the room who comes before the carrier's reply", async () => {
  const { id } = await ringing();
  fixture.behaves.move = async () => {
    expect(await fixture.controller.callerMoved('twilio', id)).toEqual({ do: 'enter room', room: id });
    return 'done';
  };
  await answered(id);
  await briefed(id);
  await fixture.background();
  const { state, bridged_at, caller_left_at } = await fixture.row(id);
  expect([state, bridged_at, caller_left_at]).toEqual(['talking', expect.any(Date), bridged_at]);
});

it('returns the caller when the engine does not answer', async () => {
  fixture.behaves.engine = async ({ status }) => status !== 'answered' || Promise.reject(new Error('no engine'));
  const { id } = await joined();
  expect(await fixture.row(id)).toMatchObject({ state: 'over', status: 'failed', bridged_at: null });
  expect(fixture.asked).not.toContain('join');
});

it('fails when the target hangs up while the caller is being joined', async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  // The engine lets go of the caller once it is told that the transfer failed.
  fixture.behaves.engine = async ({ status }) => {
    if (status !== 'answered') resolve(true);
    return promise;
  };
  const { id } = await ringing();
  await answered(id);
  await briefed(id);
  await targetIs(id, 'completed');
  await fixture.background();
  expect(await fixture.row(id)).toMatchObject({ state: 'over', status: 'failed', dial_status: 'completed' });
});

it('talks until both have hung up, in either order', async () => {
  const first = await joined();
  await targetIs(first.id, 'completed');
  expect((await fixture.row(first.id)).state).toBe('talking');
  const second = await joined();
  const callerEnds = () =>
    markCallerEnded(fixture.sql, 'twilio', second.call.id, second.call.provider_call_id, fixture.clock.wall());
  await callerEnds();
  expect((await fixture.row(second.id)).state).toBe('talking');
  await targetIs(second.id, 'completed');
  const { state, target_ended_at, caller_ended_at } = await fixture.row(second.id);
  expect([state, target_ended_at]).toEqual(['over', expect.any(Date)]);
  fixture.clock.shift(5_000);
  await callerEnds();
  await targetIs(second.id, 'completed');
  expect(await fixture.row(second.id)).toMatchObject({ target_ended_at, caller_ended_at });
});

it("a target's ringing and answering are no end, and its leg is not hung up when it has ended", async () => {
  const { id } = await ringing();
  await targetIs(id, 'ringing');
  await targetIs(id, 'in-progress');
  expect(await fixture.row(id)).toMatchObject({ status: null, target_ended_at: null });
  await targetIs(id, 'busy');
  const { target_call_id, target_ended_at } = await fixture.row(id);
  expect(target_ended_at).not.toBeNull();
  expect(fixture.line.hungUp).not.toContain(target_call_id);
});

it('hangs up a target of which the carrier gave the id of the request only', async () => {
  fixture.behaves.dial = async () => ({ accepted: true, provider_call_id: '', provider_request_id: 'R-only' });
  const { call } = await ringing();
  await fixture.ended(call.id, 2, 'caller hung up');
  await fixture.round();
  expect(fixture.line.hungUp).toContain('R-only');
});

it('rings on when the request to dial has no answer', async () => {
  fixture.behaves.dial = async () => Promise.reject(new CarrierError('HTTP 502', 502));
  const { reply, id } = await ringing();
  expect(reply).toEqual({ accepted: true, message: '' });
  expect(await fixture.row(id)).toMatchObject({ state: 'ringing', status: null });
});

it('rings the target of an incoming call from the number that was called', async () => {
  const call = await fixture.inConversation();
  await fixture.sql`update calls set direction = 'inbound' where id = ${call.id}`;
  await fixture.start(call, true);
  expect(fixture.asked).toEqual([expect.stringMatching(new RegExp(`from \\${call.to_number}$`))]);
});

it('is refused for a call that rings, or is being hung up', async () => {
  const refused = { accepted: false, message: 'the call is over' };
  expect((await fixture.start(await fixture.ringing(fixture.tenant), true)).reply).toEqual(refused);
  const call = await fixture.inConversation();
  await fixture.sql`update calls set hangup_requested_reason = 'hung up by Ravi' where id = ${call.id}`;
  expect((await fixture.start(call, true)).reply).toEqual(refused);
});

it('is not begun again when it is over, and another one can be', async () => {
  const { call, id } = await ringing();
  await targetIs(id, 'busy');
  const again = await fixture.start(call, true, { transfer_id: id });
  expect(again.reply).toEqual({ accepted: false, message: 'the transfer is over' });
  expect((await fixture.start(call, true)).reply.accepted).toBe(true);
});

it('has no outcome on the timeline when the carrier refused it', async () => {
  fixture.behaves.dial = async () => ({ accepted: false, reason: 'no' });
  const { call } = await ringing();
  await fixture.ended(call.id, 2, 'caller hung up');
  await fixture.round();
  expect(await fixture.statusEvents(call)).toEqual([]);
});

it("is not changed by the events of a cold transfer's dial", async () => {
  const { id } = await ringing();
  await fixture.controller.dialStatus('twilio', id, { event: 'answered', status: null, dial_status: 'in-progress' });
  expect(await fixture.row(id)).toMatchObject({ state: 'ringing', status: null });
});
