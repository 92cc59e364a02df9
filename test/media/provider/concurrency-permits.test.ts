import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import {
  type ConcurrencyPermit,
  type ConcurrencyPermits,
  createConcurrencyPermits,
  RENEW_EVERY_MS,
} from '../../../media/provider/concurrency-permits.ts';
import { type Bus, connectBus } from '../../../shared/bus/bus.ts';
import { createLogger } from '../../../shared/log.ts';
import { startTestNats } from '../../support/nats.ts';
import { createPatientClock } from '../../support/patient-clock.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

const log = createLogger('test', 'fatal');
let url = '';
let opened: Bus[] = [];
let engines: ConcurrencyPermits[] = [];
let accounts = 0;
let children: ChildProcess[] = [];

beforeAll(async () => {
  url = (await startTestNats()).url;
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
  await Promise.all(engines.map((engine) => engine.close()));
  await Promise.all(opened.map((bus) => bus.close()));
  engines = [];
  opened = [];
});

/** An engine with a bus connection of its own; a fresh account for every test. */
async function engine(limit: number, account = `account-${accounts}`, clock: VirtualClock | null = null) {
  const bus = await connectBus({ url, name: 'test', log, streamTimeoutMs: 60_000 });
  await bus.prepare();
  opened.push(bus);
  const permits = createConcurrencyPermits({
    registry: bus.permits,
    limits: new Map([[account, limit]]),
    clock: clock ?? createPatientClock([RENEW_EVERY_MS]),
    log,
  });
  engines.push(permits);
  return { permits, account, bus };
}

/** An engine in a process of its own, and its output. */
function engineProcess(...args: string[]) {
  const path = join(import.meta.dirname, '../../support/permit-taker.ts');
  const child = spawn(process.execPath, [path, url, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = once(child, 'close');
  return { child, ended, output: () => output };
}

test('two engines never hold more permits than the limit', async () => {
  const account = `account-${++accounts}`;
  const both = [engineProcess(account, '5', 'work', '30'), engineProcess(account, '5', 'work', '30')];
  await Promise.all(both.map(({ ended }) => ended));
  const held = both.flatMap(({ output }) => JSON.parse(output()) as [number, number][]);
  expect(held).toHaveLength(60);
  const max = Math.max(...held.map(([at]) => held.filter(([from, to]) => from <= at && at < to).length));
  expect(max).toBeLessThanOrEqual(5);
});

test('acquire waits as long as asked, and no longer', async () => {
  accounts++;
  const { permits, account } = await engine(1);
  const first = (await permits.acquire(account, 0)) as ConcurrencyPermit;
  expect(await permits.acquire(account, 300)).toBeNull();
  const waiting = permits.acquire(account, 20_000);
  first.release();
  expect(await waiting).not.toBeNull();
});

test('a released permit is acquired again without the bus', async () => {
  accounts++;
  const { permits, account } = await engine(2);
  expect(permits.tryAcquire(account)).toBeNull();
  (await permits.acquire(account, 0))!.release();
  const again = permits.tryAcquire(account);
  expect(again).not.toBeNull();
  expect(permits.inUse(account)).toBe(1);
  again!.release();
  again!.release();
  expect(permits.inUse(account)).toBe(0);
});

test('the permits of a killed engine expire', async () => {
  const account = `account-${++accounts}`;
  const { child, output } = engineProcess(account, '3', 'hold');
  await expect.poll(output).toBe('held\n');
  const { permits } = await engine(3, account);
  expect(await permits.acquire(account, 0)).toBeNull();
  child.kill('SIGKILL');
  const back = await Promise.all([1, 2, 3].map(() => permits.acquire(account, 120_000)));
  expect(back.every((permit) => permit !== null)).toBe(true);
});

test('a refusal closes the account in every engine for a while', async () => {
  accounts++;
  const clock = createVirtualClock();
  const [a, b] = [await engine(5, undefined, clock), await engine(5, undefined, clock)];
  const free = `free-${accounts}`;
  const refused = () => {
    // The other engine may not have subscribed yet.
    a.permits.reportRefusal(a.account);
    a.permits.reportRefusal(free);
    return b.permits.tryAcquire(free);
  };
  await expect.poll(refused).toBeNull();
  expect(await b.permits.acquire(b.account, 0)).toBeNull();
  // A second refusal may still be on its way.
  const later = async () => {
    await clock.advance(10_000);
    return b.permits.tryAcquire(free);
  };
  await expect.poll(later).not.toBeNull();
  const acquired = async () => {
    await clock.advance(10_000);
    return b.permits.acquire(b.account, 0);
  };
  await expect.poll(acquired).not.toBeNull();
});

test('an account without a limit is counted and never refused', async () => {
  accounts++;
  const { permits } = await engine(1);
  for (let i = 0; i < 20; i++) expect(permits.tryAcquire('other')).not.toBeNull();
  expect(permits.inUse('other')).toBe(20);
});

test('without the bus every stream is allowed', async () => {
  accounts++;
  const { permits, account, bus } = await engine(1);
  await bus.close();
  expect(await permits.acquire(account, 0)).not.toBeNull();
});

test('a held permit is renewed on the bus, and the bus says which are held', async () => {
  accounts++;
  const clock = createVirtualClock();
  const { permits, account, bus } = await engine(1, undefined, clock);
  const renewed: (number | null)[] = [];
  const { renew } = bus.permits;
  bus.permits.renew = async (...args) => {
    const version = await renew(...args);
    renewed.push(version);
    return version;
  };
  await permits.acquire(account, 0);
  expect(await bus.permits.held(account)).toEqual([0]);
  for (let renewals = 1; renewals <= 2; renewals++) {
    await clock.advance(RENEW_EVERY_MS);
    await expect.poll(() => renewed.length).toBe(renewals);
  }
  expect(renewed[1]).toBeGreaterThan(renewed[0]!);
  await permits.close();
  expect(await bus.permits.held(account)).toEqual([]);
});
