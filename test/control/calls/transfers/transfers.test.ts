import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { markCallerEnded } from '../../../../control/calls/transfers/transfer-row.ts';
import { CarrierError } from '../../../../control/carriers/carrier.ts';
import { newId } from '../../../../shared/ids.ts';
import { carrierCallback, mediaEvent } from '../call-fixture.ts';
import { createTransferFixture, NUMBER, type TransferFixture } from './transfer-fixture.ts';

let fixture: TransferFixture;

beforeAll(async () => {
  fixture = await createTransferFixture();
});
beforeEach(() => fixture.reset());

it("rings the target from the service's number, plays the summary, and joins the caller", async () => {
  const call = await fixture.inConversation();
  const { reply, id } = await fixture.start(call, true);
  expect(reply).toEqual({ accepted: true, message: '' });
  expect(fixture.asked).toEqual([`dial ${NUMBER} from ${call.from_number}`]);
  expect((await fixture.read(call.id)).transfer).toMatchObject({ name: 'Sales', number: NUMBER, status: 'ringing' });

  const listen = await fixture.controller.targetAnswered('twilio', id, await fixture.ofTarget(id));
  expect(listen).toMatchObject({ do: 'listen', text: 'A caller.', language: 'en' });
  expect(fixture.outcomesOf(id)).toEqual([]);
  const step = await fixture.controller.targetBriefed('twilio', id, await fixture.ofTarget(id));
  expect(step).toEqual({ do: 'wait in room', room: id });
  await fixture.background();
  expect(fixture.outcomesOf(id)).toMatchObject([{ call_id: call.id, status: 'answered' }]);
  expect(fixture.asked.at(-1)).toBe('join');
  expect(await fixture.controller.callerMoved('twilio', id)).toEqual({ do: 'enter room', room: id });
  expect(await fixture.row(id)).toMatchObject({ state: 'talking', status: 'answered', reported: false });

  await fixture.ended(call.id, 2, 'transferred');
  await fixture.round();
  expect(await fixture.statusEvents(call)).toMatchObject([
    { level: 'info', data: { status: 'answered', name: 'Sales', number: NUMBER } },
  ]);
  await fixture.round();
  expect(await fixture.statusEvents(call)).toHaveLength(1);
  expect((await fixture.read(call.id)).transfer?.status).toBe('answered');

  await fixture.controller.targetStatus('twilio', id, await fixture.ofTarget(id, 'completed'));
  await markCallerEnded(fixture.sql, 'twilio', '', call.provider_call_id, fixture.clock.wall());
  expect(await fixture.row(id)).toMatchObject({ state: 'over', status: 'answered' });
  expect((await fixture.row(id)).caller_ended_at).not.toBeNull();
});

it.each([
  ['no-answer', 'no-answer'],
  ['busy', 'busy'],
  ['failed', 'failed'],
  ['canceled', 'canceled'],
] as const)('returns the caller to the agent when the target is %s', async (word, status) => {
  const call = await fixture.inConversation();
  const { id } = await fixture.start(call, true);
  await fixture.controller.targetStatus('twilio', id, await fixture.ofTarget(id, word));
  expect(fixture.outcomesOf(id)).toMatchObject([{ status, dial_status: word }]);
  // The engine reports it with its own events.
  expect(await fixture.statusEvents(call)).toEqual([]);
  const data_json = JSON.stringify({ status, name: 'Sales', number: NUMBER, dial_status: word });
  await fixture.deliver(mediaEvent(call.id, 2, 'call.transfer_status', { level: 'warning', data_json }));
  await fixture.ended(call.id, 3, 'caller hung up');
  await fixture.round();
  expect(await fixture.statusEvents(call)).toHaveLength(1);
  expect((await fixture.read(call.id)).transfer?.status).toBe(status);
});

it('sends the outcome again when the engine did not report it', async () => {
  const call = await fixture.inConversation();
  const { id } = await fixture.start(call, true);
  await fixture.controller.targetStatus('twilio', id, await fixture.ofTarget(id, 'busy'));
  const retryMs = (await fixture.row(id)).settled_at!.getTime() + 5_000;
  await fixture.round(retryMs - 1);
  expect(fixture.outcomesOf(id)).toHaveLength(1);
  await fixture.round(retryMs);
  expect(fixture.outcomesOf(id)).toMatchObject([{ status: 'busy' }, { status: 'busy' }]);
});

it('hangs up the target when the caller leaves while it rings', async () => {
  const call = await fixture.inConversation();
  const { id } = await fixture.start(call, true);
  const targetLeg = (await fixture.row(id)).target_call_id;
  await fixture.ended(call.id, 2, 'caller hung up');
  await fixture.round();
  expect(fixture.line.hungUp).toContain(targetLeg);
  expect(fixture.outcomesOf(id)).toEqual([]);
  expect(await fixture.statusEvents(call)).toMatchObject([
    { level: 'warning', data: { status: 'canceled', dial_status: '' } },
  ]);
  expect(await fixture.controller.targetAnswered('twilio', id, await fixture.ofTarget(id))).toEqual({ do: 'hang up' });
});

it('hangs up the target when the caller left during the dial request', async () => {
  const call = await fixture.inConversation();
  const usual = fixture.behaves.dial;
  fixture.behaves.dial = async () => {
    await fixture.ended(call.id, 2, 'caller hung up');
    await fixture.round();
    return usual();
  };
  const { reply, id } = await fixture.start(call, true);
  expect(reply.accepted).toBe(false);
  expect(fixture.line.hungUp).toContain((await fixture.row(id)).target_call_id);
});

it('fails when the target hangs up during the summary', async () => {
  const call = await fixture.inConversation();
  const { id } = await fixture.start(call, true);
  await fixture.controller.targetAnswered('twilio', id, await fixture.ofTarget(id));
  await fixture.controller.targetStatus('twilio', id, await fixture.ofTarget(id, 'completed'));
  expect(fixture.outcomesOf(id)).toMatchObject([{ status: 'failed', dial_status: 'completed' }]);
  expect(await fixture.controller.targetBriefed('twilio', id, await fixture.ofTarget(id))).toEqual({ do: 'hang up' });
  expect((await fixture.read(call.id)).status).toBe('in-progress');
});

it.each([
  ['the engine does not let go', 'failed'],
  ['the carrier would not', 'failed'],
  ['the caller has just left', 'canceled'],
] as const)('undoes it when %s', async (why, status) => {
  const call = await fixture.inConversation();
  const { id } = await fixture.start(call, true);
  if (why === 'the engine does not let go') fixture.behaves.engine = async ({ status }) => status !== 'answered';
  if (why === 'the carrier would not') fixture.behaves.move = async () => Promise.reject(new CarrierError('no', 500));
  if (why === 'the caller has just left') fixture.behaves.move = async () => 'gone';
  await fixture.controller.targetAnswered('twilio', id, await fixture.ofTarget(id));
  await fixture.controller.targetBriefed('twilio', id, await fixture.ofTarget(id));
  await fixture.background();
  expect(await fixture.row(id)).toMatchObject({ state: 'over', status });
  expect(fixture.line.hungUp).toContain((await fixture.row(id)).target_call_id);
  expect(fixture.outcomesOf(id).map((outcome) => outcome.status)).toEqual(['answered', status]);
});

it('survives a restart in every state', async () => {
  for (const [state, status] of [
    ['starting', 'failed'],
    ['ringing', 'no-answer'],
    ['briefing', 'failed'],
    ['joining', 'failed'],
  ] as const) {
    const call = await fixture.inConversation();
    const { id } = await fixture.start(call, true);
    await fixture.sql`update transfers set state = ${state} where id = ${id}`;
    await fixture.round();
    expect((await fixture.row(id)).status).toBeNull();
    fixture.clock.shift(80_000);
    await fixture.round();
    expect(await fixture.row(id), state).toMatchObject({ state: 'over', status });
    expect(fixture.line.hungUp).toContain((await fixture.row(id)).target_call_id);
    expect(fixture.outcomesOf(id)).toMatchObject([{ status }]);
  }
});

it('refuses invalid transfers with a message', async () => {
  const call = await fixture.inConversation();
  fixture.behaves.dial = async () => ({ accepted: false, reason: 'Invalid number' });
  const refused = await fixture.start(call, true);
  expect(refused.reply).toEqual({ accepted: false, message: 'the carrier refused: Invalid number' });
  expect((await fixture.read(call.id)).transfer).toBeNull();
  fixture.behaves.dial = async () => ({ accepted: true, provider_call_id: 'CA-p', provider_request_id: '' });
  const first = await fixture.start(call, true);
  expect((await fixture.start(call, true)).reply.message).toBe('a transfer is under way already');
  expect((await fixture.start(call, true, { transfer_id: first.id })).reply).toEqual({ accepted: true, message: '' });
  await fixture.ended(call.id, 2, 'caller hung up');
  expect((await fixture.start(call, true)).reply.message).toBe('the call is over');
  await fixture.round();
  const other = await fixture.inConversation();
  const { transfers: _, ...without } = fixture.line.carrier;
  expect((await fixture.start(other, true, {}, new Map([['twilio', without]]))).reply).toEqual({
    accepted: false,
    message: 'transfers are not possible on this line',
  });
  for (const unreadable of [{ call_id: 'x' }, { transfer_id: 'y' }, { number: '12' }]) {
    const { reply } = await fixture.start(other, true, unreadable);
    expect(reply).toEqual({ accepted: false, message: 'the transfer cannot be read' });
  }
});

describe('a target whose dial is not answered', () => {
  beforeEach(() => {
    fixture.behaves.dial = async () => ({ accepted: 'unknown', reason: 'the carrier did not answer' });
  });

  it('is briefed when it takes the call', async () => {
    const call = await fixture.inConversation();
    const { reply, id } = await fixture.start(call, true);
    expect(reply).toEqual({ accepted: true, message: '' });
    const answered = carrierCallback({ provider_call_id: 'CA-late' });
    expect(await fixture.controller.targetAnswered('twilio', id, answered)).toMatchObject({
      do: 'listen',
      text: 'A caller.',
    });
    expect(await fixture.row(id)).toMatchObject({ state: 'briefing', target_call_id: 'CA-late' });
  });

  it("returns the caller by the carrier's callback", async () => {
    const call = await fixture.inConversation();
    const { id } = await fixture.start(call, true);
    await fixture.controller.targetStatus(
      'twilio',
      id,
      carrierCallback({ provider_call_id: 'CA-busy', status: 'busy' }),
    );
    expect(fixture.outcomesOf(id)).toMatchObject([{ status: 'busy' }]);
  });

  it("is found in the carrier's list, and hung up when the caller leaves, found before or not", async () => {
    const dial = {
      provider_call_id: `CA-${newId()}`,
      provider_request_id: '',
      status: null,
      carrier_status: 'ringing',
    };
    const call = await fixture.inConversation();
    const ofCall = { ...dial, provider_call_id: call.provider_call_id };
    fixture.behaves.listed = { dials: [ofCall, dial], exact: false, complete: true };
    const found = await fixture.start(call, true);
    await fixture.later(4_000);
    expect((await fixture.row(found.id)).target_call_id).toBe(dial.provider_call_id);
    await fixture.ended(call.id, 2, 'caller hung up');
    await fixture.round();
    expect(fixture.line.hungUp.filter((id) => id === dial.provider_call_id)).toHaveLength(1);

    const other = await fixture.inConversation();
    const another = { ...dial, provider_call_id: `CA-${newId()}` };
    fixture.behaves.listed = { dials: [another], exact: false, complete: true };
    await fixture.start(other, true);
    await fixture.ended(other.id, 2, 'caller hung up');
    await fixture.round();
    expect(fixture.line.hungUp).toContain(another.provider_call_id);
  });

  it('is given up when the list does not have it, and only then', async () => {
    const call = await fixture.inConversation();
    fixture.behaves.listed = { dials: [], exact: false, complete: false };
    const { id } = await fixture.start(call, true);
    await fixture.later(13_000);
    expect((await fixture.row(id)).status).toBeNull();
    fixture.behaves.listed = { dials: [], exact: false, complete: true };
    await fixture.round();
    expect(fixture.outcomesOf(id)).toMatchObject([{ status: 'failed' }]);
  });
});

it('ignores events of other carriers, other legs and unknown ids', async () => {
  const call = await fixture.inConversation();
  const { id } = await fixture.start(call, true);
  const stranger = carrierCallback({ provider_call_id: 'CA-stranger', status: 'completed' });
  expect(await fixture.controller.targetAnswered('twilio', id, stranger)).toEqual({ do: 'hang up' });
  expect(await fixture.controller.targetAnswered('plivo', id, await fixture.ofTarget(id))).toEqual({ do: 'hang up' });
  expect(await fixture.controller.targetBriefed('twilio', id, await fixture.ofTarget(id))).toEqual({ do: 'hang up' });
  expect(await fixture.controller.callerMoved('twilio', id)).toEqual({ do: 'hang up' });
  for (const unknown of ['', 'x', newId()]) {
    expect(await fixture.controller.targetAnswered('twilio', unknown, null)).toEqual({ do: 'hang up' });
    expect(await fixture.controller.callerMoved('twilio', unknown)).toEqual({ do: 'hang up' });
    await fixture.controller.targetStatus('twilio', unknown, stranger);
    await fixture.controller.dialStatus('twilio', unknown, { event: 'answered', status: null, dial_status: '' });
  }
  await fixture.controller.targetStatus('twilio', id, stranger);
  expect(await fixture.row(id)).toMatchObject({ state: 'ringing', status: null });
});
