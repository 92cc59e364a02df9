import { expect, it } from 'vitest';
import { type LeaseWorkerOptions, startLeaseWorker } from '../../../control/db/lease-worker.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { log } from '../calls/call-fixture.ts';

const LEASE_MS = 30_000;

/** Jobs with leases in memory, and workers that run until the test ends them. */
function leasedJobs(names: string[]) {
  const clock = createVirtualClock();
  const leases = new Map<string, number>(names.map((name) => [name, 0]));
  const started: string[] = [];
  const signals = new Map<string, AbortSignal>();
  const ends = new Map<string, (finished: boolean | 'later' | Error) => void>();
  const work = (more: Partial<LeaseWorkerOptions<string>> = {}) =>
    startLeaseWorker<string>({
      ...{ name: 'test', intervalMs: 1_000, clock, log, maxConcurrent: 2, graceMs: 2_000 },
      async lease(limit) {
        const free = [...leases].filter(([, until]) => until <= clock.wall()).slice(0, limit);
        for (const [name] of free) leases.set(name, clock.wall() + LEASE_MS);
        return { jobs: free.map(([name]) => name), more: free.length === limit };
      },
      work(name, signal) {
        started.push(name);
        signals.set(name, signal);
        return new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => resolve(false));
          ends.set(name, (end) => {
            if (end instanceof Error) return reject(end);
            leases.delete(name);
            resolve(end);
          });
        });
      },
      release: async (name) => void leases.set(name, 0),
      fieldsOf: (name) => ({ name }),
      ...more,
    });
  return { clock, leases, started, signals, ends, work };
}

it('works on a limited number of jobs at once, and leases the next when one is done', async () => {
  const { clock, started, ends, work } = leasedJobs(['a', 'b', 'c']);
  const worker = work();
  await clock.advance(10_000);
  expect(started).toEqual(['a', 'b']);
  ends.get('a')!(true);
  await clock.advance(0);
  expect(started).toEqual(['a', 'b', 'c']);
  ends.get('b')!(true);
  ends.get('c')!(true);
  await worker.stop();
});

it('leaves a failed job to the next worker after its lease', async () => {
  const { clock, started, ends, work } = leasedJobs(['a']);
  const worker = work();
  await clock.advance(0);
  ends.get('a')!(new Error('failed'));
  await clock.advance(LEASE_MS - 2_000);
  expect(started).toEqual(['a']);
  await clock.advance(2_000);
  expect(started).toEqual(['a', 'a']);
  ends.get('a')!(true);
  await worker.stop();
});

it('lets a job that failed, or is to be done later, wait for as long as its tries ask for', async () => {
  const { clock, leases, started, ends, work } = leasedJobs(['a']);
  const delays: number[] = [];
  const worker = work({
    retry: {
      triesOf: () => started.length,
      async postpone(name, delayMs) {
        delays.push(delayMs);
        leases.set(name, clock.wall() + delayMs);
      },
    },
  });
  await clock.advance(0);
  ends.get('a')!(new Error('failed'));
  await clock.advance(3_000);
  expect(started).toEqual(['a', 'a']);
  ends.get('a')!('later');
  await clock.advance(3_000);
  expect(started).toEqual(['a', 'a', 'a']);
  ends.get('a')!(true);
  await worker.stop();
  const [first, second] = delays as [number, number];
  expect([first > 700 && first <= 1_000, second > 1_500 && second <= 2_000]).toEqual([true, true]);
});

it('lets running jobs continue for a while when it stops, and releases those it aborts', async () => {
  const { clock, leases, ends, work } = leasedJobs(['a', 'b']);
  const worker = work();
  await clock.advance(0);
  const stopped = worker.stop();
  await clock.advance(1_999);
  ends.get('a')!(true);
  await clock.advance(1);
  await stopped;
  expect([...leases]).toEqual([['b', 0]]);
});

it('renews the lease during the work, and aborts it when the lease is lost', async () => {
  const { clock, signals, work } = leasedJobs(['a']);
  const renewals: boolean[] = [];
  const held = [true, true, false];
  const worker = work({
    renewal: {
      everyMs: 10_000,
      async renew() {
        renewals.push(held[renewals.length]!);
        // A database that is unavailable once does not lose the lease.
        if (renewals.length === 2) throw new Error('unavailable');
        return held[renewals.length - 1]!;
      },
    },
  });
  await clock.advance(29_000);
  const signal = signals.get('a')!;
  expect(renewals).toHaveLength(2);
  expect(signal.aborted).toBe(false);
  await clock.advance(1_000);
  expect(signal.aborted).toBe(true);
  const stopped = worker.stop();
  await clock.advance(2_000);
  await stopped;
});
