import { expect, test } from 'vitest';
import { createAffineKernel } from '../../../media/audio/affine-kernel.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const random = seededRandom(3);
const value = () => random() * 2 - 1;

test.each([
  { rows: 1, columns: 1, count: 1 },
  { rows: 16, columns: 7, count: 2 },
  { rows: 129, columns: 128, count: 4 },
  { rows: 64, columns: 384, count: 3 },
])('a layer of $rows outputs of $columns inputs, $count times', ({ rows, columns, count }) => {
  for (const relu of [false, true]) {
    const kernel = createAffineKernel(200_000);
    const weights = Array.from({ length: rows }, () => Array.from({ length: columns }, value));
    const biases = Array.from({ length: rows }, value);
    const layer = kernel.layer({
      ...{ rows, columns, relu },
      weightOf: (row, column) => weights[row]![column]!,
      biasOf: (row) => biases[row]!,
    });
    // Inputs that overlap.
    const step = Math.ceil(columns / 2);
    const input = kernel.reserve(step * count + columns);
    const output = kernel.reserve(layer.outputStep * count);
    const inputs = Array.from({ length: step * count + columns }, value);
    kernel.floats.set(inputs, input);
    layer.run(input, step, output, count);
    for (let number = 0; number < count; number++) {
      for (let row = 0; row < rows; row++) {
        const sum = weights[row]!.reduce(
          (total, weight, at) => total + weight * inputs[number * step + at]!,
          biases[row]!,
        );
        const expected = relu ? Math.max(0, sum) : sum;
        expect(kernel.floats[output + number * layer.outputStep + row]).toBeCloseTo(expected, 4);
      }
    }
  }
});

test('a kernel whose memory is full says so', () => {
  expect(() => createAffineKernel(100).reserve(101)).toThrow('room for 100 floats');
});
