import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { ingest } from '../../../../control/calls/events/ingest.ts';
import { createReaper, type Reaper } from '../../../../control/calls/lifecycle/reaper.ts';
import {
  type CallFixture,
  createCallFixture,
  createShiftedClock,
  createTestBus,
  createTestCarrier,
  delivered,
  log,
  type Tenant,
  wholeCall,
} from '../call-fixture.ts';

let fixture: CallFixture;
let tenant: Tenant;
let reaper: Reaper | null = null;

beforeAll(async () => {
  fixture = await createCallFixture();
  tenant = await fixture.tenant(100);
});
afterEach(async () => {
  await reaper?.stop();
  reaper = null;
  await fixture.sql`delete from calls`;
});

const QUICK = { interval_ms: 40, engine_report_timeout_ms: 40 };

/** Starts a reaper at the real time. */
function reap(times = {}) {
  const clock = createShiftedClock();
  const bus = createTestBus();
  const { carriers, hungUp } = createTestCarrier();
  reaper = createReaper({ sql: fixture.sql, clock, log, bus, carriers, times: { ...QUICK, ...times } });
  reaper.start();
  return { clock, bus, hungUp };
}

async function live() {
  const call = await fixture.opened(tenant);
  await ingest(
    { sql: fixture.sql, clock: fixture.clock, log },
    wholeCall(call.id)
      .slice(0, 3)
      .map((event) => delivered(event)),
  );
  return fixture.read(call.id);
}

const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 30 });
/** Long enough for many runs of the reaper. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 400));

it('fails a call whose engine sent no heartbeat for 45 seconds', async () => {
  const call = await live();
  const { clock, hungUp } = reap();
  clock.shift(30_000);
  await aWhile();
  expect((await fixture.read(call.id)).status).toBe('in-progress');
  clock.shift(20_000);
  await eventually(async () => expect((await fixture.read(call.id)).status).toBe('failed'));
  const after = await fixture.read(call.id);
  expect(after).toMatchObject({ hangup_by: 'service', hangup_reason: 'media engine lost' });
  const [ended, completed] = (await fixture.timeline(call)).slice(-2);
  expect(ended).toMatchObject({ type: 'call.ended', level: 'error', message: 'media engine lost' });
  expect(ended!.data).toMatchObject({ hangup_by: 'service' });
  expect(completed).toMatchObject({ type: 'call.completed', data: { call: { status: 'failed' } } });
  await eventually(async () => expect(hungUp).toEqual([call.provider_call_id]));
});

it('spares a call whose engine sends heartbeats', async () => {
  const [alive, lost] = [await live(), await live()];
  const { clock, bus } = reap();
  clock.shift(30_000);
  bus.heartbeat([alive.id]);
  await eventually(async () => {
    const { heartbeat_at } = await fixture.read(alive.id);
    expect(heartbeat_at!.getTime()).toBeGreaterThan(Date.now() + 10_000);
  });
  clock.shift(20_000);
  await eventually(async () => expect((await fixture.read(lost.id)).status).toBe('failed'));
  await aWhile();
  expect((await fixture.read(alive.id)).status).toBe('in-progress');
});

it('does not count missing heartbeats while it could not receive them', async () => {
  const call = await live();
  await fixture.sql`update calls set heartbeat_at = heartbeat_at - interval '10 minutes' where id = ${call.id}`;
  const { clock, bus } = reap();
  await aWhile();
  expect((await fixture.read(call.id)).status).toBe('in-progress');
  bus.online = false;
  clock.shift(60_000);
  await aWhile();
  expect((await fixture.read(call.id)).status).toBe('in-progress');
  bus.online = true;
  await aWhile();
  expect((await fixture.read(call.id)).status).toBe('in-progress');
  clock.shift(46_000);
  await eventually(async () => expect((await fixture.read(call.id)).status).toBe('failed'));
});

it('ends a call that rings for 90 seconds, at the carrier first', async () => {
  const call = await fixture.ringing(tenant);
  const { clock, hungUp } = reap();
  clock.shift(60_000);
  await aWhile();
  expect((await fixture.read(call.id)).status).toBe('ringing');
  clock.shift(35_000);
  await eventually(async () => expect((await fixture.read(call.id)).status).toBe('no-answer'));
  expect(hungUp).toEqual([call.provider_call_id]);
  expect((await fixture.timeline(call)).at(-1)).toMatchObject({
    message: 'not connected: no-answer',
    level: 'warning',
  });
});

it('fails a call whose dispatcher died before the dial', async () => {
  const call = await fixture.ringing(tenant, '');
  const { clock, hungUp } = reap();
  clock.shift(91_000);
  await eventually(async () => expect((await fixture.read(call.id)).status).toBe('failed'));
  expect(await fixture.read(call.id)).toMatchObject({ hangup_reason: 'error: dispatch' });
  expect(hungUp).toEqual([]);
});

it('frees the slot and wakes the dispatcher', async () => {
  const call = await fixture.ringing(tenant);
  const woken: string[] = [];
  const listening = await fixture.sql.listen('dispatch', (workspaceId) => woken.push(workspaceId));
  const { clock } = reap();
  clock.shift(91_000);
  await eventually(async () => expect(woken).toContain(call.workspace_id));
  await listening.unlisten();
});

it('sends a hang-up command for a call that has ended', async () => {
  const [over, running] = [await live(), await live()];
  await fixture.sql`
    update calls set status = 'failed', ended_at = now() - interval '1 minute' where id = ${over.id}`;
  const { bus } = reap();
  bus.heartbeat([over.id, running.id, 'f'.repeat(32)]);
  await eventually(async () => expect(bus.commands.map(({ call_id }) => call_id)).toEqual([over.id]));
});

it('settles calls that the carrier ended, also while control was down', async () => {
  const [soon, later] = [await live(), await live()];
  await fixture.sql`update calls set carrier_ended_at = now() where id in (${soon.id}, ${later.id})`;
  reap({ interval_ms: 3_600_000 });
  reaper!.settleLater(soon.id);
  await eventually(async () => expect((await fixture.read(soon.id)).status).toBe('failed'));
  await reaper!.stop();
  reap();
  await eventually(async () => expect((await fixture.read(later.id)).status).toBe('failed'));
});
