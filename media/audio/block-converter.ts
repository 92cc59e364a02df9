import { BLOCK_ROWS, createAffineKernel, VECTOR_FLOATS } from './affine-kernel.ts';
import { filterFor } from './resample.ts';

/**
 * Converts blocks of audio to another rate as `createResampler` does, without rounding, in WebAssembly: neighbouring outputs are sums
 * of the same inputs. It has no state, so that streams share it: the inputs of a block begin with those from before it that the filter needs.
 */
export interface BlockConverter {
  /** To be filled before each run. */
  readonly input: Float32Array;
  /** How many of the inputs lie before the block. */
  readonly earlier: number;
  /** What the last run gave. */
  readonly output: Float32Array;
  run(): void;
}

/**
 * @param outputs of a block.
 * @param gain that the outputs are multiplied by.
 * @throws RangeError for rates that no whole number of samples has in a block.
 */
export function createBlockConverter(fromHz: number, toHz: number, outputs: number, gain = 1): BlockConverter {
  const { up, down, taps, rows } = filterFor(fromHz, toHz);
  // The sums that are computed together: as many as need a whole number of inputs.
  let together = BLOCK_ROWS;
  while ((together * down) % up > 0 && together < outputs) together += BLOCK_ROWS;
  const step = (together * down) / up;
  const inputs = taps - 1 + (outputs * down) / up;
  if (outputs % together > 0 || !Number.isInteger(step)) {
    throw new RangeError(`no blocks of ${outputs} samples from ${fromHz} to ${toHz} Hz`);
  }
  const columns = Math.floor(((together - 1) * down) / up) + taps;
  // The inputs are rounded up to a vector.
  const { floats, reserve, layer } = createAffineKernel(inputs + VECTOR_FLOATS + outputs + together * (columns + 1));
  const input = reserve(inputs);
  const output = reserve(outputs);
  const block = layer({
    rows: together,
    columns,
    weightOf(row, column) {
      const tap = column - Math.floor((row * down) / up);
      return tap < 0 || tap >= taps ? 0 : rows[((row * down) % up) * taps + tap]! * gain;
    },
  });
  return {
    input: floats.subarray(input, input + inputs),
    earlier: taps - 1,
    output: floats.subarray(output, output + outputs),
    run: () => block.run(input, step, output, outputs / together),
  };
}
