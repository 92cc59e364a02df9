import { createConcurrencyPermits, RENEW_EVERY_MS } from '../../media/provider/concurrency-permits.ts';
import { connectBus } from '../../shared/bus/bus.ts';
import { createLogger } from '../../shared/log.ts';
import { createPatientClock } from './patient-clock.ts';

/**
 * A process that takes concurrency permits like an engine: `permit-taker.ts URL ACCOUNT LIMIT hold` takes all permits, prints
 * `held` and keeps them until it is killed; `… work N` takes a permit N times concurrently and prints when each was held.
 */

const [url, account, limit, what, times] = process.argv.slice(2);
const log = createLogger('permit-taker', 'fatal');
const bus = await connectBus({ url: url!, name: 'permit-taker', log, streamTimeoutMs: 60_000 });
await bus.prepare();
const permits = createConcurrencyPermits({
  registry: bus.permits,
  limits: new Map([[account!, Number(limit)]]),
  clock: createPatientClock([RENEW_EVERY_MS]),
  log,
});

if (what === 'hold') {
  for (let held = 0; held < Number(limit); held++) await permits.acquire(account!, 10_000);
  console.log('held');
} else {
  const held: [fromMs: number, toMs: number][] = [];
  const use = async () => {
    const permit = await permits.acquire(account!, 60_000);
    if (!permit) throw new Error('no permit in a minute');
    const fromMs = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 30));
    held.push([fromMs, Date.now()]);
    permit.release();
  };
  await Promise.all(Array.from({ length: Number(times) }, use));
  await permits.close();
  await bus.close();
  console.log(JSON.stringify(held));
}
