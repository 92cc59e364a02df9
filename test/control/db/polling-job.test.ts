import { expect, it } from 'vitest';
import { startPollingJob } from '../../../control/db/polling-job.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { log } from '../calls/call-fixture.ts';

function counting(run: (count: number) => Promise<void> = async () => {}) {
  const clock = createVirtualClock();
  let runs = 0;
  const job = startPollingJob({ name: 'test', intervalMs: 1_000, clock, log, run: () => run(++runs) });
  return { clock, job, runs: () => runs };
}

it('runs at once, then after each interval', async () => {
  const { clock, job, runs } = counting();
  await clock.advance(0);
  expect(runs()).toBe(1);
  await clock.advance(999);
  expect(runs()).toBe(1);
  await clock.advance(2_001);
  expect(runs()).toBe(4);
  await job.stop();
  await clock.advance(5_000);
  expect(runs()).toBe(4);
});

it('runs once more when it is woken while running, never twice at a time', async () => {
  let end = () => {};
  const { clock, job, runs } = counting((count) => (count === 1 ? new Promise((resolve) => (end = resolve)) : done()));
  await clock.advance(0);
  job.wake();
  job.wake();
  await clock.advance(0);
  expect(runs()).toBe(1);
  end();
  await clock.advance(0);
  expect(runs()).toBe(2);
  job.wake();
  await clock.advance(0);
  expect(runs()).toBe(3);
  await job.stop();
});

it('continues after a failure, at its usual interval', async () => {
  const { clock, job, runs } = counting((count) => (count < 3 ? Promise.reject(new Error('away')) : done()));
  await clock.advance(0);
  job.wake();
  await clock.advance(0);
  expect(runs()).toBe(1);
  await clock.advance(2_000);
  expect(runs()).toBe(3);
  job.wake();
  await clock.advance(0);
  expect(runs()).toBe(4);
  await job.stop();
});

it('stops when the current run has ended', async () => {
  let end = () => {};
  const { clock, job } = counting(() => new Promise((resolve) => (end = resolve)));
  await clock.advance(0);
  let stopped = false;
  const stopping = job.stop().then(() => (stopped = true));
  await clock.advance(0);
  expect(stopped).toBe(false);
  end();
  await stopping;
});

const done = async () => {};
