import { describe, expect, test } from 'vitest';
import { createResampler } from '../../../media/audio/resample.ts';
import { createVadWindows, MAX_WAITING_WINDOWS } from '../../../media/turn/vad-windows.ts';

const SHAPE = { rateHz: 16_000, windowSamples: 512, contextSamples: 64 };
const ROW = SHAPE.contextSamples + SHAPE.windowSamples;

function audioOf(samples: number): Int16Array {
  let random = 1;
  return Int16Array.from({ length: samples }, () => {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.round((random / 0x1_0000_0000 - 0.5) * 20_000);
  });
}

/** The whole audio at the model's rate, a context of silence before it. */
function whole(audio: Int16Array, fromHz: number): number[] {
  const resampler = createResampler(fromHz, SHAPE.rateHz);
  const converted = new Int16Array(resampler.maxOutput(audio.length));
  const count = resampler.process(audio, converted);
  return [...new Int16Array(SHAPE.contextSamples), ...converted.subarray(0, count)];
}

function rowOf(all: readonly number[], number: number): number[] {
  const from = number * SHAPE.windowSamples;
  return all.slice(from, from + ROW).map((sample) => sample / 32768);
}

describe('a window that is taken', () => {
  for (const fromHz of [8_000, 16_000, 24_000, 48_000]) {
    test(`is what unbroken conversion of ${fromHz} Hz gives, whichever windows were left out before it`, () => {
      const frame = fromHz / 50;
      const audio = audioOf(fromHz);
      const all = whole(audio, fromHz);
      for (const taken of [() => true, (number: number) => number % 2 === 1, (number: number) => number % 5 > 2]) {
        const windows = createVadWindows(fromHz, SHAPE);
        const row = new Float32Array(ROW + 3);
        let number = 0;
        for (let at = 0; at + frame <= audio.length; at += frame) {
          windows.push(audio.subarray(at, at + frame), 0, () => {
            if (taken(number)) {
              windows.take(row, 3);
              expect(Array.from(row.subarray(3))).toEqual(rowOf(all, number));
            } else windows.skip();
            number++;
          });
        }
        expect(number).toBe(31);
      }
    });
  }
});

test('windows wait in order, with the times their last samples came in', () => {
  const windows = createVadWindows(8_000, SHAPE);
  const audio = audioOf(800);
  windows.push(audio, 100, () => {});
  expect(windows.waiting).toBe(3);
  expect(windows.oldestEndMs).toBe(32);
  expect(windows.oldest).toEqual(audio.subarray(0, 256));
  windows.skip();
  expect(windows.oldestEndMs).toBe(64);
  expect(windows.oldest).toEqual(audio.subarray(256, 512));
});

test('the audio before the oldest is available with the most windows waiting', () => {
  const windows = createVadWindows(8_000, SHAPE);
  const audio = audioOf(256 * (MAX_WAITING_WINDOWS + 4) + 200);
  const all = whole(audio, 8_000);
  windows.push(audio, 0, () => {
    if (windows.waiting > MAX_WAITING_WINDOWS) windows.skip();
  });
  const row = new Float32Array(ROW);
  windows.take(row, 0);
  expect(Array.from(row)).toEqual(rowOf(all, 4));
});

test('a rate without whole samples in a window is refused', () => {
  expect(() => createVadWindows(11_025, SHAPE)).toThrow(RangeError);
});
