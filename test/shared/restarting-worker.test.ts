import { afterEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../shared/log.ts';
import { keepRunning, type RestartingWorker } from '../../shared/restarting-worker.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const log = createLogger('test', 'silent');
const DEADLINE_MS = 500;

function setUp(starts: (n: number) => boolean = () => true) {
  const clock = createVirtualClock();
  const startedMs: number[] = [];
  const closed: number[] = [];
  const newWorker = (n: number) => ({ n, close: async () => void closed.push(n) });
  const running = keepRunning({
    ...{ name: 'test', worker: newWorker(0), clock, log },
    async start() {
      startedMs.push(clock.now());
      if (!starts(startedMs.length)) throw new Error('no memory');
      return newWorker(startedMs.length);
    },
  });
  open.push(running);
  const fail = () => running.request(running.current!, Promise.reject(new Error('broken')), DEADLINE_MS);
  return { clock, running, startedMs, closed, fail };
}

const open: RestartingWorker<{ close(): Promise<void> }>[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

describe('a worker', () => {
  it('that rejects a request is closed, and another is started at once', async () => {
    const { clock, running, closed, fail } = setUp();
    await expect(fail()).rejects.toThrow('broken');
    expect([running.running, running.restarts, closed]).toEqual([false, 0, [0]]);
    await clock.advance(0);
    expect([running.current?.n, running.restarts]).toEqual([1, 1]);
  });

  it('that does not answer in time is closed, and another is started', async () => {
    const { clock, running, closed } = setUp();
    const answer = Promise.withResolvers<number>();
    const outcome = expect(running.request(running.current!, answer.promise, DEADLINE_MS)).rejects.toThrow('500 ms');
    await clock.advance(DEADLINE_MS);
    await outcome;
    answer.resolve(1);
    await clock.advance(0);
    expect([running.current?.n, closed]).toEqual([1, [0]]);
  });

  it('is not late when the caller itself stood still: its answer is read before the deadline', async () => {
    const timers: (() => void)[] = [];
    const after = (_ms: number, run: () => void) => {
      timers.push(run);
      return { cancel() {} };
    };
    const worker = { close: async () => {} };
    const clock = { ...createVirtualClock(), after };
    const running = keepRunning({ name: 'test', worker, start: async () => worker, clock, log });
    const answer = Promise.withResolvers<number>();
    const outcome = running.request(worker, answer.promise, DEADLINE_MS);
    // All timers that are due run before input is read.
    for (const run of timers.splice(0)) run();
    answer.resolve(7);
    expect(await outcome).toBe(7);
    expect(running.running).toBe(true);
  });

  it('is replaced once, however many of its requests fail', async () => {
    const { clock, running, startedMs } = setUp();
    const worker = running.current!;
    const broken = [1, 2, 3].map((n) => running.request(worker, Promise.reject(new Error(String(n))), DEADLINE_MS));
    await Promise.allSettled(broken);
    await clock.advance(60_000);
    expect([startedMs.length, running.restarts]).toEqual([1, 1]);
  });

  it('that cannot be started is tried again, later and later', async () => {
    const { clock, startedMs, running, fail } = setUp((n) => n > 7);
    await fail().catch(() => {});
    await clock.advance(120_000);
    expect(startedMs).toEqual([0, 500, 1_500, 3_500, 8_500, 18_500, 48_500, 78_500]);
    expect([running.current?.n, running.restarts]).toEqual([8, 1]);
  });

  it('that fails again soon is started later, after a minute of work at once', async () => {
    const { clock, startedMs, fail } = setUp();
    for (const ranMs of [10_000, 10_000, 60_000]) {
      await clock.advance(ranMs);
      await fail().catch(() => {});
      await clock.advance(1_000);
    }
    expect(startedMs).toEqual([10_000, 21_500, 82_000]);
  });

  it('that has started after the end is closed', async () => {
    const clock = createVirtualClock();
    const started = Promise.withResolvers<{ close(): Promise<void> }>();
    const worker = { close: async () => {} };
    const running = keepRunning({ name: 'test', worker, start: () => started.promise, clock, log });
    await running.request(worker, Promise.reject(new Error('broken')), DEADLINE_MS).catch(() => {});
    await clock.advance(0);
    await running.close();
    let closed = false;
    started.resolve({
      async close() {
        closed = true;
      },
    });
    await clock.advance(60_000);
    expect([closed, running.running]).toEqual([true, false]);
  });
});
