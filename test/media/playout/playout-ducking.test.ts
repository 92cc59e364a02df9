import { beforeEach, describe, expect, test } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import type { Leg } from '../../../media/leg/leg.ts';
import type { Background } from '../../../media/playout/leg-output.ts';
import { Playout } from '../../../media/playout/playout.ts';
import { decodeTestAudio, encodeTestAudio, isDucked } from '../../support/test-audio.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

interface Frame {
  fromMs: number;
  playAtMs: number;
  ducked: boolean;
}

let clock: VirtualClock;
let playout: Playout;
/** What plays, without what was taken back. */
let line: Frame[];
let reported: { playAtMs: number; afterGap: boolean }[];
let dropped: number[];
let started: number;
let finished: number;
let marks: string[];
let clears: number;

/** A leg that plays in real time; `takesBack` as one whose frames wait in this process. */
function open(takesBack = true, background: Background | null = null): void {
  const queuedUntilMs = () => (line.at(-1)?.playAtMs ?? -20) + 20;
  const leg = {
    format: MULAW_8K,
    packetMs: 20,
    returnsMarks: true,
    play(frame: Uint8Array) {
      const audio = decodeTestAudio(frame, undefined)!;
      const playAtMs = Math.max(clock.now(), queuedUntilMs());
      line.push({ fromMs: audio.fromMs, playAtMs, ducked: isDucked(frame) });
      return true;
    },
    flush() {},
    mark: (name: string) => marks.push(name),
    clear: () => clears++,
    takeBack: takesBack
      ? (atMost: number) => {
          const count = Math.min(atMost, line.filter(({ playAtMs }) => playAtMs > clock.now()).length);
          line.splice(line.length - count);
          return count;
        }
      : undefined,
  } as unknown as Leg;
  const listener = {
    started: () => started++,
    finished: () => finished++,
    sent: (_: Uint8Array, playAtMs: number, afterGap: boolean) => reported.push({ playAtMs, afterGap }),
    dropped: (fromMs: number) => dropped.push(fromMs),
  };
  playout = new Playout(leg, clock, listener, background);
}

async function run(ms: number): Promise<void> {
  for (let at = 0; at < ms; at += 20) {
    await clock.advance(20);
    playout.tick(clock.now());
  }
}

beforeEach(() => {
  clock = createVirtualClock();
  [line, reported, dropped, marks] = [[], [], [], []];
  [started, finished, clears] = [0, 0, 0];
});

/** A speech of this length, and the first part of it played. */
async function speak(lengthMs: number, playedMs: number): Promise<void> {
  playout.begin('r', false);
  playout.push('r', encodeTestAudio(1, 0, lengthMs));
  playout.complete('r');
  await run(playedMs);
}

const inOrder = (lengthMs: number) => Array.from({ length: lengthMs / 20 }, (_, index) => index * 20);

describe('where frames can be taken back', () => {
  test.each([500, 505, 513, 519])('the next frame that plays is ducked, %i ms into the speech', async (atMs) => {
    open();
    await speak(2_000, 480);
    await clock.advance(atMs - 480);
    playout.setDucked(true);
    await run(200);
    const first = line.find(({ ducked }) => ducked)!;
    expect(first.playAtMs - atMs).toBeLessThanOrEqual(20);
    expect(line.filter((frame) => frame.playAtMs > first.playAtMs).every(({ ducked }) => ducked)).toBe(true);
  });

  test('every frame plays once, without a gap, and the speech finishes once', async () => {
    open();
    await speak(1_000, 400);
    for (const ducked of [true, false, true, false]) {
      playout.setDucked(ducked);
      await run(60);
    }
    await run(600);
    expect(line.map(({ fromMs }) => fromMs)).toEqual(inOrder(1_000));
    expect(line.map(({ playAtMs }) => playAtMs - line[0]!.playAtMs)).toEqual(inOrder(1_000));
    playout.onMark(marks.at(-1)!);
    expect([started, finished]).toEqual([1, 1]);
  });

  test('what was dropped, and where the audio goes on, is reported', async () => {
    open();
    await speak(2_000, 500);
    const before = reported.length;
    playout.setDucked(true);
    expect(dropped).toEqual([520]);
    expect(reported[before]).toEqual({ playAtMs: 520, afterGap: true });
    expect(reported.slice(before + 1).every(({ afterGap }) => !afterGap)).toBe(true);
  });

  test('the ambient sound goes on without a gap', async () => {
    let position = 0;
    const at: number[] = [];
    open(true, {
      mixInto(frame) {
        at.push(position);
        position += frame.length;
        return frame;
      },
      rewind(samples) {
        position -= samples;
        at.splice(at.length - samples / 160);
      },
    });
    await speak(2_000, 500);
    playout.setDucked(true);
    await run(100);
    expect(at).toEqual(line.map((_, index) => index * 160));
  });

  test('the playout position goes on by the clock', async () => {
    open();
    await speak(2_000, 500);
    playout.setDucked(true);
    expect(playout.cursors('r')!.playedOutMs).toBe(500);
    await run(100);
    expect(playout.cursors('r')!.playedOutMs).toBe(600);
  });

  test('a mark behind frames that were taken back confirms nothing', async () => {
    open();
    await speak(2_000, 100);
    const early = marks.at(-1)!;
    playout.setDucked(true);
    playout.onMark(early);
    expect(playout.cursors('r')!.playedOutMs).toBe(100);
  });

  test('the last frames of a complete speech are ducked too', async () => {
    open();
    await speak(500, 440);
    expect(playout.cursors('r')!.sentMs).toBe(500);
    playout.setDucked(true);
    await run(100);
    expect(line.map(({ fromMs, ducked }) => [fromMs, ducked]).slice(-3)).toEqual([
      [440, false],
      [460, true],
      [480, true],
    ]);
  });

  test('frames of the ramp back to full volume stay as they are', async () => {
    open();
    await speak(2_000, 500);
    playout.setDucked(true);
    await run(200);
    playout.setDucked(false);
    await run(40);
    const [drops, sent] = [dropped.length, reported.length];
    playout.setDucked(true);
    expect([dropped.length, reported.length]).toEqual([drops, sent]);
  });

  test('a paused speech and one that has just begun stay as they are', async () => {
    open();
    playout.setDucked(true);
    playout.begin('r', false);
    playout.push('r', encodeTestAudio(1, 0, 20));
    playout.setDucked(true);
    playout.pause();
    playout.setDucked(true);
    expect(line).toHaveLength(1);
    expect(started).toBe(1);
  });
});

test('elsewhere ducking begins with the next frame, and nothing is cleared', async () => {
  open(false);
  await speak(2_000, 500);
  const sent = line.length;
  playout.setDucked(true);
  await run(200);
  expect(line.slice(0, sent).some(({ ducked }) => ducked)).toBe(false);
  expect(line.slice(sent).every(({ ducked }) => ducked)).toBe(true);
  expect(clears).toBe(0);
});
