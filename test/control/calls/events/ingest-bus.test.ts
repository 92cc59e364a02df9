import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { serveSessions } from '../../../../control/calls/engines/sessions.ts';
import { startIngest } from '../../../../control/calls/events/ingest.ts';
import { type Bus, connectBus } from '../../../../shared/bus/bus.ts';
import type { CallEvent } from '../../../../shared/bus/messages.ts';
import { startTestNats } from '../../../support/nats.ts';
import { type CallFixture, createCallFixture, log, type Tenant, wholeCall } from '../call-fixture.ts';

let fixture: CallFixture;
let tenant: Tenant;
let engine: Bus;
let control: Bus;
let nats: Awaited<ReturnType<typeof startTestNats>>;

beforeAll(async () => {
  fixture = await createCallFixture();
  tenant = await fixture.tenant(100);
  nats = await startTestNats();
  [engine, control] = await Promise.all([
    connectBus({ url: nats.url, name: 'engine', log }),
    connectBus({ url: nats.url, name: 'control', log }),
  ]);
  await control.prepare();
});
afterAll(() => Promise.all([engine.close(), control.close()]));

/** `max_ack_pending` is 1,000. */
const MORE_THAN_DELIVERED = 1_100;
/** For an answer over the bus; it only prevents hanging. */
const WITHIN_MS = 60_000;
/** Again while the bus is away or does not answer: an event is stored once. */
const publish = (event: CallEvent) =>
  vi.waitFor(() => engine.publishEvent(event), { timeout: WITHIN_MS, interval: 200 });
const begin = (bus = control) => startIngest(bus, { sql: fixture.sql, clock: fixture.clock, log });
const completed = (callId: string) =>
  vi.waitFor(async () => expect((await fixture.read(callId)).status).toBe('completed'), { timeout: 60_000 });

it('writes events that were reported while control was down', async () => {
  const call = await fixture.opened(tenant);
  const events = wholeCall(call.id);
  const before = await connectBus({ url: nats.url, name: 'control before', log });
  const first = begin(before);
  for (const event of events.slice(0, 2)) await publish(event);
  await vi.waitFor(async () => expect((await fixture.read(call.id)).media_seq).toBe(2), { timeout: 60_000 });
  await first.stop();
  await before.close();
  for (const event of events.slice(2)) await publish(event);
  const second = begin();
  await completed(call.id);
  await second.stop();
  const sourced = await fixture.sql`select source_seq from call_events where call_id = ${call.id} and source = 'media'`;
  expect(sourced.map(({ source_seq }) => source_seq)).toEqual([1, 2, 3, 4, 5]);
});

it("reads other calls' events while a locked call has more of them than the bus delivers, and those when it is free", async () => {
  const [busy, other] = [await fixture.opened(tenant), await fixture.opened(tenant)];
  const [started, ...rest] = wholeCall(busy.id);
  const ended = rest.at(-1)!;
  const turns = Array.from({ length: MORE_THAN_DELIVERED }, (_, at) => ({ ...rest[0]!, seq: at + 2 }));
  const ingesting = begin();
  await fixture.sql.begin(async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = 0`;
    await tx`select 1 from live_calls where id = ${busy.id} for update`;
    for (const event of [started!, ...turns]) await publish(event);
    for (const event of wholeCall(other.id)) await publish(event);
    await completed(other.id);
    await publish({ ...ended, seq: turns.length + 2 });
  });
  await completed(busy.id);
  await ingesting.stop();
  const sourced = await fixture.sql`
    select source_seq from call_events where call_id = ${busy.id} and source = 'media' order by seq`;
  expect(sourced.map(({ source_seq }) => source_seq)).toEqual(
    Array.from({ length: turns.length + 2 }, (_, at) => at + 1),
  );
});

it('orders events that were stored out of order', async () => {
  const call = await fixture.opened(tenant);
  const ingesting = begin();
  for (const event of wholeCall(call.id).reverse()) await publish(event);
  await completed(call.id);
  await ingesting.stop();
  const seqs = await fixture.sql`
    select source_seq from call_events where call_id = ${call.id} and source = 'media' order by seq`;
  expect(seqs.map(({ source_seq }) => source_seq)).toEqual([1, 2, 3, 4, 5]);
});

it('continues after a restart of the bus', async () => {
  const call = await fixture.opened(tenant);
  const events = wholeCall(call.id);
  const ingesting = begin();
  await publish(events[0]!);
  await nats.restart();
  for (const event of events.slice(1)) {
    await publish(event);
  }
  await completed(call.id);
  await ingesting.stop();
});

it('opens the session for one engine, again when it missed the reply', async () => {
  serveSessions(control, { sql: fixture.sql, clock: fixture.clock, log });
  const call = await fixture.ringing(tenant);
  const { id: call_id, provider_call_id } = call;
  // The bus has the subscription when it answers.
  await control.lastEventSeq(call_id);
  const request = { call_id, nonce: 'b'.repeat(16), engine_id: 'engine-1', carrier: 'twilio', provider_call_id };
  const [first, second] = await Promise.all([
    engine.openSession(request, WITHIN_MS),
    engine.openSession({ ...request, engine_id: 'engine-2' }, WITHIN_MS),
  ]);
  expect([first.refused, second.refused].sort()).toEqual(['', 'the token was used before']);
  const winner = first.session ? 'engine-1' : 'engine-2';
  expect((await engine.openSession({ ...request, engine_id: winner }, WITHIN_MS)).refused).toBe('');
  const session = (first.session ?? second.session)!;
  expect(session).toMatchObject({ call_id, workspace_id: tenant.workspace_id, max_duration_seconds: 600 });
  expect(JSON.parse(session.agent_json)).toMatchObject({ name: 'Asha', call: { max_duration_seconds: 600 } });
});

// To walk all numbers up to it took half a minute.
it('an event with an enormous number does not keep the events of other calls', { timeout: 20_000 }, async () => {
  const [call, other] = [await fixture.opened(tenant), await fixture.opened(tenant)];
  const ingesting = begin();
  await publish({ ...wholeCall(call.id)[1]!, seq: 2 ** 31 - 1 });
  for (const event of wholeCall(other.id)) await publish(event);
  await completed(other.id);
  await ingesting.stop();
});
