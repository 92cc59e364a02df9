import { afterEach, beforeAll, expect, test } from 'vitest';
import { createPlaces, type Place, type Places } from '../../../media/provider/places.ts';
import { type Bus, connectBus } from '../../../shared/bus/bus.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { startTestNats } from '../../support/nats.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

const log = createLogger('test', 'fatal');
let url = '';
let opened: Bus[] = [];
let engines: Places[] = [];
let accounts = 0;

beforeAll(async () => {
  url = (await startTestNats()).url;
});
afterEach(async () => {
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
  const places = createPlaces({
    board: bus.places,
    limits: new Map([[account, limit]]),
    clock: clock ?? systemClock,
    log,
  });
  engines.push(places);
  return { places, account, bus };
}

test('two engines never hold more places than there are, however they hurry', async () => {
  accounts++;
  const [a, b] = [await engine(5), await engine(5)];
  let atOnce = 0;
  let most = 0;
  let served = 0;
  const call = async ({ places, account }: typeof a) => {
    const place = await places.take(account, 20_000);
    if (!place) return;
    most = Math.max(most, ++atOnce);
    await new Promise((resolve) => setTimeout(resolve, 10));
    atOnce--;
    served++;
    place.free();
  };
  await Promise.all(Array.from({ length: 60 }, (_, i) => call(i % 2 ? a : b)));
  expect(served).toBe(60);
  expect(most).toBe(5);
});

test('who finds none waits as long as it was told, and no longer', async () => {
  accounts++;
  const { places, account } = await engine(1);
  const first = (await places.take(account, 0)) as Place;
  expect(await places.take(account, 300)).toBeNull();
  const waiting = places.take(account, 20_000);
  first.free();
  expect(await waiting).not.toBeNull();
});

test('a place that was given back is had again without asking', async () => {
  accounts++;
  const { places, account } = await engine(2);
  expect(places.tryTake(account)).toBeNull();
  (await places.take(account, 0))!.free();
  const again = places.tryTake(account);
  expect(again).not.toBeNull();
  expect(places.inUse(account)).toBe(1);
  again!.free();
  again!.free();
  expect(places.inUse(account)).toBe(0);
});

test('an engine that dies gives its places back when their time is over', async () => {
  accounts++;
  const dead = await engine(1, undefined, createVirtualClock());
  await dead.places.take(dead.account, 0);
  await dead.bus.close();
  engines = [];
  const { places, account } = await engine(1);
  expect(await places.take(account, 0)).toBeNull();
  expect(await places.take(account, 40_000)).not.toBeNull();
}, 60_000);

test('a provider that refuses is believed by every engine, for a while', async () => {
  accounts++;
  const clock = createVirtualClock();
  const [a, b] = [await engine(5, undefined, clock), await engine(5, undefined, clock)];
  const free = `free-${accounts}`;
  const told = () => {
    // Who has only just come may not listen yet.
    a.places.refused(a.account);
    a.places.refused(free);
    return b.places.tryTake(free);
  };
  await expect.poll(told, { timeout: 10_000 }).toBeNull();
  expect(await b.places.take(b.account, 0)).toBeNull();
  // A refusal that was told twice may still be on its way.
  const later = async () => {
    await clock.advance(10_000);
    return b.places.tryTake(free);
  };
  await expect.poll(later, { timeout: 10_000 }).not.toBeNull();
  expect(await b.places.take(b.account, 0)).not.toBeNull();
});

test('an account without a limit is counted and never refused', async () => {
  accounts++;
  const { places } = await engine(1);
  for (let i = 0; i < 20; i++) expect(places.tryTake('other')).not.toBeNull();
  expect(places.inUse('other')).toBe(20);
});

test('without the bus nobody is held up', async () => {
  accounts++;
  const { places, account, bus } = await engine(1);
  await bus.close();
  expect(await places.take(account, 0)).not.toBeNull();
});
