import { describe, expect, test } from 'vitest';
import { createResampler } from '../../../media/audio/resample.ts';
import { createVadWindows } from '../../../media/turn/vad-windows.ts';

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

describe('a window that is converted', () => {
  for (const fromHz of [8_000, 16_000, 24_000, 48_000]) {
    test(`is what unbroken conversion of ${fromHz} Hz gives, whichever windows were left out before it`, () => {
      const frame = fromHz / 50;
      const audio = audioOf(fromHz);
      const all = whole(audio, fromHz);
      for (const taken of [() => true, (number: number) => number % 2 === 1, (number: number) => number % 5 > 2]) {
        const windows = createVadWindows(fromHz, SHAPE);
        const row = new Float32Array(ROW);
        let number = 0;
        for (let at = 0; at + frame <= audio.length; at += frame) {
          windows.push(audio.subarray(at, at + frame), 0, () => {
            if (taken(number)) {
              windows.convert(row);
              const due = rowOf(all, number);
              // The resampler rounds to 16 bits.
              expect(Math.max(...row.map((sample, at) => Math.abs(sample - due[at]!)))).toBeLessThan(0.51 / 32768);
            }
            number++;
          });
        }
        expect(number).toBe(31);
      }
    });
  }
});

test('windows come in order, with the times their last samples came in', () => {
  const audio = audioOf(800);
  const got: [number[], number][] = [];
  createVadWindows(8_000, SHAPE).push(audio, 100, (window, endMs) => got.push([[...window], endMs]));
  expect(got).toEqual([0, 256, 512].map((at) => [[...audio.subarray(at, at + 256)], (at + 256) / 8]));
});

test('a rate without whole samples in a window is refused', () => {
  expect(() => createVadWindows(11_025, SHAPE)).toThrow(RangeError);
});
