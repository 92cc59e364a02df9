import { beforeEach, describe, expect, test } from 'vitest';
import {
  type ConcurrencyPermit,
  createConcurrencyPermits,
  RENEW_EVERY_MS,
} from '../../../media/provider/concurrency-permits.ts';
import { createLogger } from '../../../shared/log.ts';
import { createMemoryPermits, type MemoryPermits } from '../../support/memory-permits.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

/** What permits cost on the bus, in which order waiting streams get them, and how they are renewed. */

const ACCOUNT = 'tts.somebody';
let clock: VirtualClock;
let bus: MemoryPermits;

beforeEach(() => {
  clock = createVirtualClock();
  bus = createMemoryPermits(clock);
});

const engine = (limit: number, registry = bus.registry) =>
  createConcurrencyPermits({
    registry,
    limits: new Map([[ACCOUNT, limit]]),
    clock,
    log: createLogger('test', 'silent'),
  });

/** Takes permits, which are there. */
async function take(permits: ReturnType<typeof engine>, count: number): Promise<ConcurrencyPermit[]> {
  const taking = Promise.all(Array.from({ length: count }, () => permits.acquire(ACCOUNT, 0)));
  await clock.advance(0);
  const taken = await taking;
  expect(taken).not.toContain(null);
  return taken as ConcurrencyPermit[];
}

describe('a permit costs', () => {
  test('one request where the account has a free one', async () => {
    await take(engine(100), 30);
    expect(bus.takeRequests()).toEqual({ acquire: 30, held: 0, renew: 0, release: 0 });
  });

  test('one look where other engines hold all but one, whatever the limit is', async () => {
    await take(engine(100), 99);
    bus.takeRequests();
    await take(engine(100), 1);
    const { acquire, held } = bus.takeRequests();
    expect(held).toBe(1);
    expect(acquire).toBeLessThanOrEqual(2);
  });

  test('one request in a tenth of a second for all who wait at a full account', async () => {
    await take(engine(100), 100);
    const other = engine(100);
    const waiting = Array.from({ length: 50 }, () => other.acquire(ACCOUNT, 2_000));
    await clock.advance(0);
    bus.takeRequests();
    await clock.advance(1_000);
    const { acquire, held } = bus.takeRequests();
    expect([acquire, held]).toEqual([0, 10]);
    await clock.advance(1_000);
    expect(await Promise.all(waiting)).toEqual(Array(50).fill(null));
  });
});

test('a full account allows no stream beyond its limit, however slow the bus is and however many wait', async () => {
  const slow = {
    ...bus.registry,
    acquire: async (account: string, permit: number) => {
      await new Promise<void>((resolve) => clock.after(40, resolve));
      return bus.registry.acquire(account, permit);
    },
  };
  await take(engine(100), 100);
  const other = engine(100, slow);
  const waiting = Array.from({ length: 20 }, () => other.acquire(ACCOUNT, 1_500));
  await clock.advance(3_000);
  expect(await Promise.all(waiting)).toEqual(Array(20).fill(null));
  expect(other.inUse(ACCOUNT)).toBe(0);
});

test('streams that wait get permits in the order in which they came', async () => {
  const permits = engine(2);
  const held = await take(permits, 2);
  const served: number[] = [];
  const got: ConcurrencyPermit[] = [];
  for (let stream = 0; stream < 6; stream++) {
    void permits.acquire(ACCOUNT, 10_000).then((permit) => {
      served.push(stream);
      got.push(permit!);
    });
    await clock.advance(30);
  }
  for (let round = 0; round < 6; round++) {
    (held.shift() ?? got.shift())!.release();
    expect(permits.tryAcquire(ACCOUNT)).toBeNull();
    await clock.advance(7);
  }
  expect(served).toEqual([0, 1, 2, 3, 4, 5]);
});

test('a permit that another engine releases goes to the stream that waits here within a tenth of a second', async () => {
  const [a, b] = [engine(1), engine(1)];
  const [held] = await take(a, 1);
  const waiting = b.acquire(ACCOUNT, 5_000);
  await clock.advance(300);
  held!.release();
  await clock.advance(600);
  expect([await Promise.race([waiting, null]), b.inUse(ACCOUNT)]).toEqual([expect.anything(), 1]);
});

describe('permits are renewed', () => {
  test('while they are held, for an hour, and never held twice', async () => {
    const [a, b] = [engine(3), engine(3)];
    await take(a, 3);
    for (let minutes = 0; minutes < 60; minutes++) {
      await clock.advance(60_000);
      const waiting = b.acquire(ACCOUNT, 0);
      await clock.advance(0);
      expect(await waiting).toBeNull();
    }
    expect([a.inUse(ACCOUNT), b.inUse(ACCOUNT), bus.live()]).toEqual([3, 0, 3]);
  });

  test('again after the bus has lost them', async () => {
    const [a, b] = [engine(2), engine(2)];
    await take(a, 2);
    bus.restart();
    await clock.advance(RENEW_EVERY_MS);
    const waiting = b.acquire(ACCOUNT, 0);
    await clock.advance(0);
    expect([await waiting, bus.live()]).toEqual([null, 2]);
  });

  test('all at the same time, so that a slow bus lets none expire', async () => {
    const slow = {
      ...bus.registry,
      renew: async (account: string, permit: number, version: number) => {
        await new Promise<void>((resolve) => clock.after(1_000, resolve));
        return bus.registry.renew(account, permit, version);
      },
    };
    await take(engine(50, slow), 50);
    await clock.advance(120_000);
    expect(bus.live()).toBe(50);
  });

  test('until they are lost to another engine, whose stream they are from then on', async () => {
    const [a, b] = [engine(1), engine(1)];
    const [permit] = await take(a, 1);
    bus.restart();
    await take(b, 1);
    await clock.advance(RENEW_EVERY_MS);
    expect([a.inUse(ACCOUNT), b.inUse(ACCOUNT)]).toEqual([0, 1]);
    permit!.release();
    await clock.advance(1_000);
    expect(bus.live()).toBe(1);
  });
});

test('closing releases what is held, and a stream that waits gets none', async () => {
  const permits = engine(1);
  await take(permits, 1);
  const waiting = permits.acquire(ACCOUNT, 10_000);
  await clock.advance(50);
  await permits.close();
  expect([await waiting, bus.live(), clock.pending()]).toEqual([null, 0, 0]);
});
