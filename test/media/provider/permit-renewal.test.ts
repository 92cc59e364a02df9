import { expect, it } from 'vitest';
import { createConcurrencyPermits, RENEW_EVERY_MS } from '../../../media/provider/concurrency-permits.ts';
import type { PermitRegistry } from '../../../shared/bus/permit-registry.ts';
import { createLogger } from '../../../shared/log.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

it('a permit that is given back while it is renewed is free on the bus', async () => {
  const clock = createVirtualClock();
  /** The version of the permit on the bus; null while it is free. */
  let stored: number | null = null;
  let versions = 0;
  const reply = Promise.withResolvers<void>();
  const registry: PermitRegistry = {
    prepare: async () => {},
    async acquire() {
      if (stored !== null) return null;
      stored = ++versions;
      return stored;
    },
    async renew(_account, _permit, version) {
      if (stored !== version) return null;
      stored = ++versions;
      const renewed = stored;
      await reply.promise;
      return renewed;
    },
    held: async () => (stored === null ? [] : [0]),
    async release(_account, _permit, version) {
      if (stored !== null && stored <= version) stored = null;
    },
    publishFull() {},
    onFull() {},
  };
  const limits = new Map([['elevenlabs', 1]]);
  const permits = createConcurrencyPermits({ registry, limits, clock, log: createLogger('test', 'silent') });
  const permit = await permits.acquire('elevenlabs', 0);
  await clock.advance(RENEW_EVERY_MS - 100);
  permit!.release();
  await clock.advance(1_000);
  reply.resolve();
  await clock.advance(1);
  expect(stored).toBeNull();
  await permits.close();
});
