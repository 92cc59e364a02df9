import { beforeAll, beforeEach, expect, it } from 'vitest';
import { createEngineRegistry, type EngineRegistry } from '../../../../control/calls/engines/engine-registry.ts';
import { openSession } from '../../../../control/calls/engines/sessions.ts';
import { createStreamUrls } from '../../../../control/calls/engines/stream-urls.ts';
import { handleInboundCall } from '../../../../control/calls/lifecycle/inbound-call.ts';
import { carrierUrls } from '../../../../control/carriers/carrier-urls.ts';
import { readMediaToken } from '../../../../shared/media-token.ts';
import { type CallFixture, carrierCallback, createCallFixture, log, type Tenant } from '../call-fixture.ts';

const SECRET = 'a secret of the tests';
let fixture: CallFixture;
let engines: EngineRegistry;
let calls = 0;

beforeAll(async () => {
  fixture = await createCallFixture();
});
beforeEach(() => {
  engines = createEngineRegistry('wss://media.example/', fixture.clock);
});

function ring(to_number: string, provider_call_id = `CAin${++calls}`, provider: 'twilio' | 'plivo' = 'twilio') {
  const { sql, clock } = fixture;
  const addresses = carrierUrls('http://127.0.0.1:1', 'wss://media.example/');
  const streamUrl = createStreamUrls({ clock, addresses, engines, mediaTokenSecret: SECRET });
  const callback = carrierCallback({ provider_call_id, from_number: '+919811112222', to_number, status: 'ringing' });
  return handleInboundCall({ sql, clock, log, streamUrl, engines }, provider, callback);
}

function tokenOf(url: string | null) {
  const prefix = 'wss://media.example/carrier/twilio/';
  expect(url?.startsWith(prefix)).toBe(true);
  const token = readMediaToken(SECRET, url!.slice(prefix.length), fixture.clock.wall());
  if (typeof token === 'string') throw new Error(token);
  return token;
}

const callsOf = ({ workspace_id }: Tenant) => fixture.sql`
  select * from calls where workspace_id = ${workspace_id} order by id`;

it('returns a stream URL with a token for 60 seconds', async () => {
  const tenant = await fixture.tenant();
  const beforeMs = fixture.clock.wall();
  const token = tokenOf(await ring(tenant.number, 'CA-first'));
  // In whole seconds, of which the last one is full.
  expect(token.expires_at_ms - beforeMs).toBeGreaterThanOrEqual(60_000);
  expect(token.expires_at_ms - fixture.clock.wall()).toBeLessThanOrEqual(61_000);
  const call = await fixture.read(token.call_id);
  expect(call).toMatchObject({ status: 'ringing', direction: 'inbound', agent_id: tenant.agent_id, started_by: '' });
  expect(call).toMatchObject({ from_number: '+919811112222', to_number: tenant.number, provider_call_id: 'CA-first' });
  expect(await fixture.types(call)).toEqual([]);
});

it('recognizes a repeated request', async () => {
  const tenant = await fixture.tenant();
  const urls = await Promise.all([ring(tenant.number, 'CA-twice'), ring(tenant.number, 'CA-twice')]);
  const [one, two] = urls.map(tokenOf);
  expect(one!.call_id).toBe(two!.call_id);
  expect(await callsOf(tenant)).toHaveLength(1);
  const { sql, clock } = fixture;
  const request = { call_id: one!.call_id, engine_id: 'e', carrier: 'twilio', provider_call_id: 'CA-twice' };
  expect((await openSession({ sql, clock, log }, { ...request, nonce: one!.nonce })).refused).toBe('');
  const second = await openSession({ sql, clock, log }, { ...request, nonce: two!.nonce });
  expect(second.refused).toBe('the token was used before');
  expect(await ring(tenant.number, 'CA-twice')).toBeNull();
});

it('is busy at the limit, however many ring at once, and stores the rejected calls', async () => {
  const tenant = await fixture.tenant(2);
  const answers = await Promise.all(Array.from({ length: 6 }, () => ring(tenant.number)));
  expect(answers.filter((answer) => answer !== null)).toHaveLength(2);
  const rejected = (await callsOf(tenant)).filter(({ status }) => status === 'failed');
  expect(rejected).toHaveLength(4);
  expect(rejected[0]).toMatchObject({ hangup_reason: 'all call slots are busy', hangup_by: 'service' });
  const [ended] = await fixture.timeline({ workspace_id: tenant.workspace_id, id: rejected[0]!.id });
  expect(ended).toMatchObject({ type: 'call.ended', level: 'warning', message: 'all call slots are busy' });
  expect(ended!.data).toEqual({ hangup_by: 'service' });
});

it('is busy without an available agent', async () => {
  const paused = await fixture.tenant(5, { status: 'paused' });
  const frozen = await fixture.tenant();
  await fixture.sql`update agents set status = 'frozen' where id = ${frozen.agent_id}`;
  const suspended = await fixture.tenant();
  await fixture.sql`update workspaces set state = 'suspended' where id = ${suspended.workspace_id}`;
  const withoutAgent = await fixture.tenant();
  await fixture.sql`update numbers set agent_id = null where number = ${withoutAgent.number}`;
  for (const tenant of [paused, frozen, suspended, withoutAgent]) {
    expect(await ring(tenant.number)).toBeNull();
    expect(await callsOf(tenant)).toMatchObject([{ status: 'failed', hangup_reason: 'agent not available' }]);
  }
});

it('is busy without credits, or without an engine with headroom', async () => {
  const broke = await fixture.tenant(5, {}, 0);
  expect(await ring(broke.number)).toBeNull();
  expect(await callsOf(broke)).toMatchObject([{ status: 'failed', hangup_reason: 'out of credits' }]);
  const [call] = await callsOf(broke);
  expect(await fixture.timeline({ workspace_id: broke.workspace_id, id: call!.id })).toMatchObject([
    { type: 'call.ended', level: 'warning', message: 'out of credits' },
  ]);

  const tenant = await fixture.tenant();
  engines.recordHeartbeat({ engine_id: 'e1', at_ms: 0, call_ids: [], headroom: 1 });
  expect(await ring(tenant.number)).not.toBeNull();
  expect(await ring(tenant.number)).toBeNull();
  const stored = await callsOf(tenant);
  expect(stored.map(({ status, hangup_reason }) => [status, hangup_reason])).toEqual([
    ['ringing', ''],
    ['failed', 'all call slots are busy'],
  ]);
});

it("is busy on a number that is unassigned, released, or another carrier's", async () => {
  const tenant = await fixture.tenant();
  expect(await ring('+19990001111')).toBeNull();
  expect(await ring(tenant.number, 'CA-other', 'plivo')).toBeNull();
  await fixture.sql`update numbers set status = 'released' where number = ${tenant.number}`;
  expect(await ring(tenant.number)).toBeNull();
  expect(await callsOf(tenant)).toEqual([]);
});

it('opens a session for the right stream only', async () => {
  const tenant = await fixture.tenant(100);
  const { sql, clock } = fixture;
  const open = async (more: object) => {
    const call_id = tokenOf(await ring(tenant.number, `CA-${++calls}`)).call_id;
    const { provider_call_id } = await fixture.read(call_id);
    const request = { call_id, nonce: 'c'.repeat(16), engine_id: 'e', carrier: 'twilio', provider_call_id };
    return (await openSession({ sql, clock, log }, { ...request, ...more })).refused;
  };
  expect(await open({})).toBe('');
  expect(await open({ provider_call_id: '' })).toBe('');
  expect(await open({ provider_call_id: 'CA-stranger' })).toBe('the call is another carrier call');
  expect(await open({ carrier: 'plivo' })).toBe('the call is another carrier call');
  expect(await open({ call_id: 'f'.repeat(32) })).toBe('the call is not known');
  expect(await open({ call_id: "'; drop table calls" })).toBe('the call is not known');
});
