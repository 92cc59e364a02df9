import { describe, expect, test } from 'vitest';
import {
  createLogMel,
  hertzToMel,
  MEL_BINS,
  MEL_FRAMES,
  MEL_RATE_HZ,
  MEL_SAMPLES,
  melToHertz,
} from '../../../media/audio/log-mel.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const logMel = createLogMel();

function featuresOf(sample: (at: number) => number): Float32Array {
  const features = new Float32Array(MEL_BINS * MEL_FRAMES);
  logMel.compute(
    Float32Array.from({ length: MEL_SAMPLES }, (_, at) => sample(at)),
    features,
  );
  return features;
}

const tone =
  (hz: number, level = 0.3) =>
  (at: number) =>
    level * Math.sin((2 * Math.PI * hz * at) / MEL_RATE_HZ);

const column = (features: Float32Array, frame: number) =>
  Array.from({ length: MEL_BINS }, (_, bin) => features[bin * MEL_FRAMES + frame]!);

/** From -1 to 1. */
function noise(seed: number): () => number {
  const random = seededRandom(seed);
  return () => 2 * random() - 1;
}

describe("Slaney's scale", () => {
  test.each([
    [0, 0],
    [200, 3],
    [1_000, 15],
    [6_400, 42],
    [8_000, 45.24564],
  ])('%d Hz are %d mels', (hz, mels) => {
    expect(hertzToMel(hz)).toBeCloseTo(mels, 5);
    expect(melToHertz(mels)).toBeCloseTo(hz, 1);
  });
});

describe('log-mel features', () => {
  test('are 80 rows of 800 frames for 8 s at 16 kHz, and nothing else', () => {
    expect([MEL_BINS, MEL_FRAMES, MEL_SAMPLES]).toEqual([80, 800, 128_000]);
    expect(() => logMel.compute(new Float32Array(100), new Float32Array(MEL_BINS * MEL_FRAMES))).toThrow(RangeError);
    expect(() => logMel.compute(new Float32Array(MEL_SAMPLES), new Float32Array(80))).toThrow(RangeError);
  });

  // 82 corners lie evenly on the scale from 0 to 8000 Hz; the k-th filter peaks at corner k + 1.
  test.each([200, 440, 1_000, 2_000, 3_400, 6_000])('a tone of %d Hz is loudest in its own bin', (hz) => {
    const bins = column(featuresOf(tone(hz)), 400);
    const loudest = bins.indexOf(Math.max(...bins));
    expect(Math.abs(loudest - ((hertzToMel(hz) / hertzToMel(8_000)) * 81 - 1))).toBeLessThanOrEqual(0.6);
  });

  test('span 8 decades at most, which are 2 after scaling, whatever the loudness', () => {
    const quiet = featuresOf(tone(440, 0.01));
    const loud = featuresOf(tone(440, 0.9));
    for (const features of [quiet, loud, featuresOf(noise(1))]) {
      const highest = features.reduce((most, value) => Math.max(most, value));
      const lowest = features.reduce((least, value) => Math.min(least, value));
      expect(highest - lowest).toBeLessThanOrEqual(2 + 1e-5);
      expect(highest).toBeLessThan(2.5);
      expect(lowest).toBeGreaterThan(-1.5);
    }
    // The variance is normalized first, so the level makes no difference.
    for (let at = 0; at < quiet.length; at += 97) expect(quiet[at]).toBeCloseTo(loud[at]!, 2);
  });

  test('silence is all the floor', () => {
    // log10(1e-10) is -10, and (-10 + 4) / 4.
    for (const value of featuresOf(() => 0)) expect(value).toBe(-1.5);
  });

  test('show when a signal is present', () => {
    const features = featuresOf((at) => (at >= MEL_SAMPLES / 2 ? tone(1_000)(at) : 0));
    const bin = 26;
    expect(features[bin * MEL_FRAMES + 600]! - features[bin * MEL_FRAMES + 200]!).toBeGreaterThan(1.9);
  });

  test('equal a direct computation of the definition', () => {
    const next = noise(7);
    const signal = Float32Array.from({ length: MEL_SAMPLES }, (_, at) => 0.2 * next() + tone(700, 0.4)(at) + 0.1);
    const features = new Float32Array(MEL_BINS * MEL_FRAMES);
    logMel.compute(signal, features);
    const mean = signal.reduce((sum, value) => sum + value, 0) / MEL_SAMPLES;
    const variance = signal.reduce((sum, value) => sum + (value - mean) ** 2, 0) / MEL_SAMPLES;
    const highest = features.reduce((most, value) => Math.max(most, value));
    for (const frame of [0, 1, 2, 333, 798, 799]) {
      const windowed = Array.from({ length: 400 }, (_, at) => {
        // Frames are centred; beyond the ends the signal is mirrored.
        let from = Math.abs(frame * 160 + at - 200);
        if (from >= MEL_SAMPLES) from = 2 * (MEL_SAMPLES - 1) - from;
        const levelled = (signal[from]! - mean) / Math.sqrt(variance + 1e-7);
        return levelled * (0.5 - 0.5 * Math.cos((2 * Math.PI * at) / 400));
      });
      const power = Array.from({ length: 201 }, (_, k) => {
        let re = 0;
        let im = 0;
        for (const [at, value] of windowed.entries()) {
          re += value * Math.cos((2 * Math.PI * k * at) / 400);
          im += value * Math.sin((2 * Math.PI * k * at) / 400);
        }
        return re * re + im * im;
      });
      for (const bin of [0, 1, 10, 26, 27, 50, 79]) {
        const [low, middle, high] = [0, 1, 2].map((at) => melToHertz((hertzToMel(8_000) * (bin + at)) / 81)) as [
          number,
          number,
          number,
        ];
        let sum = 0;
        for (const [k, value] of power.entries()) {
          const hz = k * 40;
          const height = hz <= middle ? (hz - low) / (middle - low) : (high - hz) / (high - middle);
          sum += value * Math.max(0, height) * (2 / (high - low));
        }
        const expected = Math.max((Math.log10(Math.max(sum, 1e-10)) + 4) / 4, highest - 2);
        expect(features[bin * MEL_FRAMES + frame]).toBeCloseTo(expected, 3);
      }
    }
  });
});
