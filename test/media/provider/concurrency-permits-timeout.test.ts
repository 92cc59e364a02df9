import { expect, test } from 'vitest';
import { createConcurrencyPermits } from '../../../media/provider/concurrency-permits.ts';
import { createLogger } from '../../../shared/log.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const ACCOUNT = 'tts.somebody';

/** Places on a bus that answers when told. */
function placesOnSlowBus() {
  const clock = createVirtualClock();
  const asked: ((version: number | null) => void)[] = [];
  const freed: number[] = [];
  const places = createConcurrencyPermits({
    registry: {
      acquire: () => new Promise((resolve) => asked.push(resolve)),
      renew: async (_account, _place, version) => version,
      release: async (_account, place) => void freed.push(place),
      publishFull() {},
      onFull() {},
    },
    limits: new Map([[ACCOUNT, 5]]),
    clock,
    log: createLogger('test', 'silent'),
  });
  return { clock, places, asked, freed };
}

test('where the bus does not answer nobody waits longer than told, however many wait', async () => {
  const { clock, places, asked } = placesOnSlowBus();
  const got: (boolean | null)[] = [];
  for (let caller = 0; caller < 20; caller++)
    void places.acquire(ACCOUNT, 1_500).then((place) => got.push(place !== null));
  await clock.advance(1_499);
  expect(got).toEqual([]);
  await clock.advance(1);
  expect(got).toEqual(Array(20).fill(true));
  expect(asked).toHaveLength(1);
});

test('a place that comes too late is given back', async () => {
  const { clock, places, asked, freed } = placesOnSlowBus();
  const taking = places.acquire(ACCOUNT, 0);
  await clock.advance(1_000);
  const place = await taking;
  expect(places.inUse(ACCOUNT)).toBe(1);
  asked[0]!(7);
  await clock.advance(1_000);
  expect(freed).toHaveLength(1);
  place!.release();
  expect(places.inUse(ACCOUNT)).toBe(0);
  await places.close();
});
