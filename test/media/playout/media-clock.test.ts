import { expect, test } from 'vitest';
import { createMediaClock } from '../../../media/playout/media-clock.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

test('ticks every 20 ms for all subscribers, and not at all without any', async () => {
  const clock = createVirtualClock();
  const mediaClock = createMediaClock(clock, () => {});
  const ticks: number[] = [];
  const unsubscribe = mediaClock.subscribe((nowMs) => ticks.push(nowMs));
  await clock.advance(100);
  expect(ticks).toEqual([20, 40, 60, 80, 100]);
  unsubscribe();
  await clock.advance(100);
  expect(ticks.length).toBe(5);
  expect(clock.pending()).toBe(0);
});

test('subscribers are spread over phases of the tick, each still every 20 ms', async () => {
  const clock = createVirtualClock();
  const mediaClock = createMediaClock(clock, () => {});
  const ticks = Array.from({ length: 7 }, () => [] as number[]);
  const unsubscribe = ticks.map((own) => mediaClock.subscribe((nowMs) => own.push(nowMs)));
  await clock.advance(50);
  expect(ticks).toEqual([
    [20, 40],
    [4, 24, 44],
    [8, 28, 48],
    [12, 32],
    [16, 36],
    [20, 40],
    [4, 24, 44],
  ]);
  for (const each of unsubscribe) each();
  await clock.advance(100);
  expect(clock.pending()).toBe(0);
});

test('an error in one subscriber does not stop the others', async () => {
  const clock = createVirtualClock();
  const errors: unknown[] = [];
  const mediaClock = createMediaClock(clock, (error) => errors.push(error));
  let ticks = 0;
  mediaClock.subscribe(() => {
    throw new Error('broken');
  });
  mediaClock.subscribe(() => void ticks++);
  await clock.advance(60);
  expect(ticks).toBe(3);
  expect(errors.length).toBe(3);
});

test('counts ticks by their lateness', async () => {
  const clock = createVirtualClock();
  let lateMs = 0;
  const late = { ...clock, now: () => clock.now() + lateMs };
  const mediaClock = createMediaClock(late, () => {});
  mediaClock.subscribe(() => {});
  await clock.advance(60);
  expect(mediaClock.lagCounts[0]).toBe(3);
  lateMs = 7.5;
  await clock.advance(20);
  expect(mediaClock.lagCounts[7]).toBe(1);
  lateMs += 5_000;
  await clock.advance(20);
  expect(mediaClock.lagCounts.at(-1)).toBe(1);
  expect(mediaClock.takeMaxLagMs()).toBeGreaterThan(4_900);
});

test('a timer that fires early makes no additional tick', async () => {
  const clock = createVirtualClock();
  const early = { ...clock, after: (delayMs: number, run: () => void) => clock.after(delayMs - 0.5, run) };
  const mediaClock = createMediaClock(early, () => {});
  let ticks = 0;
  mediaClock.subscribe(() => void ticks++);
  await clock.advance(100);
  expect(ticks).toBe(5);
});

test('counts from its first subscriber, also after a time without any, and not at all once it is stopped', async () => {
  const clock = createVirtualClock();
  const mediaClock = createMediaClock(clock, () => {});
  const ticks: number[] = [];
  await clock.advance(7);
  mediaClock.subscribe((nowMs) => ticks.push(nowMs))();
  await clock.advance(100);
  mediaClock.subscribe((nowMs) => ticks.push(nowMs));
  await clock.advance(45);
  expect(ticks).toEqual([127, 147]);
  mediaClock.stop();
  mediaClock.subscribe((nowMs) => ticks.push(nowMs));
  await clock.advance(100);
  expect([ticks.length, clock.pending()]).toEqual([2, 0]);
});

test('the longest lag is of the time since it was taken', async () => {
  const clock = createVirtualClock();
  let lateMs = 5;
  const mediaClock = createMediaClock({ ...clock, now: () => clock.now() + lateMs }, () => {});
  mediaClock.subscribe(() => {});
  lateMs += 9;
  await clock.advance(20);
  lateMs = 14;
  expect(mediaClock.takeMaxLagMs()).toBe(9);
  expect(mediaClock.takeMaxLagMs()).toBe(0);
});

test('stopped in a tick, it calls no other subscriber', async () => {
  const clock = createVirtualClock();
  const mediaClock = createMediaClock(clock, () => {});
  const called: number[] = [];
  mediaClock.subscribe(() => {
    called.push(1);
    mediaClock.stop();
  });
  // The sixth has the phase of the first.
  for (let subscriber = 2; subscriber <= 6; subscriber++) mediaClock.subscribe(() => called.push(subscriber));
  await clock.advance(20);
  expect([called.at(-1), called.includes(6)]).toEqual([1, false]);
});
