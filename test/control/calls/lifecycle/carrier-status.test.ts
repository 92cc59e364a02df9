import { afterEach, beforeAll, expect, it } from 'vitest';
import { ingest } from '../../../../control/calls/events/ingest.ts';
import { handleAnsweredCall } from '../../../../control/calls/lifecycle/answered-call.ts';
import { handleCarrierStatus, settleCarrierEnded } from '../../../../control/calls/lifecycle/carrier-status.ts';
import { writeDialOutcome } from '../../../../control/calls/lifecycle/dial-outcome.ts';
import { hangUpCall } from '../../../../control/calls/lifecycle/hang-up.ts';
import type { CarrierStatus } from '../../../../control/carriers/callback.ts';
import {
  type CallFixture,
  carrierCallback,
  createCallFixture,
  createTestBus,
  createTestCarrier,
  delivered,
  log,
  type Tenant,
  wholeCall,
} from '../call-fixture.ts';

let fixture: CallFixture;
let tenant: Tenant;
let later: string[] = [];
let bus = createTestBus();

beforeAll(async () => {
  fixture = await createCallFixture();
  tenant = await fixture.tenant(100);
});
afterEach(() => {
  later = [];
  bus = createTestBus();
});

function sendStatus(callId: string, status: CarrierStatus, provider_call_id = '', carrier_status: string = status) {
  const { sql, clock } = fixture;
  const settleLater = (id: string) => later.push(id);
  const callback = carrierCallback({ provider_call_id, status, carrier_status });
  return handleCarrierStatus({ sql, clock, log, settleLater }, 'twilio', callId, callback);
}

const settle = (callId: string) => settleCarrierEnded({ sql: fixture.sql, clock: fixture.clock, bus }, callId);
const report = (callId: string, events = wholeCall(callId)) =>
  ingest(
    { sql: fixture.sql, clock: fixture.clock, log },
    events.map((event) => delivered(event)),
  );

it.each([
  ['no-answer', 'no-answer', 'no-answer'],
  ['busy', 'busy', 'busy'],
  ['failed', 'failed', 'carrier failed'],
  ['canceled', 'canceled', 'canceled'],
] as const)('ends a ringing call by the word %s', async (word, status, reason) => {
  const call = await fixture.ringing(tenant);
  await sendStatus(call.id, word, call.provider_call_id, `${word}!`);
  expect(await fixture.read(call.id)).toMatchObject({ status, hangup_reason: reason, hangup_by: 'carrier' });
  const [ended] = (await fixture.timeline(call)).slice(-1);
  expect(ended).toMatchObject({ type: 'call.ended', level: 'warning', message: `not connected: ${status}` });
  expect(ended!.data).toEqual({ carrier_status: `${word}!`, hangup_by: 'carrier' });
});

it('says that the caller hung up before an incoming call was connected', async () => {
  const call = await fixture.ringing(tenant);
  await fixture.sql`update calls set direction = 'inbound' where id = ${call.id}`;
  await sendStatus('', 'canceled', call.provider_call_id);
  expect(await fixture.read(call.id)).toMatchObject({
    status: 'canceled',
    hangup_by: 'caller',
    hangup_reason: 'caller hung up',
  });
});

it('dials a call again that ended for too many calls at once, and nothing of the first dial changes the second', async () => {
  const { sql, clock } = fixture;
  const call = await fixture.ringing(tenant, '');
  await sql`update calls set placed_at = null, dial_state = 'requested' where id = ${call.id}`;
  const ids = { provider_call_id: 'C1', provider_request_id: 'R1' };
  const over = carrierCallback({ ...ids, status: 'failed', over_limit: true });
  const slowed: string[] = [];
  const deps = {
    sql,
    clock,
    log,
    settleLater: () => {},
    slowDown: async (carrier: string) => void slowed.push(carrier),
  };
  const end = () => handleCarrierStatus(deps, 'twilio', call.id, over);
  const accept = (provider_request_id: string) =>
    writeDialOutcome(
      ...([
        sql,
        tenant.workspace_id,
        call.id,
        { accepted: true, provider_call_id: '', provider_request_id },
        clock.wall(),
      ] as const),
    );
  const row = () => fixture.read(call.id);

  await accept('R1');
  await end();
  const waits = { status: 'ringing', dial_state: 'slowed', placed_at: null, provider_call_id: '', dial_tries: 1 };
  expect(await row()).toMatchObject(waits);
  await accept('R1');
  await end();
  expect(await row()).toMatchObject(waits);
  expect(slowed).toEqual(['twilio']);

  await sql`update calls set dial_state = 'requested' where id = ${call.id}`;
  await end();
  expect((await row()).dial_state).toBe('requested');
  await accept('R2');
  await end();
  expect(await row()).toMatchObject({ status: 'ringing', dial_state: '', provider_request_id: 'R2', dial_tries: 1 });
  expect((await row()).placed_at).not.toBeNull();
  expect(await fixture.types(call)).toEqual(['call.queued', 'call.dequeued', 'call.placed']);

  await sql`update calls set dial_tries = 10 where id = ${call.id}`;
  const last = carrierCallback({
    provider_call_id: 'C2',
    provider_request_id: 'R2',
    status: 'failed',
    over_limit: true,
  });
  await handleCarrierStatus(deps, 'twilio', call.id, last);
  expect((await row()).status).toBe('failed');
});

it('ignores repeated, late and unordered statuses', async () => {
  const call = await fixture.ringing(tenant);
  await sendStatus(call.id, 'busy', call.provider_call_id);
  const before = await fixture.timeline(call);
  for (const word of ['ringing', 'completed', 'busy', 'no-answer', 'in-progress', 'queued'] as const) {
    await sendStatus(call.id, word, call.provider_call_id);
  }
  expect(await fixture.timeline(call)).toEqual(before);
  expect(later).toEqual([]);
});

it("finds an inbound call by its carrier's id, and accepts no other id", async () => {
  const call = await fixture.ringing(tenant);
  await sendStatus('', 'busy', 'CA-unknown');
  await sendStatus('', 'busy', '');
  await sendStatus(call.id, 'busy', 'CA-another');
  await sendStatus('e'.repeat(32), 'busy', '');
  expect((await fixture.read(call.id)).status).toBe('ringing');
  await sendStatus('', 'busy', call.provider_call_id);
  expect((await fixture.read(call.id)).status).toBe('busy');
});

it('writes call.placed with the first report of it', async () => {
  const call = await fixture.ringing(tenant, '');
  await fixture.sql`update calls set placed_at = null where id = ${call.id}`;
  await sendStatus(call.id, 'ringing', 'CA-early');
  await sendStatus(call.id, 'ringing', 'CA-early');
  expect(await fixture.types(call)).toEqual(['call.queued', 'call.dequeued', 'call.placed']);
  expect((await fixture.read(call.id)).provider_call_id).toBe('CA-early');
});

it('connects an answered call once, and hangs up one that is not wanted', async () => {
  const { sql, clock } = fixture;
  const answered = (id: string, provider_call_id: string) => {
    const streamUrl = (_provider: string, callId: string) => `wss://m/${callId}`;
    return handleAnsweredCall({ sql, clock, streamUrl }, 'twilio', id, carrierCallback({ provider_call_id }));
  };
  const call = await fixture.ringing(tenant);
  expect(await answered(call.id, 'CA-stranger')).toBeNull();
  expect(await answered(call.id, call.provider_call_id)).toBe(`wss://m/${call.id}`);
  await sendStatus(call.id, 'canceled');
  expect(await answered(call.id, call.provider_call_id)).toBeNull();
  const queued = await fixture.queue(tenant);
  expect(await answered(queued.id, '')).toBeNull();
  const opened = await fixture.opened(tenant);
  expect(await answered(opened.id, opened.provider_call_id)).toBeNull();
});

it('lets the engine report the end of a connected call', async () => {
  const call = await fixture.opened(tenant);
  const events = wholeCall(call.id);
  await report(call.id, events.slice(0, 4));
  await sendStatus(call.id, 'completed', call.provider_call_id);
  expect(later).toEqual([call.id]);
  bus.reply = { done: true, detail: '' };
  await settle(call.id);
  expect(bus.commands).toEqual([{ call_id: call.id, hangup_by: 'caller', hangup_reason: 'caller hung up' }]);
  expect((await fixture.read(call.id)).status).toBe('in-progress');
  await report(call.id, events.slice(4));
  await settle(call.id);
  expect(await fixture.read(call.id)).toMatchObject({ status: 'completed', duration_seconds: 12 });
});

it('ends a connected call without its engine, and still adds its usage', async () => {
  const call = await fixture.opened(tenant);
  const events = wholeCall(call.id);
  await report(call.id, events.slice(0, 4));
  await sendStatus(call.id, 'completed', call.provider_call_id);
  bus.online = false;
  await settle(call.id);
  expect((await fixture.read(call.id)).status).toBe('in-progress');
  bus.online = true;
  await settle(call.id);
  const after = await fixture.read(call.id);
  expect(after).toMatchObject({ status: 'failed', hangup_by: 'service', hangup_reason: 'media engine lost' });
  expect(after.cost_paise).toBe(0);
  expect((await fixture.types(call)).slice(-2)).toEqual(['call.ended', 'call.completed']);
  await report(call.id, events.slice(4));
  const learned = await fixture.read(call.id);
  expect(learned).toMatchObject({ status: 'failed', recorded: true, usage: { tts_characters: 80 } });
  expect((await fixture.types(call)).filter((type) => type === 'call.completed')).toHaveLength(1);
});

it('fails an answered call that never reached an engine', async () => {
  const call = await fixture.ringing(tenant);
  await sendStatus(call.id, 'completed', call.provider_call_id);
  await settle(call.id);
  expect(await fixture.read(call.id)).toMatchObject({ status: 'failed', hangup_reason: 'error: media' });
  expect((await fixture.timeline(call)).at(-1)).toMatchObject({ type: 'call.ended', level: 'error' });
});

it("keeps a member's hang-up as the reason, whatever the carrier's status", async () => {
  const { carriers } = createTestCarrier();
  const requestHangUp = (id: string) =>
    hangUpCall({ sql: fixture.sql, clock: fixture.clock, log, bus, carriers }, tenant.workspace_id, id, {
      kind: 'user',
      id: 'ravi',
      name: 'Ravi',
    });
  for (const word of ['no-answer', 'canceled', 'completed'] as const) {
    const call = await fixture.ringing(tenant);
    expect((await requestHangUp(call.id)).status).toBe('ringing');
    await sendStatus(call.id, word, call.provider_call_id);
    await settle(call.id);
    const after = await fixture.read(call.id);
    expect(after).toMatchObject({ status: 'canceled', hangup_by: 'member', hangup_reason: 'hung up by Ravi' });
  }
});

it('waits for events that the engine has reported and that are not read yet', async () => {
  const call = await fixture.opened(tenant);
  await report(call.id, wholeCall(call.id).slice(0, 4));
  await sendStatus(call.id, 'completed', call.provider_call_id);
  bus.stored = 1_000;
  fixture.clock.shift(60_000);
  await settle(call.id);
  expect((await fixture.read(call.id)).status).toBe('in-progress');
  bus.stored = 0;
  await settle(call.id);
  expect((await fixture.read(call.id)).status).toBe('failed');
});

it('writes the end once when the engine still reports it', async () => {
  const call = await fixture.opened(tenant);
  const whole = wholeCall(call.id);
  await report(call.id, whole.slice(0, 2));
  await sendStatus(call.id, 'completed', call.provider_call_id);
  fixture.clock.shift(60_000);
  await settle(call.id);
  await report(call.id, whole.slice(2));
  // Redelivered, as after a lost acknowledgement.
  await report(call.id, whole.slice(-1));
  const events = await fixture.timeline(call);
  expect(events.filter(({ type }) => type === 'call.ended')).toHaveLength(1);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
  const { usage, transcript } = await fixture.read(call.id);
  expect(usage?.tts_characters).toBe(80);
  expect(new Set(transcript.map(({ text }) => text)).size).toBe(transcript.length);
});
