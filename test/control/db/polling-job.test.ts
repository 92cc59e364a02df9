import { expect, it } from 'vitest';
import { startPollingJob } from '../../../control/db/polling-job.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { log } from '../calls/call-fixture.ts';

function counting(run: (count: number) => Promise<void> = async () => {}) {
  const clock = createVirtualClock();
  let runs = 0;
  const loop = startPollingJob({ name: 'test', intervalMs: 1_000, clock, log, run: () => run(++runs) });
  return { clock, loop, runs: () => runs };
}

it('runs at once, then after each pause', async () => {
  const { clock, loop, runs } = counting();
  await clock.advance(0);
  expect(runs()).toBe(1);
  await clock.advance(999);
  expect(runs()).toBe(1);
  await clock.advance(2_001);
  expect(runs()).toBe(4);
  await loop.stop();
  await clock.advance(5_000);
  expect(runs()).toBe(4);
});

it('runs once more when it is woken while running, never twice at a time', async () => {
  let end = () => {};
  const { clock, loop, runs } = counting((count) => (count === 1 ? new Promise((resolve) => (end = resolve)) : done()));
  await clock.advance(0);
  loop.wake();
  loop.wake();
  await clock.advance(0);
  expect(runs()).toBe(1);
  end();
  await clock.advance(0);
  expect(runs()).toBe(2);
  loop.wake();
  await clock.advance(0);
  expect(runs()).toBe(3);
  await loop.stop();
});

it('goes on after a failure, at its usual pace', async () => {
  const { clock, loop, runs } = counting((count) => (count < 3 ? Promise.reject(new Error('away')) : done()));
  await clock.advance(0);
  loop.wake();
  await clock.advance(0);
  expect(runs()).toBe(1);
  await clock.advance(2_000);
  expect(runs()).toBe(3);
  loop.wake();
  await clock.advance(0);
  expect(runs()).toBe(4);
  await loop.stop();
});

it('stops only when the running one has ended', async () => {
  let end = () => {};
  const { clock, loop } = counting(() => new Promise((resolve) => (end = resolve)));
  await clock.advance(0);
  let stopped = false;
  const stopping = loop.stop().then(() => (stopped = true));
  await clock.advance(0);
  expect(stopped).toBe(false);
  end();
  await stopping;
});

const done = async () => {};
