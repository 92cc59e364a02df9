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

/** Hears windows; those that are not calm get the model's `probability`. */
function hear(line: NoiseFloor, windows: readonly Int16Array[], probability = EMPTY): NoiseCheck[] {
  const powers = new Float64Array(BANDS);
  return windows.map((window) => {
    bandPowers(window, 1, powers);
    const look = line.check(powers);
    if (look !== 'calm') line.update(powers, probability);
    return look;
  });
}

const count = (looks: readonly NoiseCheck[], look: NoiseCheck) => looks.filter((one) => one === look).length;

describe('a calm line', () => {
  test('is known after half a second, and the model is then asked about every eighth window', () => {
    const looks = hear(createNoiseFloor(), noiseOf(100, 16 + 80));
    expect(count(looks.slice(0, 16), 'new')).toBe(16);
    expect(count(looks.slice(16), 'calm')).toBe(70);
    expect(count(looks.slice(16), 'as before')).toBe(10);
  });

  test('is not calm while the model hears something in it', () => {
    expect(count(hear(createNoiseFloor(), noiseOf(100, 200), 0.15), 'calm')).toBe(0);
  });

  test('anything louder in any band is for the model at once, and so are the windows after it', () => {
    for (const hz of [200, 1_000, 2_000, 3_500]) {
      const line = createNoiseFloor();
      const [first, ...rest] = noiseOf(100, 60);
      hear(line, rest.slice(0, 40));
      expect(hear(line, [sum(first!, tone(hz, 90))])).toEqual(['new']);
      expect(hear(line, rest.slice(40, 46))).toEqual(Array(6).fill('as before'));
      expect(hear(line, rest.slice(46, 47))).toEqual(['calm']);
    }
  });

  test('a hiss under a hum shows, though the level of the whole stays', () => {
    const line = createNoiseFloor();
    const hum = tone(125, 2_000);
    const faint = noiseOf(20, 60);
    hear(
      line,
      faint.map((one) => sum(one, hum)),
    );
    const [hiss] = noiseOf(200, 1, 7);
    expect(hear(line, [sum(hum, hiss!)])).toEqual(['new']);
  });

  test('after speech it is calm again as soon as six windows were empty and no louder', () => {
    const line = createNoiseFloor();
    const noise = noiseOf(100, 60);
    hear(line, noise);
    hear(line, Array(20).fill(tone(300, 4_000)), 0.95);
    const looks = hear(line, noise.slice(0, 20));
    expect(looks.indexOf('calm')).toBe(6);
    expect(count(looks, 'new')).toBe(0);
  });

  test('louder noise is learnt anew, softer noise is followed', () => {
    const line = createNoiseFloor();
    hear(line, noiseOf(100, 60));
    const louder = hear(line, noiseOf(200, 60));
    expect(louder.lastIndexOf('new')).toBe(15);
    expect(count(louder, 'calm')).toBeGreaterThan(30);
    expect(count(hear(line, noiseOf(70, 60)), 'new')).toBe(0);
    // By now the noise of before is loud.
    expect(hear(line, noiseOf(200, 1))).toEqual(['new']);
  });

  test('a sound that grows slowly does not pass for the noise', () => {
    const line = createNoiseFloor();
    const noise = noiseOf(100, 260);
    hear(line, noise.slice(0, 60));
    // From far below the noise, half a decibel more in every window.
    const looks = hear(
      line,
      noise.slice(60, 140).map((one, at) => sum(one, tone(400, 10 * 10 ** (at / 40)))),
    );
    const audible = looks.slice(45);
    expect(count(audible, 'calm')).toBe(0);
  });

  test('one loud click neither raises the noise nor hides what follows', () => {
    const line = createNoiseFloor();
    const noise = noiseOf(100, 100);
    hear(line, noise.slice(0, 40));
    hear(line, [tone(500, 20_000)]);
    hear(line, noise.slice(40, 60));
    expect(hear(line, [sum(noise[60]!, tone(500, 100))])).toEqual(['new']);
  });

  test('noise after digital silence is learnt like any other', () => {
    const line = createNoiseFloor();
    hear(line, Array(40).fill(new Int16Array(WINDOW)));
    const looks = hear(line, noiseOf(100, 40));
    expect(looks.slice(0, 16)).toEqual(Array(16).fill('new'));
    expect(count(looks.slice(16), 'calm')).toBeGreaterThan(15);
  });
});

test('the bands of a line at 48 kHz lie where those of 8 kHz do', () => {
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
