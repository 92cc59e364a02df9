import { expect, test } from 'vitest';
import { createConcurrencyPermits } from '../../../media/provider/concurrency-permits.ts';
import { createLogger } from '../../../shared/log.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const ACCOUNT = 'tts.somebody';

/** Permits on a bus whose replies the test sends. */
function permitsOnSlowBus() {
  const clock = createVirtualClock();
  const requests: ((version: number | null) => void)[] = [];
  const released: number[] = [];
  const permits = createConcurrencyPermits({
    registry: {
      acquire: () => new Promise((resolve) => requests.push(resolve)),
      held: async () => [],
      renew: async (_account, _place, version) => version,
      release: async (_account, permit) => void released.push(permit),
      publishFull() {},
      onFull() {},
    },
    limits: new Map([[ACCOUNT, 5]]),
    clock,
    log: createLogger('test', 'silent'),
  });
  return { clock, permits, requests, released };
}

test('without a reply of the bus no caller waits longer than its time, however many wait', async () => {
  const { clock, permits, requests } = permitsOnSlowBus();
  const got: (boolean | null)[] = [];
  for (let caller = 0; caller < 20; caller++)
    void permits.acquire(ACCOUNT, 1_500).then((permit) => got.push(permit !== null));
  await clock.advance(1_499);
  expect(got).toEqual([]);
  await clock.advance(1);
  expect(got).toEqual(Array(20).fill(true));
  expect(requests).toHaveLength(1);
});

test('a permit that comes too late is released', async () => {
  const { clock, permits, requests, released } = permitsOnSlowBus();
  const taking = permits.acquire(ACCOUNT, 0);
  await clock.advance(1_000);
  const permit = await taking;
  expect(permits.inUse(ACCOUNT)).toBe(1);
  requests[0]!(7);
  await clock.advance(1_000);
  expect(released).toHaveLength(1);
  permit!.release();
  expect(permits.inUse(ACCOUNT)).toBe(0);
  await permits.close();
});
