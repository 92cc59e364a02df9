import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createStreamClock } from '../../../media/audio/stream-clock.ts';

const FRAME_MS = 20;

/** A stream of 20 ms frames whose clock began at 0. */
function setUp() {
  const stalls: number[] = [];
  const clock = createStreamClock((ms) => stalls.push(ms));
  let frames = 0;
  return {
    clock,
    stalls,
    /** Takes the next frame and returns its time. */
    frame: (arrivalMs: number) => clock.received(++frames * FRAME_MS, arrivalMs),
    /** The next frames arrive in time. */
    inTime(count: number, laterMs = 0) {
      for (let i = 0; i < count; i++) {
        frames++;
        clock.received(frames * FRAME_MS, frames * FRAME_MS + laterMs);
      }
    },
    /** The next frame is lost or left out by the sender. */
    skip: (count: number) => {
      frames += count;
    },
    nowMs: () => frames * FRAME_MS,
  };
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('audio in time', () => {
  test('has the time of its arrival', () => {
    const s = setUp();
    for (const index of range(500)) expect(s.frame(index * 20 + 7)).toBeCloseTo(index * 20 + 7);
  });

  test('has the time of its arrival with a clock 200 ppm slow or fast for ten minutes', () => {
    for (const drift of [0.9998, 1.0002]) {
      const s = setUp();
      for (const index of range(30_000)) {
        const arrivalMs = index * 20 * drift;
        expect(Math.abs(s.frame(arrivalMs) - arrivalMs)).toBeLessThan(1);
      }
      expect(s.stalls).toEqual([]);
    }
  });

  test('after a jump of the network by 80 ms has the time of its arrival from the third frame on', () => {
    const s = setUp();
    s.inTime(50);
    expect(s.frame(1_100)).toBeCloseTo(1_020);
    s.frame(1_120);
    expect(s.frame(1_140)).toBeCloseTo(1_140);
  });
});

describe('a burst after a stall', () => {
  for (const stallMs of [300, 500, 1_000]) {
    test(`of ${stallMs} ms has the times at which it should have come, and is reported once with its length`, () => {
      const s = setUp();
      s.inTime(100);
      const fromMs = s.nowMs();
      const count = stallMs / FRAME_MS;
      const times = range(count).map(() => s.frame(fromMs + FRAME_MS + stallMs));
      expect(times).toEqual(range(count).map((index) => fromMs + (index + 1) * FRAME_MS));
      s.inTime(100);
      expect(s.stalls).toEqual([stallMs]);
    });
  }

  test('in three parts a round trip apart has them too', () => {
    const s = setUp();
    s.inTime(100);
    const fromMs = s.nowMs();
    const arrivals = [...range(2).map(() => 400), ...range(10).map(() => 480), ...range(16).map(() => 560)];
    const times = arrivals.map((ms) => s.frame(fromMs + ms));
    expect(times).toEqual(range(28).map((index) => fromMs + (index + 1) * FRAME_MS));
    expect(s.stalls).toEqual([420]);
  });

  test('shorter than 300 ms is jitter', () => {
    const s = setUp();
    s.inTime(100);
    for (const _ of range(14)) s.frame(2_000 + 280);
    s.inTime(10);
    expect(s.stalls).toEqual([]);
  });
});

describe('a sender that paused', () => {
  test('continues with the time of arrival from the third frame on, and no stall is reported', () => {
    const s = setUp();
    s.inTime(100);
    s.frame(10_000);
    s.frame(10_020);
    for (const index of range(300)) expect(s.frame(10_040 + index * 20)).toBeCloseTo(10_040 + index * 20);
    expect(s.stalls).toEqual([]);
  });

  test('and sends three frames at a time has the time of arrival again after 200 frames', () => {
    const s = setUp();
    s.inTime(100);
    for (const index of range(200)) s.frame(10_000 + Math.floor(index / 3) * 60);
    expect(s.frame(14_000)).toBeCloseTo(14_000, -2);
    expect(s.stalls).toEqual([]);
  });
});

test('times never decrease and never lie after the arrival', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(200), fc.nat(60)), { maxLength: 400 }), (steps) => {
      const clock = createStreamClock();
      let [mediaMs, arrivalMs, lastMs] = [0, 0, Number.NEGATIVE_INFINITY];
      for (const [media, gap] of steps) {
        mediaMs += media;
        arrivalMs += gap;
        const ms = clock.received(mediaMs, arrivalMs);
        expect(ms).toBeGreaterThanOrEqual(lastMs);
        expect(ms).toBeLessThanOrEqual(arrivalMs + 1e-6);
        lastMs = ms;
      }
    }),
  );
});
