import { beforeEach, expect, test } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import type { Leg } from '../../../media/leg/leg.ts';
import { createLegOutput, type LegOutput } from '../../../media/playout/leg-output.ts';

const FRAME_BYTES = 160;
const MIXED = new Uint8Array(FRAME_BYTES).fill(1);
/** The leg can take so many frames back. */
const TAKEN_BACK = 2;

let output: LegOutput;
/** What leg and background were asked for, in order. */
let asked: string[];
/** What is reported of the frames. */
let reported: { playAtMs: number; afterGap: boolean }[];
let takes: boolean;

interface Options {
  packetMs?: number;
  /** With a background. */
  mixes?: boolean;
  pings?: boolean;
  takesBack?: boolean;
}

function open({ packetMs = 20, mixes = true, pings = true, takesBack = true }: Options = {}): void {
  [asked, reported, takes] = [[], [], true];
  const leg = {
    ...{ format: MULAW_8K, packetMs, returnsMarks: true },
    play(frame: Uint8Array) {
      if (takes) asked.push(frame === MIXED ? 'mixed' : 'frame');
      return takes;
    },
    flush: () => asked.push('flush'),
    mark: (name: string) => asked.push(name),
    clear: () => asked.push('clear'),
    ...(pings && { ping: () => asked.push('ping') }),
    ...(takesBack && { takeBack: (atMost: number) => Math.min(atMost, TAKEN_BACK) }),
  } as unknown as Leg;
  const background = { mixInto: () => MIXED, rewind: (samples: number) => asked.push(`rewind ${samples}`) };
  output = createLegOutput(leg, mixes ? background : null, 120, (frame, playAtMs, afterGap) => {
    reported.push({ playAtMs, afterGap });
    expect(frame === MIXED).toBe(mixes);
  });
}
beforeEach(() => open());

/** Sends frames of a speech, its first ones by default. */
function send(count: number, nowMs: number, sentBefore = 0): (number | null)[] {
  const frame = new Uint8Array(FRAME_BYTES);
  return Array.from({ length: count }, (_, index) => output.send(frame, (sentBefore + index + 1) * FRAME_BYTES, nowMs));
}

const count = (what: string) => asked.filter((each) => each === what).length;

test('a frame follows the one before until that is played to its end', () => {
  expect([...send(1, 0), ...send(1, 20), ...send(2, 41)]).toEqual([0, 20, 41, 61]);
  expect(reported.map(({ afterGap }) => afterGap)).toEqual([true, false, true, false]);
  expect(output.bufferedUntilMs).toBe(81);
});

test.each([
  [20, 2],
  [60, 6],
  [200, 15],
])('with packets of %i ms, %i frames of the background are ahead', (packetMs, frames) => {
  open({ packetMs });
  output.fillBackground(0);
  output.fillBackground(0);
  expect(count('mixed')).toBe(frames);
  output.fillBackground(20);
  expect(count('mixed')).toBe(frames + 1);
});

test('without a background nothing lies between speeches', () => {
  open({ mixes: false });
  output.fillBackground(0);
  expect(asked).toEqual([]);
});

test('of a frame that the leg does not take the background is not used up', () => {
  takes = false;
  expect(send(1, 0)).toEqual([null]);
  output.fillBackground(0);
  expect([asked, reported]).toEqual([['rewind 160', 'rewind 160'], []]);
});

test('the leg knows where a speech ends, unless a background follows', () => {
  for (const [mixes, expected] of [
    [false, ['frame', 'm1', 'frame', 'flush', 'm2']],
    [true, ['mixed', 'm1', 'mixed', 'm2']],
  ] as const) {
    open({ mixes });
    send(2, 0);
    output.end();
    expect(asked).toEqual(expected);
  }
});

test('a mark that was awaited is known, once', () => {
  send(1, 0);
  expect(['m2', 'm1', 'm1'].map((name) => output.onMark(name, 20))).toEqual([false, true, false]);
});

test('marks of what was sent before a speech prove nothing of it', () => {
  send(6, 0);
  output.begin();
  output.onMark('m2', 130);
  expect(output.confirmed).toBe(0);
  for (let nowMs = 200; nowMs < 320; nowMs += 20) output.fillBackground(nowMs);
  expect(output.onMark('m3', 320)).toBe(true);
  expect(output.confirmed).toBe(0);
});

test('how far a speech may count as played out follows the bytes of its format', () => {
  send(6, 0);
  output.onMark('m1', 120);
  // The mark came 100 ms late, and 150 ms are tolerated.
  expect(output.limit(120)).toBe(FRAME_BYTES + 250 * 8);
});

test('what was held back goes on where a carrier that stood still has played the rest', () => {
  expect(send(71, 0).at(-1)).toBeNull();
  output.onMark('m1', 3_000);
  // The delay of the line counts as a second, and 69 frames are still to play.
  expect(send(1, 3_000, 70)).toEqual([3_380]);
  expect(reported.at(-1)).toEqual({ playAtMs: 3_380, afterGap: true });
  expect(send(1, 3_000, 71)).toEqual([null]);
  output.onMark('m2', 3_020);
  expect(send(1, 3_020, 71)).toEqual([3_400]);
  expect(reported.at(-1)!.afterGap).toBe(false);
  expect([count('mixed'), output.bufferedUntilMs]).toEqual([72, 3_420]);
});

test('late marks move nothing where nothing is held back', () => {
  send(71, 0);
  output.onMark('m1', 3_000);
  output.onMark('m2', 9_000);
  expect(output.bufferedUntilMs).toBe(3_380);
  open();
  send(6, 0);
  output.onMark('m1', 2_000);
  expect(output.bufferedUntilMs).toBe(120);
});

test('a clear rewinds the background by what was not played, and the speech goes on where it says', () => {
  send(6, 0);
  output.clear(2 * FRAME_BYTES, 50);
  expect([asked.slice(-2), output.bufferedUntilMs]).toEqual([['clear', 'rewind 560'], 50]);
  expect(send(1, 50, 2)).toEqual([50]);
  expect([reported.at(-1)!.afterGap, output.confirmed]).toEqual([true, 2 * FRAME_BYTES]);
  output.clear(2 * FRAME_BYTES, 500);
  expect(asked.at(-1)).toBe('rewind 0');
});

test('a clear into a line that does not confirm asks for a mark', () => {
  send(6, 0);
  output.onMark('m1', 20);
  output.clear(FRAME_BYTES, 271);
  expect(asked.slice(-3)).toEqual(['clear', 'm3', 'rewind 0']);
});

test('frames that are taken back leave no gap, nor a mark', () => {
  send(6, 0);
  expect([output.takeBack(0), asked.at(-1)]).toEqual([0, 'm2']);
  expect([output.takeBack(5), asked.at(-1), output.bufferedUntilMs]).toEqual([2, 'rewind 320', 80]);
  expect(send(2, 30, 4)).toEqual([80, 100]);
  expect(reported.slice(-2).map(({ afterGap }) => afterGap)).toEqual([true, false]);
  expect(output.onMark('m2', 130)).toBe(false);
  open({ takesBack: false });
  send(6, 0);
  expect(output.takeBack(5)).toBe(0);
});

test.each([true, false])('a leg with pings (%s) is asked for one; without, what it took counts as read', (pings) => {
  open({ pings });
  send(6, 0);
  output.onMark('m1', 20);
  output.tick(200);
  expect(count('ping')).toBe(0);
  output.tick(300);
  expect(count('ping')).toBe(pings ? 1 : 0);
  // 100 ms of audio and the tolerance later the second mark would have come.
  output.tick(551);
  expect(output.expectsMarks).toBe(pings);
  output.onPong(600);
  output.tick(851);
  expect(output.expectsMarks).toBe(false);
});

test('over the next stream the audio begins anew, and marks of the last one are unknown', () => {
  send(6, 0);
  output.onStreamLost();
  expect(output.onMark('m1', 20)).toBe(false);
  expect(send(1, 50, 6)).toEqual([50]);
  expect(reported.at(-1)!.afterGap).toBe(true);
});
