import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CarrierError } from '../../../../control/carriers/carrier.ts';
import { newId } from '../../../../shared/ids.ts';
import { createTransferFixture, NUMBER, type TransferFixture } from './transfer-fixture.ts';

let fixture: TransferFixture;

beforeAll(async () => {
  fixture = await createTransferFixture();
});
beforeEach(() => fixture.reset());

describe('a cold transfer that the carrier does not answer', () => {
  const unanswered = async () => Promise.reject(new CarrierError('HTTP 502', 502));

  it('leaves the caller with the agent, and goes on when the carrier moves the caller after all', async () => {
    fixture.behaves.move = unanswered;
    const { reply, id } = await fixture.start(await fixture.inConversation(), false);
    expect(reply).toEqual({ accepted: false, message: 'the carrier did not answer' });
    expect(await fixture.controller.callerMoved('twilio', id)).toMatchObject({ do: 'dial', to_number: NUMBER });
  });

  it('is accepted when the carrier moved the caller before', async () => {
    const call = await fixture.inConversation();
    const id = newId();
    fixture.behaves.move = async () => {
      await fixture.controller.callerMoved('twilio', id);
      return unanswered();
    };
    expect((await fixture.start(call, false, { transfer_id: id })).reply).toEqual({ accepted: true, message: '' });
  });

  it('is given up after half a minute, and at once when the carrier refuses', async () => {
    fixture.behaves.move = unanswered;
    const { id } = await fixture.start(await fixture.inConversation(), false);
    await fixture.later(31_000);
    expect((await fixture.row(id)).status).toBe('failed');
    fixture.behaves.move = async () => Promise.reject(new CarrierError('not allowed', 400));
    const refused = await fixture.start(await fixture.inConversation(), false);
    expect((await fixture.row(refused.id)).status).toBe('failed');
    for (const each of [id, refused.id]) {
      expect(await fixture.controller.callerMoved('twilio', each)).toEqual({ do: 'hang up' });
    }
  });
});

it('transfers cold, and writes the outcome reported by the carrier', async () => {
  const call = await fixture.inConversation();
  const { reply, id } = await fixture.start(call, false);
  expect(reply.accepted).toBe(true);
  expect(fixture.asked).toEqual(['connect']);
  const dial = await fixture.controller.callerMoved('twilio', id);
  expect(dial).toMatchObject({ do: 'dial', from_number: call.from_number, to_number: NUMBER });
  await fixture.controller.dialStatus('twilio', id, { event: 'answered', status: null, dial_status: 'in-progress' });
  expect(await fixture.statusEvents(call)).toEqual([]);
  await fixture.ended(call.id, 2, 'transferred');
  await fixture.round();
  expect(await fixture.statusEvents(call)).toMatchObject([{ level: 'info', data: { status: 'answered' } }]);
  await fixture.controller.dialStatus('twilio', id, { event: 'over', status: 'answered', dial_status: 'completed' });
  expect(await fixture.row(id)).toMatchObject({ state: 'over', status: 'answered' });
  expect(fixture.outcomesOf(id)).toEqual([]);
});

it('writes the outcome of a cold transfer once when the carrier reports it twice', async () => {
  const call = await fixture.inConversation();
  const { id } = await fixture.start(call, false);
  await fixture.ended(call.id, 2, 'transferred');
  for (const status of ['no-answer', 'no-answer', 'answered'] as const) {
    await fixture.controller.dialStatus('twilio', id, { event: 'over', status, dial_status: 'no-answer' });
  }
  expect(await fixture.statusEvents(call)).toMatchObject([
    { level: 'warning', data: { status: 'no-answer', dial_status: 'no-answer' } },
  ]);
  expect(await fixture.controller.callerMoved('twilio', id)).toEqual({ do: 'hang up' });
});

it('refuses a cold transfer whose caller has hung up', async () => {
  const call = await fixture.inConversation();
  fixture.behaves.move = async () => 'gone';
  expect((await fixture.start(call, false)).reply).toEqual({ accepted: false, message: 'the caller has hung up' });
  fixture.behaves.move = async () => Promise.reject(new CarrierError('no', 400));
  expect((await fixture.start(call, false)).reply).toEqual({ accepted: false, message: 'the carrier would not do it' });
  expect(await fixture.statusEvents(call)).toEqual([]);
});

describe("the target of a cold transfer, by the carrier's events", () => {
  const dialled = (id: string, event: 'answered' | 'over', status: 'answered' | 'no-answer' | null = null) =>
    fixture.controller.dialStatus('twilio', id, { event, status, dial_status: 'completed' });
  async function ringing(): Promise<string> {
    return (await fixture.start(await fixture.inConversation(), false)).id;
  }

  it('has answered and ended at once when only the end is reported', async () => {
    const id = await ringing();
    await dialled(id, 'over', 'answered');
    expect(await fixture.row(id)).toMatchObject({
      state: 'over',
      status: 'answered',
      target_ended_at: expect.any(Date),
    });
  });

  it('is charged by the first report of its answer and of its end', async () => {
    const id = await ringing();
    await dialled(id, 'answered');
    const { bridged_at } = await fixture.row(id);
    fixture.clock.shift(5_000);
    await dialled(id, 'answered');
    await dialled(id, 'over', 'answered');
    const { target_ended_at } = await fixture.row(id);
    fixture.clock.shift(5_000);
    await dialled(id, 'over', 'answered');
    expect(await fixture.row(id)).toMatchObject({ state: 'over', bridged_at, target_ended_at });
  });

  it('rings on after an end without an outcome', async () => {
    const id = await ringing();
    await dialled(id, 'over', null);
    expect(await fixture.row(id)).toMatchObject({ state: 'ringing', status: null });
  });

  it('changes nothing any more when the transfer was given up', async () => {
    const id = await ringing();
    await fixture.controller.giveUp('twilio', id, { status: 'failed', dial_status: '' });
    await dialled(id, 'over', 'answered');
    expect(await fixture.row(id)).toMatchObject({ status: 'failed', target_ended_at: null });
  });

  it('is dialled once more when the carrier asks again, and not after it has answered', async () => {
    const id = await ringing();
    expect(await fixture.controller.callerMoved('twilio', id)).toMatchObject({ do: 'dial' });
    const { caller_left_at, state_at } = await fixture.row(id);
    fixture.clock.shift(5_000);
    expect(await fixture.controller.callerMoved('twilio', id)).toMatchObject({ do: 'dial' });
    expect(await fixture.row(id)).toMatchObject({ caller_left_at, state_at });
    await dialled(id, 'answered');
    expect(await fixture.controller.callerMoved('twilio', id)).toEqual({ do: 'hang up' });
  });

  it('is no leg that can be briefed', async () => {
    const id = await ringing();
    expect(await fixture.controller.targetAnswered('twilio', id, null)).toEqual({ do: 'hang up' });
  });

  it("has left the agent from the carrier's reply on", async () => {
    expect((await fixture.row(await ringing())).caller_left_at).not.toBeNull();
  });

  it("is accepted when it is over before the carrier's reply", async () => {
    const id = newId();
    fixture.behaves.move = async () => {
      await dialled(id, 'over', 'no-answer');
      return 'done';
    };
    const { reply } = await fixture.start(await fixture.inConversation(), false, { transfer_id: id });
    expect(reply).toEqual({ accepted: true, message: '' });
    expect((await fixture.row(id)).status).toBe('no-answer');
  });

  it('given up is not looked for in the list, and not reported to the engine that let go', async () => {
    const dial = { provider_call_id: `CA-${newId()}`, provider_request_id: '', status: null, carrier_status: '' };
    fixture.behaves.listed = { dials: [dial], exact: false, complete: true };
    const id = await ringing();
    await fixture.controller.giveUp('twilio', id, { status: 'failed', dial_status: '' });
    expect(fixture.line.hungUp).not.toContain(dial.provider_call_id);
    expect(fixture.outcomesOf(id)).toEqual([]);
  });
});
