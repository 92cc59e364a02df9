import { beforeEach, describe, expect, test } from 'vitest';
import { createPlaybackConfirmation, type PlaybackConfirmation } from '../../../media/playout/playback-confirmation.ts';

const FRAME_BYTES = 160;

let confirmation: PlaybackConfirmation;
let frames: number;

function open(more: { packetMs?: number; aheadMs?: number; returnsMarks?: boolean } = {}): void {
  const usual = { returnsMarks: true, bytesPerMs: 8, packetMs: 20, aheadMs: 120 };
  confirmation = createPlaybackConfirmation({ ...usual, ...more });
  frames = 0;
}
beforeEach(() => open());

/** Frames one after the other from 0 ms on; returns the names of the marks to request. */
function send(count: number): (string | null)[] {
  return Array.from({ length: count }, () => {
    const from = frames++ * FRAME_BYTES;
    return confirmation.sent(from, from + FRAME_BYTES, (frames - 1) * 20, frames === 1);
  });
}

/** How many frames may be sent now, at most 100. */
function room(): number {
  let count = 0;
  while (count < 100 && confirmation.maySend()) {
    send(1);
    count++;
  }
  return count;
}

const markAt = (names: (string | null)[]) => names.flatMap((name, index) => (name === null ? [] : [index + 1]));

describe('a mark is requested', () => {
  test('behind the first frame and then every 100 ms', () => {
    expect(markAt(send(12))).toEqual([1, 6, 11]);
  });

  test('behind whole packets', () => {
    open({ packetMs: 60 });
    expect(markAt(send(16))).toEqual([3, 9, 15]);
  });

  test('behind the last frame, unless there is one', () => {
    send(6);
    expect(confirmation.ended(6 * FRAME_BYTES, 120)).toBeNull();
    send(1);
    expect(confirmation.ended(7 * FRAME_BYTES, 140)).toBe('m3');
    expect(confirmation.ended(7 * FRAME_BYTES, 140)).toBeNull();
  });

  test('nowhere on a leg that returns none', () => {
    open({ returnsMarks: false });
    expect(markAt(send(12))).toEqual([]);
    expect([confirmation.ended(0, 0), confirmation.tick(9_999), confirmation.expectsMarks]).toEqual([
      null,
      false,
      false,
    ]);
    confirmation.reset();
    expect(confirmation.expectsMarks).toBe(false);
  });

  test('soon again after frames were taken back with their mark', () => {
    expect(markAt(send(7))).toEqual([1, 6]);
    confirmation.tookBack(2);
    frames -= 2;
    expect(confirmation.onMark('m2', 130)).toBeNull();
    // Four frames follow the first mark.
    expect(markAt(send(2))).toEqual([1]);
    confirmation.tookBack(1);
    frames -= 1;
    expect(markAt(send(5))).toEqual([5]);
  });
});

test('of the marks that are still out the last 32 are known', () => {
  send(5 * 39 + 1);
  expect(confirmation.onMark('m8', 5_000)).toBeNull();
  expect(confirmation.onMark('m9', 5_000)).not.toBeNull();
});

describe('how much may be unconfirmed', () => {
  test('400 ms and the delay of the line', () => {
    send(1);
    confirmation.onMark('m1', 120);
    expect(room()).toBe(25);
  });

  test('what packets, buffer and marks need', () => {
    open({ packetMs: 200, aheadMs: 400 });
    send(10);
    confirmation.onMark('m1', 200);
    expect(room()).toBe(38);
  });

  test('never more than a second of delay is allowed, nor less than none', () => {
    for (const [markMs, frameCount] of [
      [1_520, 70],
      [10, 20],
    ] as const) {
      open();
      send(1);
      confirmation.onMark('m1', markMs);
      expect(room()).toBe(frameCount);
    }
  });
});

describe('how far audio counts as played out', () => {
  test('by the clock before the first mark, until it is overdue', () => {
    send(6);
    expect(confirmation.limit(1_170)).toBe(Number.POSITIVE_INFINITY);
    expect(confirmation.limit(1_171)).toBe(0);
  });

  test('beyond the last mark by the time since and the tolerance, until the next is overdue', () => {
    send(6);
    expect(confirmation.onMark('m1', 120)).toBe(120);
    expect(confirmation.confirmed).toBe(FRAME_BYTES);
    expect(confirmation.limit(370)).toBe(FRAME_BYTES + (370 - 120 + 100 + 150) * 8);
    expect(confirmation.limit(371)).toBe(FRAME_BYTES);
  });

  test('a mark that is quicker shortens the delay, a slower one does not lengthen it', () => {
    send(16);
    confirmation.onMark('m1', 120);
    expect(confirmation.onMark('m2', 150)).toBe(150 - 30 + 200);
    expect(confirmation.onMark('m3', 650)).toBe(650 - 30 + 100);
  });

  test('after a gap the delay may be found 200 ms longer, once', () => {
    send(1);
    confirmation.onMark('m1', 120);
    const sendAt = (playAtMs: number) => confirmation.sent(160, 320, playAtMs, true);
    expect(sendAt(1_000)).toBe('m2');
    // 800 ms late: the delay is 300 now.
    expect(confirmation.onMark('m2', 1_820)).toBe(1_520);
    expect(sendAt(3_000)).toBe('m3');
    expect(confirmation.onMark('m3', 3_270)).toBe(3_020);
  });

  test('a slow mark gives the next one its time', () => {
    send(16);
    confirmation.onMark('m1', 120);
    confirmation.onMark('m2', 500);
    // 100 ms of audio later, and the tolerance.
    expect(confirmation.limit(750)).toBeGreaterThan(6 * FRAME_BYTES);
    expect(confirmation.limit(751)).toBe(6 * FRAME_BYTES);
  });

  test('a mark behind no gap does not lengthen the delay, although none was out', () => {
    send(1);
    confirmation.onMark('m1', 120);
    send(5);
    expect(confirmation.onMark('m2', 420)).toBe(320);
  });

  test('frames without a mark of their own are confirmed by a gap', () => {
    send(3);
    confirmation.onMark('m1', 120);
    send(1);
    expect(confirmation.confirmed).toBe(FRAME_BYTES);
    confirmation.sent(4 * FRAME_BYTES, 5 * FRAME_BYTES, 1_000, true);
    expect(confirmation.confirmed).toBe(4 * FRAME_BYTES);
    expect(room()).toBe(24);
  });

  test('a gap while marks are out confirms nothing', () => {
    send(6);
    confirmation.sent(6 * FRAME_BYTES, 7 * FRAME_BYTES, 1_000, true);
    expect(confirmation.confirmed).toBe(0);
  });

  test('nothing of a speech is, when it begins', () => {
    send(6);
    confirmation.onMark('m2', 120);
    confirmation.begin();
    expect(confirmation.confirmed).toBe(0);
  });

  test('a mark before a gap is awaited as if nothing had lain between', () => {
    send(1);
    confirmation.onMark('m1', 120);
    confirmation.sent(160, 320, 1_000, true);
    // Due at 1020, and 100 ms of delay.
    expect(confirmation.limit(1_270)).toBe(160 + (1_270 - 1_100 + 100 + 150) * 8);
    expect(confirmation.limit(1_271)).toBe(160);
  });
});

describe('a ping', () => {
  test('is sent at once before the first mark, later when one is overdue, and once', () => {
    expect(confirmation.tick(0)).toBe(false);
    send(6);
    expect([confirmation.tick(20), confirmation.tick(40)]).toEqual([true, false]);
    confirmation.onMark('m1', 120);
    expect([370, 371, 391].map((nowMs) => confirmation.tick(nowMs))).toEqual([false, true, false]);
  });

  test('that is answered gives the marks up once they would have come', () => {
    send(6);
    confirmation.onMark('m1', 120);
    confirmation.tick(400);
    confirmation.tick(5_000);
    expect(confirmation.expectsMarks).toBe(true);
    confirmation.onPong(5_000);
    confirmation.onPong(5_100);
    // 100 ms of audio, 100 of delay, and the tolerance.
    confirmation.tick(5_350);
    expect(confirmation.expectsMarks).toBe(true);
    confirmation.tick(5_351);
    expect(confirmation.expectsMarks).toBe(false);
    expect([confirmation.maySend(), confirmation.limit(9_999)]).toEqual([true, Number.POSITIVE_INFINITY]);
  });

  test('an answer without a ping says nothing', () => {
    send(6);
    confirmation.onMark('m1', 120);
    confirmation.onPong(130);
    for (let nowMs = 371; nowMs < 2_000; nowMs += 20) confirmation.tick(nowMs);
    expect(confirmation.expectsMarks).toBe(true);
  });

  test.each([
    [1_270, true],
    [1_271, false],
  ])('marks that were given up are expected again after one that came at %i ms: %s', (nowMs, expected) => {
    send(6);
    confirmation.onMark('m1', 20);
    confirmation.tick(400);
    confirmation.onPong(400);
    confirmation.tick(1_000);
    expect(confirmation.expectsMarks).toBe(false);
    confirmation.onMark('m2', nowMs);
    expect(confirmation.expectsMarks).toBe(expected);
  });
});

test('over the next stream marks that were given up are expected again', () => {
  send(6);
  confirmation.onMark('m1', 20);
  confirmation.tick(400);
  confirmation.onPong(400);
  expect([confirmation.tick(1_000), confirmation.expectsMarks]).toEqual([false, false]);
  confirmation.reset();
  expect(confirmation.expectsMarks).toBe(true);
});

describe('a clear', () => {
  test('confirms where the speech is to go on, and counts from there', () => {
    send(6);
    confirmation.onMark('m1', 120);
    expect(confirmation.cleared(800, 200)).toBeNull();
    expect([confirmation.confirmed, confirmation.limit(200)]).toEqual([800, 800 + (100 + 150) * 8]);
    expect(confirmation.onMark('m2', 220)).toBeNull();
    expect(room()).toBe(25);
  });

  test('into a line that does not confirm waits for its own mark', () => {
    send(6);
    confirmation.onMark('m1', 120);
    const name = confirmation.cleared(400, 371)!;
    expect([name, confirmation.maySend()]).toEqual(['m3', false]);
    confirmation.tick(800);
    confirmation.onMark(name, 900);
    expect([confirmation.maySend(), confirmation.confirmed]).toEqual([true, 400]);
  });

  test('is forgotten with its stream, as is the delay of the line', () => {
    send(6);
    confirmation.onMark('m1', 120);
    const name = confirmation.cleared(400, 371)!;
    confirmation.tick(800);
    confirmation.reset();
    expect(confirmation.onMark(name, 900)).toBeNull();
    expect(room()).toBe(70);
    expect(confirmation.tick(1_000)).toBe(true);
  });
});
