import { expect, test } from 'vitest';
import { createMediaClock } from '../../../media/playout/media-clock.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

test('beats every 20 ms for all members, and not at all without any', async () => {
  const clock = createVirtualClock();
  const metronome = createMediaClock(clock, () => {});
  const beats: number[] = [];
  const leave = metronome.subscribe((nowMs) => beats.push(nowMs));
  await clock.advance(100);
  expect(beats).toEqual([20, 40, 60, 80, 100]);
  leave();
  await clock.advance(100);
  expect(beats.length).toBe(5);
  expect(clock.pending()).toBe(0);
});

test('calls are spread over the beat, each still every 20 ms', async () => {
  const clock = createVirtualClock();
  const metronome = createMediaClock(clock, () => {});
  const beats = Array.from({ length: 7 }, () => [] as number[]);
  const leave = beats.map((own) => metronome.subscribe((nowMs) => own.push(nowMs)));
  await clock.advance(50);
  expect(beats).toEqual([
    [20, 40],
    [4, 24, 44],
    [8, 28, 48],
    [12, 32],
    [16, 36],
    [20, 40],
    [4, 24, 44],
  ]);
  for (const one of leave) one();
  await clock.advance(100);
  expect(clock.pending()).toBe(0);
});

test("one member's mistake does not silence the others", async () => {
  const clock = createVirtualClock();
  const errors: unknown[] = [];
  const metronome = createMediaClock(clock, (error) => errors.push(error));
  let beats = 0;
  metronome.subscribe(() => {
    throw new Error('mistake');
  });
  metronome.subscribe(() => void beats++);
  await clock.advance(60);
  expect(beats).toBe(3);
  expect(errors.length).toBe(3);
});

test('counts how late its beats come', async () => {
  const clock = createVirtualClock();
  let heldUpMs = 0;
  const late = { ...clock, now: () => clock.now() + heldUpMs };
  const metronome = createMediaClock(late, () => {});
  metronome.subscribe(() => {});
  await clock.advance(60);
  expect(metronome.lagCounts[0]).toBe(3);
  heldUpMs = 7.5;
  await clock.advance(20);
  expect(metronome.lagCounts[7]).toBe(1);
  heldUpMs += 5_000;
  await clock.advance(20);
  expect(metronome.lagCounts.at(-1)).toBe(1);
  expect(metronome.takeMaxLagMs()).toBeGreaterThan(4_900);
});

test('a timer that comes early makes no further beat', async () => {
  const clock = createVirtualClock();
  const hasty = { ...clock, after: (delayMs: number, run: () => void) => clock.after(delayMs - 0.5, run) };
  const metronome = createMediaClock(hasty, () => {});
  let beats = 0;
  metronome.subscribe(() => void beats++);
  await clock.advance(100);
  expect(beats).toBe(5);
});
