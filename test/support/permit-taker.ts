import { createConcurrencyPermits } from '../../media/provider/concurrency-permits.ts';
import { connectBus } from '../../shared/bus/bus.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';

/**
 * An engine as far as places go, as a process of its own: `place-taker.ts URL ACCOUNT LIMIT hold` takes every place, says
 * `held` and keeps them until it is killed; `… work N` uses a place N times, several at once, and prints when it held which.
 */

const [url, account, limit, what, times] = process.argv.slice(2);
const log = createLogger('place-taker', 'fatal');
const bus = await connectBus({ url: url!, name: 'place-taker', log });
await bus.prepare();
const permits = createConcurrencyPermits({
  registry: bus.permits,
  limits: new Map([[account!, Number(limit)]]),
  clock: systemClock,
  log,
});

if (what === 'hold') {
  for (let held = 0; held < Number(limit); held++) await permits.acquire(account!, 10_000);
  console.log('held');
} else {
  const held: [fromMs: number, toMs: number][] = [];
  const use = async () => {
    const place = await permits.acquire(account!, 60_000);
    if (!place) throw new Error('no place in a minute');
    const fromMs = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 30));
    held.push([fromMs, Date.now()]);
    place.release();
  };
  await Promise.all(Array.from({ length: Number(times) }, use));
  await permits.close();
  await bus.close();
  console.log(JSON.stringify(held));
}
