import { expect, test } from 'vitest';
import { dbfs, rms, SILENCE_DBFS } from '../../../media/audio/level.ts';
import { tone } from './signals.ts';

test('a full-scale sine is at -3 dBFS, half of it at -9', () => {
  expect(dbfs(tone(1000, 8000, 800, 1))).toBeCloseTo(-3.01, 1);
  expect(dbfs(tone(1000, 8000, 800, 0.5))).toBeCloseTo(-9.03, 1);
  expect(rms(new Int16Array(160).fill(-16384))).toBe(0.5);
});

test('silence and an empty frame are at the floor', () => {
  expect(dbfs(new Int16Array(160))).toBe(SILENCE_DBFS);
  expect(dbfs(new Int16Array(0))).toBe(SILENCE_DBFS);
});
