import { describe, expect, test } from 'vitest';
import {
  BANDS,
  bandPowers,
  createNoiseFloor,
  type NoiseCheck,
  type NoiseFloor,
} from '../../../media/turn/noise-floor.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const EMPTY = 0.02;
const WINDOW = 256;

/** Noise between -peak and peak, the same in every run. */
function noiseOf(peak: number, windows: number, seed = 1): Int16Array[] {
  const random = seededRandom(seed);
  return Array.from({ length: windows }, () =>
    Int16Array.from({ length: WINDOW }, () => Math.round((random() - 0.5) * 2 * peak)),
  );
}

function tone(hz: number, peak: number): Int16Array {
  return Int16Array.from({ length: WINDOW }, (_, at) => Math.round(peak * Math.sin((2 * Math.PI * hz * at) / 8_000)));
}

function sum(a: Int16Array, b: Int16Array): Int16Array {
  return a.map((value, at) => value + b[at]!);
}

/** Checks windows; those that are not noise get the model's `probability`. */
function classify(line: NoiseFloor, windows: readonly Int16Array[], probability = EMPTY): NoiseCheck[] {
  const powers = new Float64Array(BANDS);
  return windows.map((window) => {
    bandPowers(window, 1, powers);
    const look = line.check(powers);
    if (look !== 'noise') line.update(powers, probability);
    return look;
  });
}

const count = (checks: readonly NoiseCheck[], check: NoiseCheck) => checks.filter((one) => one === check).length;

describe('the noise floor', () => {
  test('is known after half a second, and the model is then run on every eighth window', () => {
    const checks = classify(createNoiseFloor(), noiseOf(100, 16 + 80));
    expect(count(checks.slice(0, 16), 'louder')).toBe(16);
    expect(count(checks.slice(16), 'noise')).toBe(70);
    expect(count(checks.slice(16), 'recheck')).toBe(10);
  });

  test('is unknown while the model detects something', () => {
    expect(count(classify(createNoiseFloor(), noiseOf(100, 200), 0.15), 'noise')).toBe(0);
  });

  test('a louder band runs the model at once, and on the windows after it', () => {
    for (const hz of [200, 1_000, 2_000, 3_500]) {
      const line = createNoiseFloor();
      const [first, ...rest] = noiseOf(100, 60);
      classify(line, rest.slice(0, 40));
      expect(classify(line, [sum(first!, tone(hz, 90))])).toEqual(['louder']);
      expect(classify(line, rest.slice(40, 46))).toEqual(Array(6).fill('recheck'));
      expect(classify(line, rest.slice(46, 47))).toEqual(['noise']);
    }
  });

  test('a hiss above a hum is detected at an unchanged total level', () => {
    const line = createNoiseFloor();
    const hum = tone(125, 2_000);
    const faint = noiseOf(20, 60);
    classify(
      line,
      faint.map((one) => sum(one, hum)),
    );
    const [hiss] = noiseOf(200, 1, 7);
    expect(classify(line, [sum(hum, hiss!)])).toEqual(['louder']);
  });

  test('is used again six empty windows after speech', () => {
    const line = createNoiseFloor();
    const noise = noiseOf(100, 60);
    classify(line, noise);
    classify(line, Array(20).fill(tone(300, 4_000)), 0.95);
    const checks = classify(line, noise.slice(0, 20));
    expect(checks.indexOf('noise')).toBe(6);
    expect(count(checks, 'louder')).toBe(0);
  });

  test('louder noise is learned, softer noise is tracked', () => {
    const line = createNoiseFloor();
    classify(line, noiseOf(100, 60));
    const louder = classify(line, noiseOf(200, 60));
    expect(louder.lastIndexOf('louder')).toBe(15);
    expect(count(louder, 'noise')).toBeGreaterThan(30);
    expect(count(classify(line, noiseOf(70, 60)), 'louder')).toBe(0);
    // By now the noise of before is loud.
    expect(classify(line, noiseOf(200, 1))).toEqual(['louder']);
  });

  test('audio that grows slowly is not taken for noise', () => {
    const line = createNoiseFloor();
    const noise = noiseOf(100, 260);
    classify(line, noise.slice(0, 60));
    // From far below the noise, half a decibel more in every window.
    const checks = classify(
      line,
      noise.slice(60, 140).map((one, at) => sum(one, tone(400, 10 * 10 ** (at / 40)))),
    );
    const audible = checks.slice(45);
    expect(count(audible, 'noise')).toBe(0);
  });

  test('one loud click neither raises the floor nor hides what follows', () => {
    const line = createNoiseFloor();
    const noise = noiseOf(100, 100);
    classify(line, noise.slice(0, 40));
    classify(line, [tone(500, 20_000)]);
    classify(line, noise.slice(40, 60));
    expect(classify(line, [sum(noise[60]!, tone(500, 100))])).toEqual(['louder']);
  });

  test('noise after digital silence is learned like any other', () => {
    const line = createNoiseFloor();
    classify(line, Array(40).fill(new Int16Array(WINDOW)));
    const checks = classify(line, noiseOf(100, 40));
    expect(checks.slice(0, 16)).toEqual(Array(16).fill('louder'));
    expect(count(checks.slice(16), 'noise')).toBeGreaterThan(15);
  });
});

test('the bands at 48 kHz lie where those of 8 kHz do', () => {
  const narrow = new Float64Array(BANDS);
  const wide = new Float64Array(BANDS);
  const at48 = (hz: number) =>
    Int16Array.from({ length: 1_536 }, (_, at) => Math.round(4_000 * Math.sin((2 * Math.PI * hz * at) / 48_000)));
  for (const hz of [250, 1_000, 2_000, 3_000]) {
    const power = bandPowers(tone(hz, 4_000), 1, narrow);
    expect(bandPowers(at48(hz), 6, wide)).toBeCloseTo(power, 3);
    for (let band = 0; band < BANDS; band++) expect(wide[band]).toBeCloseTo(narrow[band]!, 3);
  }
});
