import { expect, test } from 'vitest';
import { createDeadline } from '../../../media/provider/deadline.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

test('expires once, after its time', async () => {
  const clock = createVirtualClock();
  let expired = 0;
  const deadline = createDeadline(clock, 1000, () => expired++);
  deadline.start();
  await clock.advance(999);
  expect([expired, deadline.running]).toEqual([0, true]);
  await clock.advance(1);
  await clock.advance(5000);
  expect([expired, deadline.running]).toEqual([1, false]);
});

test('is restarted without a timer for each restart', async () => {
  const clock = createVirtualClock();
  const at: number[] = [];
  const deadline = createDeadline(clock, 1000, () => at.push(clock.now()));
  for (let i = 0; i < 50; i++) {
    deadline.start();
    expect(clock.pending()).toBe(1);
    await clock.advance(20);
  }
  await clock.advance(3000);
  expect(at).toEqual([49 * 20 + 1000]);
});

test('can be restarted with an earlier end', async () => {
  const clock = createVirtualClock();
  const at: number[] = [];
  const deadline = createDeadline(clock, 5000, () => at.push(clock.now()));
  deadline.start();
  deadline.start(100);
  await clock.advance(6000);
  expect(at).toEqual([100]);
});

test('leaves no timer when stopped', async () => {
  const clock = createVirtualClock();
  let expired = 0;
  const deadline = createDeadline(clock, 100, () => expired++);
  deadline.start();
  deadline.stop();
  deadline.stop();
  expect(clock.pending()).toBe(0);
  await clock.advance(200);
  expect(expired).toBe(0);
});
