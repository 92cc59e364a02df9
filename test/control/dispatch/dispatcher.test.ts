import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createEngineRegistry, type EngineRegistry } from '../../../control/calls/engines/engine-registry.ts';
import { hangUpCall } from '../../../control/calls/lifecycle/hang-up.ts';
import { failQueuedCallsOfAgent } from '../../../control/calls/queue/bulk-cancel.ts';
import { dequeueNext } from '../../../control/calls/queue/call-queue.ts';
import { isWithinCallingHours } from '../../../control/calls/queue/calling-hours.ts';
import { expireQueuedCalls } from '../../../control/calls/queue/expire-calls.ts';
import { workspacesInTurn } from '../../../control/calls/queue/queues.ts';
import { carrierUrls } from '../../../control/carriers/carrier-urls.ts';
import type { DialOutcome } from '../../../control/carriers/dial.ts';
import { startDispatcher } from '../../../control/dispatch/dispatcher.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';
import {
  accepts,
  type CallFixture,
  createCallFixture,
  createTestBus,
  createTestCarrier,
  log,
  type Tenant,
} from '../calls/call-fixture.ts';

let fixture: CallFixture;
const addresses = carrierUrls('http://127.0.0.1:1', 'ws://127.0.0.1:2');
let stopping: (() => Promise<void>)[] = [];

beforeAll(async () => {
  fixture = await createCallFixture();
});
afterEach(async () => {
  await Promise.all(stopping.map((stop) => stop()));
  stopping = [];
  // Calls that a test leaves queued must not affect the next one.
  await fixture.sql`delete from calls`;
});

function dispatch(outcome?: () => Promise<DialOutcome>, intervalMs?: number, registry?: EngineRegistry) {
  const carrier = createTestCarrier(outcome);
  const { sql, clock } = fixture;
  const engines = registry ?? createEngineRegistry('ws://127.0.0.1:2', clock);
  const { carriers } = carrier;
  const { stop } = startDispatcher({
    sql,
    clock,
    log,
    carriers,
    addresses,
    streamUrl: () => '',
    engines,
    ...(intervalMs ? { intervalMs } : {}),
  });
  stopping.push(stop);
  return carrier;
}

const countOf = async ({ workspace_id }: Tenant, status: string) => {
  const [row] = await fixture.sql`
    select count(*)::integer as count from calls where workspace_id = ${workspace_id} and status = ${status}`;
  return row!.count as number;
};
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 50 });

it('dials queued calls and writes the outcome', async () => {
  const tenant = await fixture.tenant();
  const call = await fixture.queue(tenant);
  const { dialled } = dispatch();
  await eventually(async () => expect((await fixture.read(call.id)).placed_at).not.toBeNull());
  expect(dialled).toEqual(['+919811112222']);
  const after = await fixture.read(call.id);
  expect(after).toMatchObject({ status: 'ringing', provider_call_id: expect.stringMatching(/^CA\d+$/) });
  const timeline = await fixture.timeline(call);
  expect(timeline.map(({ type }) => type)).toEqual(['call.queued', 'call.dequeued', 'call.placed']);
  expect(timeline[1]!.latency_ms).toBeGreaterThanOrEqual(0);
  expect(timeline[2]!.data).toEqual({ provider: 'twilio' });
});

it('is woken by a call that is placed', async () => {
  const tenant = await fixture.tenant();
  const { dialled } = dispatch(accepts, 3_600_000);
  // The first may be found by the dispatcher's first look.
  for (const count of [1, 2]) {
    await fixture.queue(tenant);
    await eventually(async () => expect(dialled).toHaveLength(count));
  }
});

it('never exceeds the slots with concurrent dispatchers', async () => {
  const tenant = await fixture.tenant(3);
  for (let index = 0; index < 12; index++) await fixture.queue(tenant);
  const { workspace_id } = tenant;
  const { sql, clock } = fixture;
  const taken = await Promise.all(
    Array.from({ length: 16 }, () => sql.begin((tx) => dequeueNext(tx, workspace_id, clock.wall()))),
  );
  const ids = taken.flatMap((call) => (call ? [call.id] : []));
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(3);
  expect([await countOf(tenant, 'ringing'), await countOf(tenant, 'queued')]).toEqual([3, 9]);

  for (let index = 0; index < 3; index++) dispatch(accepts, 50);
  for (let round = 0; round < 3; round++) {
    await sql`update calls set status = 'no-answer' where workspace_id = ${workspace_id} and status = 'ringing'`;
    await eventually(async () => expect(await countOf(tenant, 'ringing')).toBe(3));
  }
  expect(await countOf(tenant, 'queued')).toBe(0);
});

it('takes the oldest first and is not blocked by calls that may not start', async () => {
  const tenant = await fixture.tenant(10);
  const { workspace_id } = tenant;
  const paused = { ...tenant, agent_id: await fixture.agent(workspace_id, {}) };
  const hour = new Date().getUTCHours();
  const closed = hour < 12 ? { call_start_hour: 13, call_end_hour: 14 } : { call_start_hour: 2, call_end_hour: 3 };
  const call = { calling_hours: true, timezone: 'UTC', ...closed };
  const outside = { ...tenant, agent_id: await fixture.agent(workspace_id, { call }) };
  const waits = [await fixture.queue(paused), await fixture.queue(outside)];
  await fixture.sql`update agents set status = 'paused' where id = ${paused.agent_id}`;
  const first = await fixture.queue(tenant, '+919811110001');
  const second = await fixture.queue(tenant, '+919811110002');
  const next = () => fixture.sql.begin((tx) => dequeueNext(tx, workspace_id, fixture.clock.wall()));
  expect((await next())?.id).toBe(first.id);
  expect((await next())?.id).toBe(second.id);
  expect(await next()).toBeNull();
  for (const { id } of waits) expect((await fixture.read(id)).status).toBe('queued');
});

it('dials nothing for a workspace that is not active, and serves workspaces in turn', async () => {
  const [big, small, closed] = [await fixture.tenant(), await fixture.tenant(), await fixture.tenant()];
  for (let index = 0; index < 3; index++) await fixture.queue(big);
  await fixture.queue(closed);
  await fixture.sql`update workspaces set state = 'suspended' where id = ${closed.workspace_id}`;
  const now = new Date();
  await fixture.sql`insert into dispatch_turns values (${big.workspace_id}, ${now})`;
  await fixture.queue(small);
  expect(await workspacesInTurn(fixture.sql, fixture.clock.wall())).toEqual([small.workspace_id, big.workspace_id]);
  dispatch();
  await eventually(async () => expect(await countOf(big, 'queued')).toBe(0));
  expect(await countOf(closed, 'queued')).toBe(1);
});

it('takes no call while no engine has headroom, and continues when one has', async () => {
  const tenant = await fixture.tenant();
  for (let index = 0; index < 4; index++) await fixture.queue(tenant);
  const engines = createEngineRegistry('ws://127.0.0.1:2', fixture.clock);
  const heartbeat = (headroom: number, call_ids: string[] = []) =>
    engines.recordHeartbeat({ engine_id: 'e', at_ms: 0, call_ids, headroom });
  heartbeat(0);
  // Every run asks for the headroom before it takes calls.
  let runs = 0;
  const headroom = (waiting?: Iterable<string>) => {
    if (waiting) runs++;
    return engines.headroom(waiting);
  };
  const { dialled } = dispatch(accepts, 30, { ...engines, headroom });
  const aRun = async () => {
    const before = runs;
    await eventually(async () => expect(runs).toBeGreaterThan(before + 1));
  };
  await aRun();
  expect([dialled.length, await countOf(tenant, 'queued')]).toEqual([0, 4]);
  heartbeat(3);
  await eventually(async () => expect(dialled).toHaveLength(3));
  await aRun();
  // Ringing calls will need an engine.
  expect([dialled.length, await countOf(tenant, 'queued')]).toEqual([3, 1]);
  await fixture.sql`update calls set media_nonce = 'n' where status = 'ringing'`;
  heartbeat(1);
  await eventually(async () => expect(dialled).toHaveLength(4));
});

it("ends a refused call with the carrier's reason", async () => {
  const tenant = await fixture.tenant();
  const call = await fixture.queue(tenant);
  dispatch(async () => ({ accepted: false, reason: 'number barred' }));
  await eventually(async () => expect((await fixture.read(call.id)).status).toBe('failed'));
  expect(await fixture.read(call.id)).toMatchObject({
    hangup_by: 'carrier',
    hangup_reason: 'dial refused: number barred',
  });
  const [ended] = (await fixture.timeline(call)).slice(-1);
  expect(ended).toMatchObject({ type: 'call.ended', level: 'error', message: 'dial refused: number barred' });
});

it('ends a call itself when there is no account with the carrier of its number', async () => {
  const tenant = await fixture.tenant();
  const call = await fixture.queue(tenant);
  await fixture.sql`update calls set provider = 'vonage' where id = ${call.id}`;
  dispatch();
  await eventually(async () => expect((await fixture.read(call.id)).status).toBe('failed'));
  expect(await fixture.read(call.id)).toMatchObject({
    hangup_by: 'service',
    hangup_reason: 'dial refused: this service has no account with vonage',
  });
  expect((await fixture.timeline(call)).at(-1)!.data).toEqual({ hangup_by: 'service' });
});

it('hangs up at the carrier when a hang-up was requested during the dial', async () => {
  const tenant = await fixture.tenant();
  const call = await fixture.queue(tenant);
  let answer = (_outcome: DialOutcome) => {};
  const { hungUp, carriers, dialled } = dispatch(() => new Promise((resolve) => (answer = resolve)));
  await eventually(async () => expect(dialled).toHaveLength(1));
  const { sql, clock } = fixture;
  await hangUpCall({ sql, clock, log, bus: createTestBus(), carriers }, tenant.workspace_id, call.id, {
    kind: 'api_key',
    id: 'key1',
    name: 'Key one',
  });
  expect(hungUp).toEqual([]);
  answer({ accepted: true, provider_call_id: 'CA-late', provider_request_id: '' });
  await eventually(async () => expect(hungUp).toEqual(['CA-late']));
});

it('cancels calls that waited for a day', async () => {
  const tenant = await fixture.tenant();
  const [old, young] = [await fixture.queue(tenant), await fixture.queue(tenant)];
  await fixture.sql`update calls set queued_at = queued_at - interval '25 hours' where id = ${old.id}`;
  expect(await expireQueuedCalls(fixture.sql, fixture.clock.wall())).toBe(1);
  expect(await fixture.read(old.id)).toMatchObject({ status: 'canceled', hangup_reason: 'expired in queue' });
  expect((await fixture.timeline(old)).at(-1)).toMatchObject({ type: 'call.ended', level: 'warning' });
  expect((await fixture.read(young.id)).status).toBe('queued');
});

it('fails the queued calls of a deleted agent, and no others', async () => {
  const tenant = await fixture.tenant();
  const { workspace_id, agent_id } = tenant;
  const live = await fixture.ringing(tenant);
  const waiting = await fixture.queue(tenant);
  const another = await fixture.queue({ ...tenant, agent_id: await fixture.agent(workspace_id) });
  await fixture.sql.begin((tx) => failQueuedCallsOfAgent(tx, workspace_id, agent_id, fixture.clock.wall()));
  expect(await fixture.read(waiting.id)).toMatchObject({ status: 'failed', hangup_reason: 'agent deleted' });
  expect((await fixture.read(live.id)).status).toBe('ringing');
  expect((await fixture.read(another.id)).status).toBe('queued');
});

it("applies calling hours in the agent's zone", () => {
  const { call } = agentConfigSchema.parse({ name: 'A', call: { calling_hours: true } });
  const at = (time: string) => isWithinCallingHours(call, Date.parse(time));
  expect(at('2026-01-05T09:00:00+05:30')).toBe(true);
  expect(at('2026-01-05T08:59:59+05:30')).toBe(false);
  expect(at('2026-01-05T20:59:59+05:30')).toBe(true);
  expect(at('2026-01-05T21:00:00+05:30')).toBe(false);
  const allDay = agentConfigSchema.parse({ name: 'A', call: { ...call, call_start_hour: 0, call_end_hour: 24 } }).call;
  expect(isWithinCallingHours(allDay, Date.parse('2026-01-05T00:10:00+05:30'))).toBe(true);
});
