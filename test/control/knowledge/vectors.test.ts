import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  signsOf,
  similarityOf,
  VECTOR_SIGNS,
  vectorFromBytes,
  vectorToBytes,
} from '../../../control/knowledge/vectors.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const random = seededRandom(35);

function vectorOf(dimensions: number, near: Float32Array | null = null): Float32Array {
  const noise = Float32Array.from({ length: dimensions }, () => random() + random() + random() - 1.5);
  const vector = near ? noise.map((value, index) => value / Math.hypot(...noise) + near[index]!) : noise;
  return vector.map((value) => value / Math.hypot(...vector));
}

const differences = (one: string, other: string) => [...one].filter((sign, index) => sign !== other[index]).length;

it('a vector is read as it was stored', () => {
  const vector = vectorOf(100);
  expect(vectorFromBytes(vectorToBytes(vector))).toEqual(vector);
});

it.each([64, 384, 1_536, 3_072])('the signs of two vectors of %i dimensions give their angle', (dimensions) => {
  const one = vectorOf(dimensions);
  for (const other of [one, vectorOf(dimensions), vectorOf(dimensions, one), one.map((value) => -value)]) {
    const angle = Math.acos(Math.min(1, Math.max(-1, similarityOf(one, other))));
    const share = differences(signsOf(one), signsOf(other)) / VECTOR_SIGNS;
    expect(Math.abs(share - angle / Math.PI)).toBeLessThan(0.06);
  }
});

it('signs never change, because they are stored', () => {
  const vector = Float32Array.from({ length: 64 }, (_, index) => Math.sin(index + 1));
  expect(signsOf(vector)).toHaveLength(VECTOR_SIGNS);
  expect(createHash('sha256').update(signsOf(vector)).digest('hex').slice(0, 16)).toBe('47b2d6e5e2a7de91');
});
