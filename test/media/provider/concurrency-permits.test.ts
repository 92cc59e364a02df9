import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import {
  type ConcurrencyPermit,
  type ConcurrencyPermits,
  createConcurrencyPermits,
} from '../../../media/provider/concurrency-permits.ts';
import { type Bus, connectBus } from '../../../shared/bus/bus.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { startTestNats } from '../../support/nats.ts';
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

/** An engine of its own connection; a fresh account for every test. */
async function engine(limit: number, account = `account-${accounts}`, clock: VirtualClock | null = null) {
  const bus = await connectBus({ url, name: 'test', log });
  await bus.prepare();
  opened.push(bus);
  const places = createConcurrencyPermits({
    registry: bus.permits,
    limits: new Map([[account, limit]]),
    clock: clock ?? systemClock,
    log,
  });
  engines.push(places);
  return { places, account, bus };
}

/** An engine as a process of its own, and what it printed. */
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

test('two engines never hold more places than there are, however they hurry', async () => {
  const account = `account-${++accounts}`;
  const both = [engineProcess(account, '5', 'work', '30'), engineProcess(account, '5', 'work', '30')];
  await Promise.all(both.map(({ ended }) => ended));
  const held = both.flatMap(({ output }) => JSON.parse(output()) as [number, number][]);
  expect(held).toHaveLength(60);
  const most = Math.max(...held.map(([at]) => held.filter(([from, to]) => from <= at && at < to).length));
  expect(most).toBeLessThanOrEqual(5);
}, 60_000);

test('who finds none waits as long as it was told, and no longer', async () => {
  accounts++;
  const { places, account } = await engine(1);
  const first = (await places.acquire(account, 0)) as ConcurrencyPermit;
  expect(await places.acquire(account, 300)).toBeNull();
  const waiting = places.acquire(account, 20_000);
  first.release();
  expect(await waiting).not.toBeNull();
});

test('a place that was given back is had again without asking', async () => {
  accounts++;
  const { places, account } = await engine(2);
  expect(places.tryAcquire(account)).toBeNull();
  (await places.acquire(account, 0))!.release();
  const again = places.tryAcquire(account);
  expect(again).not.toBeNull();
  expect(places.inUse(account)).toBe(1);
  again!.release();
  again!.release();
  expect(places.inUse(account)).toBe(0);
});

test('an engine that is killed gives its places back when their time is over', async () => {
  const account = `account-${++accounts}`;
  const { child, output } = engineProcess(account, '3', 'hold');
  await expect.poll(output, { timeout: 20_000 }).toBe('held\n');
  const { places } = await engine(3, account);
  expect(await places.acquire(account, 0)).toBeNull();
  child.kill('SIGKILL');
  const back = await Promise.all([1, 2, 3].map(() => places.acquire(account, 40_000)));
  expect(back.every((place) => place !== null)).toBe(true);
}, 80_000);

test('a provider that refuses is believed by every engine, for a while', async () => {
  accounts++;
  const clock = createVirtualClock();
  const [a, b] = [await engine(5, undefined, clock), await engine(5, undefined, clock)];
  const free = `free-${accounts}`;
  const told = () => {
    // Who has only just come may not listen yet.
    a.places.reportRefusal(a.account);
    a.places.reportRefusal(free);
    return b.places.tryAcquire(free);
  };
  await expect.poll(told, { timeout: 10_000 }).toBeNull();
  expect(await b.places.acquire(b.account, 0)).toBeNull();
  // A refusal that was told twice may still be on its way.
  const later = async () => {
    await clock.advance(10_000);
    return b.places.tryAcquire(free);
  };
  await expect.poll(later, { timeout: 10_000 }).not.toBeNull();
  expect(await b.places.acquire(b.account, 0)).not.toBeNull();
});

test('an account without a limit is counted and never refused', async () => {
  accounts++;
  const { places } = await engine(1);
  for (let i = 0; i < 20; i++) expect(places.tryAcquire('other')).not.toBeNull();
  expect(places.inUse('other')).toBe(20);
});

test('without the bus nobody is held up', async () => {
  accounts++;
  const { places, account, bus } = await engine(1);
  await bus.close();
  expect(await places.acquire(account, 0)).not.toBeNull();
});
