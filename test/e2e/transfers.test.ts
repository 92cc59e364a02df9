import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asOperator } from '../../dev/first-workspace.ts';
import type { CarrierCall } from '../../fixtures/simulators/carrier-call.ts';
import type { Phone } from '../../fixtures/simulators/carrier-phone.ts';
import { toE164 } from '../../shared/phone.ts';
import { say, waitForWelcome } from '../support/conversing-caller.ts';
import { eventually, until } from '../support/until.ts';
import { type Service, startService } from '../support/whole-service.ts';

const MESSAGE = 'One moment, I will connect you.';
const BRIEFING = 'Asha wants a table for two, and asks about the bill.';
/** The last digit of a target's number selects the behaviour. */
const ANSWERS = '1';
const NOBODY = '2';
const RINGS = '3';

let service: Service;
let numbers = 0;

beforeAll(async () => {
  service = await startService({
    transcripts: ['for two people', 'thank you very much goodbye'],
    answer(words) {
      if (words.startsWith('The call so far')) return { text: BRIEFING };
      if (words.includes('Nobody answered')) return { text: 'I am sorry, nobody can be reached.' };
      if (words.includes('goodbye')) return { text: 'Goodbye.', toolCalls: [{ name: 'end_call', arguments: {} }] };
      const wish = { target: 'Sales', reason: 'asks about the bill' };
      return { text: '', toolCalls: [{ name: 'transfer_call', arguments: wish }] };
    },
    callee(to) {
      if (to.endsWith(NOBODY)) return { outcome: 'no-answer', afterMs: 900 };
      return to.endsWith(RINGS) ? { outcome: 'answer', afterMs: 60_000 } : { outcome: 'answer', afterMs: 300 };
    },
  });
});
afterAll(() => service?.close());

interface Transferred {
  callId: string;
  person: string;
  caller: CarrierCall;
  phone: Phone;
}

/** A caller who asks for a transfer. */
async function askForSales(
  carrier: 'twilio' | 'plivo',
  manner: string,
  transfer_summary: boolean,
): Promise<Transferred> {
  const serial = String(++numbers).padStart(3, '0');
  const person = `+91980001${serial}${manner}`;
  const from = `+9198765${serial}00`;
  const { number } = await service.agentOn(carrier, {
    call: {
      transfer_enabled: true,
      transfer_targets: [{ name: 'Sales', number: person, description: 'questions about bills' }],
      transfer_message: MESSAGE,
      transfer_summary,
    },
  });
  const url = `${service.stack.apiUrl}/carriers/${carrier}`;
  const caller = service.carriers[carrier].placeInbound({
    from,
    to: number,
    url: `${url}/inbound`,
    statusUrl: `${url}/status`,
  });
  const phone = await caller.waitForPhone(60_000);
  await waitForWelcome(phone);
  await say(phone, 'short-two-people');
  return { callId: await service.callOf(from), person, caller, phone };
}

async function legTo(carrier: 'twilio' | 'plivo', number: string): Promise<CarrierCall> {
  const find = () => service.carriers[carrier].calls.find((call) => toE164(call.to) === number);
  await until(() => find() !== undefined, 'the leg to the person', 60_000);
  return find()!;
}

async function transferStatus(callId: string) {
  return eventually('the outcome on the timeline', 60_000, async () => {
    const events = await service.api.events(callId);
    return events.find((event) => event.type === 'call.transfer_status');
  });
}

const rowOf = (callId: string) =>
  asOperator(service.stack, async (sql) => (await sql`select * from transfers where call_id = ${callId}`)[0]!);

async function over(callId: string) {
  return eventually('both legs to be accounted for', 60_000, async () => {
    const row = await rowOf(callId);
    return row.state === 'over' ? row : null;
  });
}

describe.each(['twilio', 'plivo'] as const)('%s', (carrier) => {
  test.concurrent('cold: the carrier rings the person, who answers', async () => {
    const { callId, person, caller } = await askForSales(carrier, ANSWERS, false);
    const leg = await legTo(carrier, person);
    await until(() => caller.peers.has(leg), 'caller and person to talk', 60_000);
    expect(caller.phone?.ended).toBe('carrier');
    expect(await transferStatus(callId)).toMatchObject({
      level: 'info',
      data: { status: 'answered', name: 'Sales', number: person },
    });
    // Its cost is not known while the two talk.
    expect(await service.api.call(callId)).toMatchObject({ status: 'ended', completed_at: null });
    caller.hangUp();
    await leg.waitForEnd(60_000);
    const { call } = await service.finished(callId);
    expect(call).toMatchObject({ status: 'completed', hangup_by: 'agent', hangup_reason: 'transferred' });
    const row = await over(callId);
    expect(row.bridged_at.getTime()).toBeGreaterThanOrEqual(row.caller_left_at.getTime());
    expect(row.target_ended_at.getTime()).toBeGreaterThanOrEqual(row.bridged_at.getTime());
    const types = (await service.api.events(callId))
      .map(({ type }) => type)
      // A busy machine holds audio back.
      .filter((type) => type !== 'network.stall');
    expect(types.slice(types.indexOf('tool.call'))).toEqual([
      'tool.call',
      'tts.first_audio',
      'agent.reply',
      'call.transferred',
      'call.ended',
      'call.transfer_status',
      'call.completed',
    ]);
    const event = (await service.api.events(callId)).find(({ type }) => type === 'call.completed')!;
    const { cost_paise, cost_breakdown } = event.data.call as Record<string, unknown>;
    expect(cost_paise).toBe(call.cost_paise);
    const { lines } = cost_breakdown as { lines: { model: string }[] };
    expect(lines.map(({ model }) => model)).toEqual(expect.arrayContaining(['transfer', 'transfer-caller']));
    expect(call.transcript.at(-1)).toMatchObject({ role: 'agent', text: MESSAGE });
    const again = (await (await service.request('GET', `/calls/${callId}`)).json()) as { transfer: object };
    expect(again.transfer).toMatchObject({
      name: 'Sales',
      number: person,
      reason: 'asks about the bill',
      status: 'answered',
    });
  });

  test.concurrent('warm: the person is briefed first, then the caller comes', async () => {
    const { callId, person, caller, phone } = await askForSales(carrier, ANSWERS, true);
    const leg = await legTo(carrier, person);
    await until(() => leg.announced.length > 0, 'the briefing', 60_000);
    expect(leg.announced).toEqual([BRIEFING]);
    await until(() => caller.peers.has(leg), 'caller and person to talk', 60_000);
    expect(phone.ended).toBe('carrier');
    expect(await transferStatus(callId)).toMatchObject({ level: 'info', data: { status: 'answered' } });
    leg.hangUp();
    await caller.waitForEnd(60_000);
    await caller.delivered();
    const { call } = await service.finished(callId);
    expect(call).toMatchObject({ status: 'completed', hangup_by: 'agent', hangup_reason: 'transferred' });
    const row = await over(callId);
    expect(row).toMatchObject({ status: 'answered', reported: true, summary: BRIEFING });
    expect(row.caller_ended_at.getTime()).toBeGreaterThanOrEqual(row.caller_left_at.getTime());
  });

  test.concurrent('warm: nobody answers, and the talk goes on', async () => {
    const { callId, phone, person } = await askForSales(carrier, NOBODY, true);
    const leg = await legTo(carrier, person);
    await leg.waitForEnd(60_000);
    const statuses = await transferStatus(callId);
    expect(statuses).toMatchObject({ level: 'warning', data: { status: 'no-answer', name: 'Sales', number: person } });
    // Plivo has two words for it.
    const words = carrier === 'plivo' ? ['no-answer', 'timeout'] : ['no-answer'];
    expect(words).toContain(statuses.data.dial_status);
    await eventually('the agent to say so', 60_000, async () =>
      (await service.api.events(callId)).find(
        ({ type, message }) => type === 'agent.reply' && message.includes('sorry'),
      ),
    );
    await say(phone, 'goodbye');
    const { call } = await service.finished(callId);
    expect(call).toMatchObject({ hangup_reason: 'agent ended the call', transfer: { status: 'no-answer' } });
    expect(call.transcript.map(({ text }) => text)).toEqual([
      'Welcome.',
      'for two people',
      MESSAGE,
      'I am sorry, nobody can be reached.',
      'thank you very much goodbye',
      'Goodbye.',
    ]);
  });

  test.concurrent('warm: a caller hears music while it rings, and ends it by leaving', async () => {
    const { callId, person, caller, phone } = await askForSales(carrier, RINGS, true);
    const leg = await legTo(carrier, person);
    await until(() => leg.state === 'ringing', 'the person to be rung');
    const before = phone.agentFrames.length;
    await until(() => phone.agentFrames.length > before + 50, 'a second of music', 60_000);
    caller.hangUp();
    expect(await leg.waitForEnd(60_000)).toBe('canceled');
    const { call } = await service.finished(callId);
    expect(call).toMatchObject({ hangup_by: 'caller', hangup_reason: 'caller hung up' });
    expect(await transferStatus(callId)).toMatchObject({ level: 'warning', data: { status: 'canceled' } });
    const types = (await service.api.events(callId)).map(({ type }) => type);
    expect(types.slice(-3)).toEqual(['call.ended', 'call.transfer_status', 'call.completed']);
  });
});

test('no carrier reported a violation', () => {
  expect(service.carriers.twilio.violations).toEqual([]);
  expect(service.carriers.plivo.violations).toEqual([]);
});
