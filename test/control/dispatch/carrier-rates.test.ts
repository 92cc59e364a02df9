import { afterEach, beforeAll, expect, it } from 'vitest';
import { hangUpCall } from '../../../control/calls/lifecycle/hang-up.ts';
import type { DialOutcome } from '../../../control/carriers/dial.ts';
import { connectDatabase } from '../../../control/db/connect.ts';
import {
  afterPlacing,
  afterRefusal,
  learntInterval,
  readCallsPerSecond,
} from '../../../control/dispatch/carrier-rates.ts';
import { dialCall } from '../../../control/dispatch/dial-call.ts';
import { takeNextCalls } from '../../../control/dispatch/dispatcher.ts';
import { createPlacing } from '../../../control/dispatch/placing.ts';
import {
  accepts,
  type CallFixture,
  createCallFixture,
  createTestBus,
  createTestCarrier,
  log,
} from '../calls/call-fixture.ts';

const START_MS = Date.UTC(2026, 0, 5, 6, 30);
const fresh = { next_at_ms: 0, learnt_interval_ms: 0, learnt_at_ms: 0 };

let fixture: CallFixture;

beforeAll(async () => {
  fixture = await createCallFixture();
});
afterEach(async () => {
  await fixture.sql`delete from calls`;
  await fixture.sql`delete from carrier_rates`;
});

/**
 * Two control processes with their own connections, each of which looks for calls every 100 ms of a clock that the test moves.
 * `takes`: what the carrier does with a dial at that time.
 */
async function twoProcesses(takes: (nowMs: number) => DialOutcome, callsPerSecond?: ReadonlyMap<string, number>) {
  let nowMs = fixture.clock.wall();
  const startMs = nowMs;
  const clock = { ...fixture.clock, wall: () => nowMs };
  const carrier = createTestCarrier(async () => takes(nowMs));
  const addresses = { answerUrl: () => 'http://127.0.0.1:1/a', statusUrl: () => 'http://127.0.0.1:1/s' };
  const pools = [fixture.sql, connectDatabase({ url: fixture.url, max: 2 })];
  const processes = pools.map((sql) => ({
    deps: { sql, clock, log, carriers: carrier.carriers, addresses, streamUrl: () => '' },
    placing: createPlacing({ sql, clock, ...(callsPerSecond ? { callsPerSecond } : {}) }),
  }));

  async function look(workspaceId: string): Promise<void> {
    for (const { deps, placing } of processes) {
      const limits = await placing.readLimits();
      for (const provider of limits.slowed) {
        for (let call = await placing.takeSlowed(provider); call; call = await placing.takeSlowed(provider)) {
          await dialCall(deps, call);
        }
      }
      // One call of the workspace in each look, as between workspaces in turn.
      const [call] = await takeNextCalls(deps.sql, workspaceId, 1, nowMs, limits);
      if (call) await dialCall(deps, call);
    }
  }

  return {
    carrier,
    secondsSoFar: () => (nowMs - startMs) / 1_000,
    async run(workspaceId: string, seconds: number, until: () => boolean = () => false) {
      for (const endMs = nowMs + seconds * 1_000; nowMs < endMs && !until(); nowMs += 100) await look(workspaceId);
    },
    close: () => pools[1]!.end({ timeout: 5 }),
  };
}

/** A carrier's account that takes a call a second, and refuses the others. */
function oneCallASecond() {
  const account = { refused: 0, taken: 0, lastMs: 0 };
  const takes = (nowMs: number): DialOutcome => {
    if (nowMs - account.lastMs < 1_000) {
      account.refused++;
      return { accepted: 'later', reason: 'Too Many Requests', retry_after_ms: 1_000 };
    }
    account.lastMs = nowMs;
    return { accepted: true, provider_call_id: `CA-${++account.taken}`, provider_request_id: '' };
  };
  return { account, takes };
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => `+9198111${String(10_000 + n)}`);
/** The numbers in the order in which the carrier took them. */
const taken = async () => {
  const rows = await fixture.sql<{ to_number: string }[]>`
    select to_number from calls where placed_at is not null order by placed_at, provider_call_id`;
  return rows.map(({ to_number }) => to_number);
};

it('learns from refusals: no call fails by them, the order stays, and few are refused', async () => {
  const tenant = await fixture.tenant(100);
  const to = numbers(12);
  for (const number of to) await fixture.queue(tenant, number);
  const { account, takes } = oneCallASecond();
  const both = await twoProcesses(takes);
  await both.run(tenant.workspace_id, 60, () => account.taken === to.length);
  await both.close();
  expect(await taken()).toEqual(to);
  expect(account.refused).toBeLessThanOrEqual(2);
  expect(both.secondsSoFar()).toBeLessThanOrEqual(to.length * 2);
  expect(await fixture.sql`select 1 from calls where status <> 'ringing'`).toHaveLength(0);
});

it('is refused nothing where the rate is set', async () => {
  const tenant = await fixture.tenant(100);
  const to = numbers(8);
  for (const number of to) await fixture.queue(tenant, number);
  const { account, takes } = oneCallASecond();
  await fixture.sql`
    insert into carrier_rates (provider, next_at, learnt_at) values ('twilio', 'epoch', 'epoch')`;
  const both = await twoProcesses(takes, new Map([['twilio', 1]]));
  await both.run(tenant.workspace_id, to.length);
  await both.close();
  expect(await taken()).toEqual(to);
  expect(account.refused).toBe(0);
});

it('leaves the calls of other carriers alone', async () => {
  const tenant = await fixture.tenant(100);
  await fixture.queue(tenant, '+919811110001');
  const other = await fixture.queue(tenant, '+919811110002');
  const agent = await fixture.agent(tenant.workspace_id);
  await fixture.sql`update calls set provider = 'plivo', agent_id = ${agent} where id = ${other.id}`;
  const both = await twoProcesses(() => ({ accepted: 'later', reason: 'slow', retry_after_ms: 60_000 }));
  both.carrier.carriers.set('plivo' as never, { ...both.carrier.carrier, dial: accepts });
  await both.run(tenant.workspace_id, 1);
  await both.close();
  expect(await taken()).toEqual(['+919811110002']);
});

it('ends a call that is hung up while it waits to be dialled again', async () => {
  const tenant = await fixture.tenant(100);
  const call = await fixture.queue(tenant);
  const both = await twoProcesses(() => ({ accepted: 'later', reason: 'slow', retry_after_ms: 2_000 }));
  await both.run(tenant.workspace_id, 1);
  const { sql, clock } = fixture;
  const actor = { kind: 'user', id: 'ravi', name: 'Ravi' } as const;
  const { carriers, dialled } = both.carrier;
  await hangUpCall({ sql, clock, log, bus: createTestBus(), carriers }, tenant.workspace_id, call.id, actor);
  await both.run(tenant.workspace_id, 3);
  await both.close();
  expect(await fixture.read(call.id)).toMatchObject({ status: 'canceled', hangup_reason: 'hung up by Ravi' });
  expect(dialled).toHaveLength(1);
});

it('fails a call that its carrier put off ten times, with its words', async () => {
  const tenant = await fixture.tenant(100);
  const call = await fixture.queue(tenant);
  const both = await twoProcesses(() => ({ accepted: 'later', reason: 'Too Many Requests', retry_after_ms: 100 }));
  await both.run(tenant.workspace_id, 300, () => both.carrier.dialled.length === 11);
  await both.close();
  const { status, hangup_reason } = await fixture.read(call.id);
  expect({ status, hangup_reason }).toEqual({ status: 'failed', hangup_reason: 'dial refused: Too Many Requests' });
});

it('places at the rate that is set, in slices of 200 ms', () => {
  const slow = afterPlacing(fresh, 1, START_MS)!;
  expect(slow.next_at_ms).toBe(START_MS + 1_000);
  expect(afterPlacing(slow, 1, START_MS + 999)).toBeNull();
  expect(afterPlacing(slow, 1, START_MS + 1_000)).not.toBeNull();
  let [fast, placed] = [afterPlacing(fresh, 50, START_MS), 0];
  for (let rate = fast; rate; rate = afterPlacing(rate, 50, START_MS)) [fast, placed] = [rate, placed + 1];
  expect(placed).toBe(10);
  expect(afterPlacing(fresh, undefined, START_MS)).toMatchObject({ next_at_ms: START_MS });
});

it('halves the rate with a refusal, once in a burst, and doubles it every minute', () => {
  const first = afterRefusal(fresh, null, START_MS);
  expect(first).toEqual({ next_at_ms: START_MS + 1_000, learnt_interval_ms: 1_000, learnt_at_ms: START_MS });
  expect(afterRefusal(first, 5_000, START_MS + 500)).toEqual({ ...first, next_at_ms: START_MS + 5_500 });
  expect(afterRefusal(first, null, START_MS + 1_000).learnt_interval_ms).toBeCloseTo(1_977, 0);
  expect(learntInterval(first, START_MS + 60_000)).toBe(500);
  expect(learntInterval(first, START_MS + 600_000)).toBe(0);
});

it('reads the setting', () => {
  expect(readCallsPerSecond(' twilio=1, plivo=2.5 ')).toEqual(new Map(Object.entries({ twilio: 1, plivo: 2.5 })));
  expect(readCallsPerSecond('')).toEqual(new Map());
  for (const wrong of ['twillio=1', 'twilio', 'twilio=0'])
    expect(() => readCallsPerSecond(wrong)).toThrow(/wants entries/);
});
