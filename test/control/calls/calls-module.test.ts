import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CallLogLine } from '../../../control/calls/call-log.ts';
import type { CallRow } from '../../../control/calls/call-row.ts';
import { type CallsModule, createCallsModule } from '../../../control/calls/calls-module.ts';
import { carrierUrls } from '../../../control/carriers/carrier-urls.ts';
import { readControlConfig } from '../../../control/config.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';
import { type Bus, connectBus } from '../../../shared/bus/bus.ts';
import { newId } from '../../../shared/ids.ts';
import { startTestNats } from '../../support/nats.ts';
import {
  type CallFixture,
  carrierCallback,
  createCallFixture,
  createTestCarrier,
  log,
  type Tenant,
  wholeCall,
} from './call-fixture.ts';

/** The module as a control process runs it, over a real bus: what an engine and a carrier ask of it is done. */

let fixture: CallFixture;
let tenant: Tenant;
let engine: Bus;
let control: Bus;
let module: CallsModule;
const { carrier, hungUp } = createTestCarrier();
const lines: CallLogLine[] = [];
const slowed: string[] = [];
const TEST_CALL = newId();
/** For an answer over the bus; it only prevents hanging. */
const WITHIN_MS = 60_000;

beforeAll(async () => {
  fixture = await createCallFixture();
  tenant = await fixture.tenant(100, { call: { auto_reschedule: true } });
  const nats = await startTestNats();
  [engine, control] = await Promise.all([
    connectBus({ url: nats.url, name: 'engine', log, streamTimeoutMs: 60_000 }),
    connectBus({ url: nats.url, name: 'control', log, streamTimeoutMs: 60_000 }),
  ]);
  await control.prepare();
  const { sql, clock } = fixture;
  const config = readControlConfig({
    ...{ DATABASE_URL: fixture.url, MEDIA_TOKEN_SECRET: 'a secret of the tests', RECORDINGS_DIR: '/nowhere' },
    PUBLIC_MEDIA_URL: 'wss://media.example.com',
  });
  const { transfers: _, ...withoutTransfers } = carrier;
  module = createCallsModule({
    ...{ sql, clock, log, config, bus: control },
    carriers: new Map([
      ['twilio', withoutTransfers],
      ['telnyx', carrier],
    ] as const),
    addresses: carrierUrls('https://api.example.com', 'wss://media.example.com'),
    searchKnowledge: async () => ({ items: [], hits: 0, embed_ms: 0, search_ms: 0 }) as never,
    agentOfTestCall: async (callId) =>
      callId === TEST_CALL
        ? {
            workspace_id: tenant.workspace_id,
            agent: agentConfigSchema.parse({ name: 'Asha', call: { auto_reschedule: true } }),
          }
        : null,
    reaperTimes: { engine_report_timeout_ms: 40 },
    slowDown: async (provider) => void slowed.push(provider),
    writeLog: (line) => lines.push(line),
  });
  module.start();
  // The bus has the subscriptions when it answers.
  await control.lastEventSeq(TEST_CALL);
});
afterAll(async () => {
  await module?.stop();
  await Promise.all([engine?.close(), control?.close()]);
});

const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 20 });

/** A call whose session an engine has opened over the bus. */
async function opened(provider: 'twilio' | 'telnyx' = 'twilio'): Promise<CallRow> {
  const { id, provider_call_id } = await fixture.ringing(tenant);
  await fixture.sql`update live_calls set provider = ${provider} where id = ${id}`;
  const request = { call_id: id, nonce: 'n'.repeat(16), engine_id: 'engine-1', carrier: provider, provider_call_id };
  expect((await engine.openSession(request, WITHIN_MS)).refused).toBe('');
  return fixture.read(id);
}
async function publish({ id }: CallRow, ending: Parameters<typeof wholeCall>[1] = {}): Promise<void> {
  for (const event of wholeCall(id, ending)) await engine.publishEvent(event);
  await eventually(async () => expect((await fixture.read(id)).finished).toBe(true));
}

describe('an engine', () => {
  it('opens sessions, and its events complete calls', async () => {
    const call = await opened();
    await publish(call);
    expect(await fixture.read(call.id)).toMatchObject({ status: 'completed', duration_seconds: 12 });
  });

  it('gets calls by its heartbeats, and its headroom counts again when a call has ended', async () => {
    engine.sendHeartbeat({
      engine_id: 'e',
      at_ms: Date.now(),
      call_ids: [],
      headroom: 7,
      public_url: 'wss://e.example',
    });
    await eventually(() => expect(module.engines.headroom()).toBe(7));
    const call = await opened();
    expect(module.engines.assign(call.id)).toBe('wss://e.example');
    expect(module.dialStreamUrl('twilio', call.id)).toMatch(/^wss:\/\/e\.example\/carrier\/twilio\//);
    expect(module.engines.headroom()).toBe(6);
    await publish(call);
    await eventually(() => expect(module.engines.headroom()).toBe(7));
  });

  it('searches the knowledge, books call backs and starts transfers', async () => {
    const call = await opened();
    const knowledge = { call_id: call.id, query: 'x', limit: 1, within_ms: 1_000 };
    expect(await engine.searchKnowledge(knowledge, WITHIN_MS)).toMatchObject({
      error: 'the agent has no knowledge bases',
    });
    const transfer = { call_id: call.id, transfer_id: newId(), name: 'S', number: '+919811112222', reason: '' };
    expect(await engine.startTransfer({ ...transfer, warm: false, summary: '', language: 'en' }, WITHIN_MS)).toEqual({
      accepted: false,
      message: 'the call is over',
    });
    const when = `${new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)}T11:00`;
    const booking = { call_id: TEST_CALL, when, note: '' };
    expect(await engine.bookCallback(booking, WITHIN_MS)).toMatchObject({ booked: true });
    expect(await engine.bookCallback({ ...booking, call_id: newId() }, WITHIN_MS)).toMatchObject({ booked: false });
  });
});

describe('the end of a call', () => {
  it('is asked of a carrier whose calls outlive their streams, and of no other', async () => {
    const [outliving, other] = [await opened('telnyx'), await opened('twilio')];
    await publish(other);
    await publish(outliving);
    await eventually(() => expect(hungUp).toContain(outliving.provider_call_id));
    expect(hungUp).not.toContain(other.provider_call_id);
  });

  it('is not asked of the carrier that ended it, or has the caller still', async () => {
    const [ended, transferred, last] = [await opened('telnyx'), await opened('telnyx'), await opened('telnyx')];
    await fixture.sql`update live_calls set carrier_ended_at = now() where id = ${ended.id}`;
    await publish(ended);
    await publish(transferred, { hangup_reason: 'transferred' });
    await publish(last);
    await eventually(() => expect(hungUp).toContain(last.provider_call_id));
    expect(hungUp).not.toContain(ended.provider_call_id);
    expect(hungUp).not.toContain(transferred.provider_call_id);
  });

  it("after a failure is in the workspace's logs, and no other end is", async () => {
    const [failed, well] = [await opened(), await opened()];
    await publish(well);
    await publish(failed, { hangup_reason: 'error: voice' });
    const of = ({ id }: CallRow) => lines.filter(({ call_id }) => call_id === id).length;
    await eventually(() => expect(of(failed)).toBe(1));
    expect(of(well)).toBe(0);
  });
});

describe('a carrier', () => {
  const status = (call: CallRow, more: Parameters<typeof carrierCallback>[0]) =>
    module.carrierEvents.status(
      'twilio',
      call.id,
      carrierCallback({ provider_call_id: call.provider_call_id, ...more }),
    );

  it('gets the streams of calls that come in, are answered, or lost theirs', async () => {
    const { inbound, answered, streamLost } = module.carrierEvents;
    const rings = carrierCallback({
      provider_call_id: 'CA-in',
      from_number: '+919811112222',
      to_number: tenant.number,
    });
    const stream = /\/carrier\/twilio\//;
    expect(await inbound('twilio', rings)).toMatch(stream);
    const dialled = await fixture.ringing(tenant);
    expect(await answered('twilio', dialled.id, carrierCallback({}))).toMatch(stream);
    const live = await opened();
    await fixture.sql`update live_calls set status = 'in-progress' where id = ${live.id}`;
    expect(await streamLost!('twilio', carrierCallback({ provider_call_id: live.provider_call_id }))).toMatch(stream);
  });

  it('is slowed down when it had too many calls at once', async () => {
    const call = await fixture.ringing(tenant);
    await status(call, { status: 'failed', provider_request_id: 'R-1', over_limit: true });
    expect(slowed).toEqual(['twilio']);
  });

  it('ends calls that ring, and those that no engine ended', async () => {
    const [busy, lost] = [await fixture.ringing(tenant), await fixture.ringing(tenant)];
    await status(busy, { status: 'busy' });
    expect((await fixture.read(busy.id)).status).toBe('busy');
    await status(lost, { status: 'completed' });
    await eventually(async () => expect((await fixture.read(lost.id)).hangup_reason).toBe('error: media'));
  });

  it("reports the end of a transferred caller's leg, and only that as such", async () => {
    const call = await fixture.ringing(tenant);
    const transfer = {
      ...{ workspace_id: tenant.workspace_id, call_id: call.id, id: newId(), provider: 'twilio', warm: false },
      ...{ name: 'S', number: '+919811112222', reason: '', summary: '', language: 'en', state: 'ringing' },
      ...{ state_at: new Date(), started_at: new Date(), caller_left_at: new Date() },
    };
    await fixture.sql`insert into transfers ${fixture.sql(transfer as never)}`;
    const endedAt = async () =>
      (await fixture.sql`select caller_ended_at from transfers where id = ${transfer.id}`)[0]!.caller_ended_at;
    await status(call, { status: 'in-progress' });
    expect(await endedAt()).toBeNull();
    await status(call, { status: 'completed' });
    expect(await endedAt()).not.toBeNull();
  });
});
