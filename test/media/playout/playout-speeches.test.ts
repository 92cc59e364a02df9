import { beforeEach, expect, test } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import type { Leg } from '../../../media/leg/leg.ts';
import { Playout } from '../../../media/playout/playout.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

let clock: VirtualClock;
let playout: Playout;
let frames: Uint8Array[];
/** What was asked of the leg and reported, in order. */
let log: string[];

function open({ returnsMarks = true, playoutDelayMs = 0 } = {}): void {
  clock = createVirtualClock();
  [frames, log] = [[], []];
  const leg = {
    ...{ format: MULAW_8K, packetMs: 20, returnsMarks, playoutDelayMs },
    play: (frame: Uint8Array) => frames.push(frame.slice()) > 0,
    flush: () => log.push('flush'),
    mark() {},
    clear: () => log.push('clear'),
    ping() {},
  } as unknown as Leg;
  playout = new Playout(leg, clock, {
    started: (id, atMs) => log.push(`${id} started at ${atMs}`),
    finished: (id) => log.push(`${id} finished`),
    sent() {},
    dropped: (fromMs) => log.push(`dropped from ${fromMs}`),
  });
}
beforeEach(() => open());

const audio = (ms: number) => new Uint8Array(ms * 8).fill(0x80);

function speak(ms: number): void {
  playout.begin('r1', false);
  playout.push('r1', audio(ms));
}

async function run(ms: number): Promise<void> {
  for (const endMs = clock.now() + ms; clock.now() < endMs; ) {
    await clock.advance(Math.min(20, endMs - clock.now()));
    playout.tick(clock.now());
  }
}

const playedOutMs = () => playout.cursors('r1')!.playedOutMs;

test('a speech without audio finishes when it is complete', () => {
  playout.begin('r1', false);
  playout.complete('r1');
  expect(log).toEqual(['flush', 'r1 finished']);
});

test('only the current speech can be completed, and has cursors', () => {
  playout.complete('r1');
  expect(playout.cursors('r1')).toBeNull();
  speak(20);
  playout.complete('r0');
  expect([playout.cursors('r0'), playout.cursors('r1')!.complete]).toEqual([null, false]);
});

test('a speech that is dropped falls silent at the carrier', async () => {
  speak(2_000);
  await run(500);
  playout.drop();
  expect(log).toEqual(['r1 started at 0', 'clear', 'dropped from 500']);
  expect(playout.cursors('r1')).toBeNull();
});

test('a speech that begins drops the one before, and one without audio is dropped without a trace', async () => {
  speak(2_000);
  await run(500);
  playout.begin('r2', false);
  playout.begin('r3', true);
  playout.drop();
  expect(log).toEqual(['r1 started at 0', 'clear', 'dropped from 500']);
});

test('over the next stream a speech goes on where it was played out', async () => {
  playout.onStreamLost();
  speak(2_000);
  await run(500);
  playout.onStreamLost();
  expect(log.at(-1)).toBe('dropped from 500');
  expect(playout.cursors('r1')).toMatchObject({ sentMs: 500, playedOutMs: 500 });
  playout.tick(clock.now());
  expect(playout.cursors('r1')!.sentMs).toBeGreaterThan(500);
});

test('a speech that was paused is cut where it is paused again', async () => {
  speak(2_000);
  await run(100);
  playout.pause();
  await run(200);
  playout.resume();
  await run(100);
  playout.pause();
  expect(log.slice(1)).toEqual(['clear', 'dropped from 100', 'clear', 'dropped from 400']);
  expect(playedOutMs()).toBe(200);
});

test('each underrun is left out of the position', async () => {
  for (const atMs of [0, 500, 600]) {
    await clock.advance(atMs - clock.now());
    if (atMs === 0) speak(60);
    else playout.push('r1', audio(60));
  }
  await clock.advance(30);
  expect(playedOutMs()).toBe(150);
});

test('the leg is flushed once at the end of the audio, and once more when it goes on after a pause', async () => {
  speak(100);
  playout.complete('r1');
  await run(40);
  playout.pause();
  playout.resume();
  playout.tick(clock.now());
  expect(log.slice(1)).toEqual(['flush', 'clear', 'dropped from 40', 'flush']);
});

test('without marks a speech finishes by the clock, after the delay of the line', async () => {
  open({ returnsMarks: false, playoutDelayMs: 50 });
  speak(100);
  playout.complete('r1');
  await clock.advance(80);
  expect(playedOutMs()).toBe(30);
  playout.tick(149);
  expect(log).not.toContain('r1 finished');
  playout.tick(150);
  expect(log).toContain('r1 finished');
});

test('what is on its way to the caller cannot be cut', async () => {
  open({ returnsMarks: false, playoutDelayMs: 50 });
  speak(100);
  await clock.advance(60);
  playout.pause();
  expect(log.at(-1)).toBe('dropped from 60');
});

test.each([true, false])('marks that stay away are not waited for once all was read: %s', async (read) => {
  speak(100);
  playout.complete('r1');
  await run(20);
  if (read) playout.onPong();
  await run(2_000);
  expect(log.includes('r1 finished')).toBe(read);
});

test('the agent is softer within 40 ms, and back within 200', () => {
  speak(2_000);
  const isRamp = (frame: Uint8Array) => frame[0] !== frame.at(-1);
  const rampFrames = (ticks: number) => {
    frames.length = 0;
    for (const endMs = nowMs + ticks * 20; nowMs < endMs; ) {
      nowMs += 20;
      playout.tick(nowMs);
    }
    expect(frames).toHaveLength(ticks);
    return frames.map(isRamp).lastIndexOf(true) + 1;
  };
  let nowMs = 0;
  playout.tick(0);
  playout.setDucked(true);
  expect(rampFrames(6)).toBe(2);
  playout.setDucked(false);
  expect(rampFrames(14)).toBe(10);
});
