import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { insideCallingHours } from '../../../control/calls/calling-hours.ts';
import { failQueuedCallsOf } from '../../../control/calls/cancel-queued.ts';
import { createEngineBoard, type EngineBoard } from '../../../control/calls/engine-board.ts';
import { hangUpCall } from '../../../control/calls/hang-up.ts';
import { dequeueNext, expireQueuedCalls, workspacesInTurn } from '../../../control/calls/queue.ts';
import { carrierUrls } from '../../../control/carriers/carrier-urls.ts';
import type { DialOutcome } from '../../../control/carriers/dial.ts';
import { startDispatcher } from '../../../control/dispatch/dispatcher.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';
import {
  accepts,
  type CallGround,
  createCallGround,
  createTestBus,
  createTestCarrier,
  log,
  type Tenant,
} from '../calls/call-ground.ts';

let ground: CallGround;
const addresses = carrierUrls('http://127.0.0.1:1', 'ws://127.0.0.1:2');
let stopping: (() => Promise<void>)[] = [];

beforeAll(async () => {
  ground = await createCallGround();
});
afterEach(async () => {
  await Promise.all(stopping.map((stop) => stop()));
  stopping = [];
  // What a test leaves queued is not the next one's business.
  await ground.sql`delete from calls`;
});

function dispatch(outcome?: () => Promise<DialOutcome>, everyMs?: number, board?: EngineBoard) {
  const carrier = createTestCarrier(outcome);
  const { sql, clock } = ground;
  const engines = board ?? createEngineBoard('ws://127.0.0.1:2', clock);
  const { carriers } = carrier;
  const { stop } = startDispatcher({
    sql,
    clock,
    log,
    carriers,
    addresses,
    streamAddress: () => '',
    engines,
    ...(everyMs ? { everyMs } : {}),
  });
  stopping.push(stop);
  return carrier;
}

const countOf = async ({ workspace_id }: Tenant, status: string) => {
  const [row] = await ground.sql`
    select count(*)::integer as count from calls where workspace_id = ${workspace_id} and status = ${status}`;
  return row!.count as number;
};
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 50 });

it('dials what is queued and tells how it went', async () => {
  const tenant = await ground.tenant();
  const call = await ground.queue(tenant);
  const { dialled } = dispatch();
  await eventually(async () => expect((await ground.read(call.id)).placed_at).not.toBeNull());
  expect(dialled).toEqual(['+919811112222']);
  const after = await ground.read(call.id);
  expect(after).toMatchObject({ status: 'ringing', provider_call_id: expect.stringMatching(/^CA\d+$/) });
  const timeline = await ground.timeline(call);
  expect(timeline.map(({ type }) => type)).toEqual(['call.queued', 'call.dequeued', 'call.placed']);
  expect(timeline[1]!.latency_ms).toBeGreaterThanOrEqual(0);
  expect(timeline[2]!.data).toEqual({ provider: 'twilio' });
});

it('is woken by a call that is placed', async () => {
  const tenant = await ground.tenant();
  const { dialled } = dispatch(accepts, 3_600_000);
  await eventually(async () => {
    const listening = await ground.sql`select 1 from pg_stat_activity where query ilike 'listen%'`;
    expect(listening.length).toBeGreaterThan(0);
  });
  await ground.queue(tenant);
  await eventually(async () => expect(dialled).toHaveLength(1));
});

it('never fills more slots than there are, however many dispatch at once', async () => {
  const tenant = await ground.tenant(3);
  for (let index = 0; index < 12; index++) await ground.queue(tenant);
  const { workspace_id } = tenant;
  const { sql, clock } = ground;
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

it('takes the oldest first and is not held up by calls that may not start', async () => {
  const tenant = await ground.tenant(10);
  const { workspace_id } = tenant;
  const paused = { ...tenant, agent_id: await ground.agent(workspace_id, {}) };
  const hour = new Date().getUTCHours();
  const closed = hour < 12 ? { call_start_hour: 13, call_end_hour: 14 } : { call_start_hour: 2, call_end_hour: 3 };
  const call = { calling_hours: true, timezone: 'UTC', ...closed };
  const outside = { ...tenant, agent_id: await ground.agent(workspace_id, { call }) };
  const waits = [await ground.queue(paused), await ground.queue(outside)];
  await ground.sql`update agents set status = 'paused' where id = ${paused.agent_id}`;
  const first = await ground.queue(tenant, '+919811110001');
  const second = await ground.queue(tenant, '+919811110002');
  const next = () => ground.sql.begin((tx) => dequeueNext(tx, workspace_id, ground.clock.wall()));
  expect((await next())?.id).toBe(first.id);
  expect((await next())?.id).toBe(second.id);
  expect(await next()).toBeNull();
  for (const { id } of waits) expect((await ground.read(id)).status).toBe('queued');
});

it('dials nothing for a workspace that is not active, and serves workspaces in turn', async () => {
  const [big, small, closed] = [await ground.tenant(), await ground.tenant(), await ground.tenant()];
  for (let index = 0; index < 3; index++) await ground.queue(big);
  await ground.queue(closed);
  await ground.sql`update workspaces set state = 'suspended' where id = ${closed.workspace_id}`;
  const now = new Date();
  await ground.sql`insert into dispatch_turns values (${big.workspace_id}, ${now})`;
  await ground.queue(small);
  expect(await workspacesInTurn(ground.sql, ground.clock.wall())).toEqual([small.workspace_id, big.workspace_id]);
  dispatch();
  await eventually(async () => expect(await countOf(big, 'queued')).toBe(0));
  expect(await countOf(closed, 'queued')).toBe(1);
});

it('takes no call while no engine has room, and goes on when one has', async () => {
  const tenant = await ground.tenant();
  for (let index = 0; index < 4; index++) await ground.queue(tenant);
  const engines = createEngineBoard('ws://127.0.0.1:2', ground.clock);
  const beat = (room: number, call_ids: string[] = []) =>
    engines.heard({ engine_id: 'e', at_ms: 0, call_ids, headroom: room });
  beat(0);
  const { dialled } = dispatch(accepts, 30, engines);
  const aWhile = () => new Promise((resolve) => setTimeout(resolve, 300));
  await aWhile();
  expect([dialled.length, await countOf(tenant, 'queued')]).toEqual([0, 4]);
  beat(3);
  await eventually(async () => expect(dialled).toHaveLength(3));
  await aWhile();
  // Whoever rings will need a place.
  expect([dialled.length, await countOf(tenant, 'queued')]).toEqual([3, 1]);
  await ground.sql`update calls set media_nonce = 'n' where status = 'ringing'`;
  beat(1);
  await eventually(async () => expect(dialled).toHaveLength(4));
});

it("ends a refused call with the carrier's words", async () => {
  const tenant = await ground.tenant();
  const call = await ground.queue(tenant);
  dispatch(async () => ({ accepted: false, reason: 'number barred' }));
  await eventually(async () => expect((await ground.read(call.id)).status).toBe('failed'));
  expect((await ground.read(call.id)).hangup_reason).toBe('dial refused: number barred');
  const [ended] = (await ground.timeline(call)).slice(-1);
  expect(ended).toMatchObject({ type: 'call.ended', level: 'error', message: 'dial refused: number barred' });
});

it('hangs up at the carrier what was hung up while it was dialled', async () => {
  const tenant = await ground.tenant();
  const call = await ground.queue(tenant);
  let answer = (_outcome: DialOutcome) => {};
  const { hungUp, carriers, dialled } = dispatch(() => new Promise((resolve) => (answer = resolve)));
  await eventually(async () => expect(dialled).toHaveLength(1));
  const { sql, clock } = ground;
  await hangUpCall({ sql, clock, log, bus: createTestBus(), carriers }, tenant.workspace_id, call.id, {
    kind: 'api_key',
    id: 'key1',
    name: 'Key one',
  });
  expect(hungUp).toEqual([]);
  answer({ accepted: true, provider_call_id: 'CA-late', provider_request_id: '' });
  await eventually(async () => expect(hungUp).toEqual(['CA-late']));
});

it('cancels what waited a day', async () => {
  const tenant = await ground.tenant();
  const [old, young] = [await ground.queue(tenant), await ground.queue(tenant)];
  await ground.sql`update calls set queued_at = queued_at - interval '25 hours' where id = ${old.id}`;
  expect(await expireQueuedCalls(ground.sql, ground.clock.wall())).toBe(1);
  expect(await ground.read(old.id)).toMatchObject({ status: 'canceled', hangup_reason: 'expired in queue' });
  expect((await ground.timeline(old)).at(-1)).toMatchObject({ type: 'call.ended', level: 'warning' });
  expect((await ground.read(young.id)).status).toBe('queued');
});

it('fails what waits for an agent that is deleted, and only that', async () => {
  const tenant = await ground.tenant();
  const { workspace_id, agent_id } = tenant;
  const live = await ground.ringing(tenant);
  const waiting = await ground.queue(tenant);
  const another = await ground.queue({ ...tenant, agent_id: await ground.agent(workspace_id) });
  await ground.sql.begin((tx) => failQueuedCallsOf(tx, workspace_id, agent_id, ground.clock.wall()));
  expect(await ground.read(waiting.id)).toMatchObject({ status: 'failed', hangup_reason: 'agent deleted' });
  expect((await ground.read(live.id)).status).toBe('ringing');
  expect((await ground.read(another.id)).status).toBe('queued');
});

it("knows the calling hours of the agent's zone", () => {
  const { call } = agentConfigSchema.parse({ name: 'A', call: { calling_hours: true } });
  const at = (time: string) => insideCallingHours(call, Date.parse(time));
  expect(at('2026-01-05T09:00:00+05:30')).toBe(true);
  expect(at('2026-01-05T08:59:59+05:30')).toBe(false);
  expect(at('2026-01-05T20:59:59+05:30')).toBe(true);
  expect(at('2026-01-05T21:00:00+05:30')).toBe(false);
  const allDay = agentConfigSchema.parse({ name: 'A', call: { ...call, call_start_hour: 0, call_end_hour: 24 } }).call;
  expect(insideCallingHours(allDay, Date.parse('2026-01-05T00:10:00+05:30'))).toBe(true);
});
