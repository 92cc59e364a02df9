import { describe, expect, test } from 'vitest';
import { createResampler } from '../../../media/audio/resample.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { decibels, noise, strength, tone } from './signals.ts';

const RATES = [8000, 16000, 22050, 24000, 44100, 48000];
const PAIRS: [number, number][] = [
  ...RATES.map((rate): [number, number] => [8000, rate]),
  ...RATES.map((rate): [number, number] => [rate, 8000]),
  [22050, 16000],
  [24000, 16000],
  [48000, 44100],
];

function run(fromHz: number, toHz: number, input: Int16Array, chunkLength?: () => number): Int16Array {
  const resampler = createResampler(fromHz, toHz);
  const output = new Int16Array(resampler.maxOutput(input.length) + resampler.maxOutput(1000));
  let written = 0;
  for (let from = 0; from < input.length; ) {
    const count = chunkLength ? Math.min(chunkLength(), input.length - from) : input.length;
    const target = output.subarray(written, written + resampler.maxOutput(count));
    written += resampler.process(input.subarray(from, from + count), target);
    from += count;
  }
  written += resampler.flush(output.subarray(written));
  return output.slice(0, written);
}

describe.each(PAIRS)('%i -> %i Hz', (fromHz, toHz) => {
  const lower = Math.min(fromHz, toHz);

  test('the output does not depend on how the input is split', () => {
    const input = noise(5000, fromHz + toHz);
    const random = seededRandom(7);
    const whole = run(fromHz, toHz, input);
    expect(run(fromHz, toHz, input, () => 1 + Math.floor(random() * 400))).toEqual(whole);
    expect(run(fromHz, toHz, input, () => 1)).toEqual(whole);
    expect(run(fromHz, toHz, input, () => 4000)).toEqual(whole);
  });

  test('20 ms in are 20 ms out', () => {
    const resampler = createResampler(fromHz, toHz);
    const frame = new Int16Array(fromHz / 50);
    const target = new Int16Array(resampler.maxOutput(frame.length));
    for (let i = 0; i < 20; i++) expect(resampler.process(frame, target)).toBe(toHz / 50);
  });

  test('speech passes unchanged, delayed by the stated time', () => {
    const frequency = lower * 0.125;
    const out = run(fromHz, toHz, tone(frequency, fromHz, fromHz / 4));
    const delay = createResampler(fromHz, toHz).delayMs / 1000;
    const expected = Int16Array.from({ length: out.length }, (_, i) =>
      Math.round(0.5 * 32767 * Math.sin(2 * Math.PI * frequency * (i / toHz - delay))),
    );
    let worst = 0;
    const edge = Math.ceil(delay * 2 * toHz);
    for (let i = edge; i < out.length - edge; i++) worst = Math.max(worst, Math.abs(out[i]! - expected[i]!));
    expect(worst).toBeLessThan(20);
    const loudness = decibels(
      strength(run(fromHz, toHz, tone(lower * 0.42, fromHz, fromHz)), lower * 0.42, toHz) / 0.5,
    );
    expect(Math.abs(loudness)).toBeLessThan(0.2);
  });

  test('frequencies beyond the lower rate are at least 60 dB down', () => {
    for (const factor of [0.58, 0.65, 0.9, 1.2, 1.9]) {
      const frequency = lower * factor;
      if (frequency < fromHz / 2) {
        // Goes in above the new half rate: whatever comes out is an alias.
        const out = run(fromHz, toHz, tone(frequency, fromHz, fromHz / 2)).subarray(toHz / 50, toHz / 2 - toHz / 50);
        const peak = out.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
        expect(decibels(peak / (0.5 * 32767))).toBeLessThan(-60);
      }
      const image = fromHz - lower * (1 - factor);
      if (toHz > fromHz && factor < 1 && image < toHz / 2) {
        const out = run(fromHz, toHz, tone(fromHz - image, fromHz, fromHz)).subarray(toHz / 10, toHz - toHz / 10);
        expect(decibels(strength(out, image, toHz) / 0.5)).toBeLessThan(-60);
      }
    }
  });
});

test('a constant stays constant', () => {
  const out = run(22050, 8000, new Int16Array(22050).fill(1000)).subarray(200, 7900);
  expect(new Set(out)).toEqual(new Set([1000]));
});

test('full scale is clipped, not wrapped', () => {
  const square = Int16Array.from({ length: 800 }, (_, i) => (i % 40 < 20 ? 32767 : -32768));
  const out = run(8000, 16000, square);
  for (let i = 40; i < 1500; i++) if (i % 80 > 45 && i % 80 < 66) expect(out[i]).toBeGreaterThan(20000);
});

test('flush gives the tail and resets', () => {
  const resampler = createResampler(8000, 16000);
  const first = new Int16Array(2000);
  const second = new Int16Array(2000);
  const input = noise(321);
  const count = resampler.process(input, first);
  const tail = resampler.flush(first.subarray(count));
  expect(tail).toBe(32);
  expect(resampler.process(input, second)).toBe(count);
  expect(second.subarray(0, count)).toEqual(first.subarray(0, count));
});

test('a target too small changes nothing', () => {
  const resampler = createResampler(8000, 16000);
  const target = new Int16Array(400);
  expect(() => resampler.process(noise(160), new Int16Array(319))).toThrow(RangeError);
  expect(resampler.process(noise(160), target)).toBe(320);
  const fresh = new Int16Array(400);
  createResampler(8000, 16000).process(noise(160), fresh);
  expect(target).toEqual(fresh);
});

test('rates without a small ratio are refused', () => {
  expect(() => createResampler(8000, 11025.5)).toThrow(RangeError);
  expect(() => createResampler(8000, 44101)).toThrow(RangeError);
  expect(() => createResampler(0, 8000)).toThrow(RangeError);
});
