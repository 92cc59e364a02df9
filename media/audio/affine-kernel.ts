import { Instance, Memory, Module, PAGE_BYTES } from './web-assembly.ts';

/**
 * The arithmetic of a small neural network, and of filters: outputs = max(floor, weights · inputs + bias), in WebAssembly: JavaScript has no SIMD, and a
 * native module would need a compiler where it is installed. The module is written here as bytes, because it is one loop:
 * https://webassembly.github.io/spec/core/binary/ and https://github.com/WebAssembly/relaxed-simd for the fused multiplication.
 */

/** Outputs come in blocks of so many: four vectors of four floats. A layer with fewer has rows of zeros. */
export const BLOCK_ROWS = 16;
export const VECTOR_FLOATS = 4;
const VECTORS = BLOCK_ROWS / VECTOR_FLOATS;

/** One layer in the memory of the kernel. */
export interface Layer {
  /**
   * Computes `count` vectors of outputs from as many of inputs. Positions are indices of `AffineKernel.floats`; the inputs begin
   * `inputStep` floats after each other and may overlap, the outputs `outputStep`.
   */
  run(input: number, inputStep: number, output: number, count: number): void;
  /** The outputs of a layer, rounded up to blocks. */
  readonly outputStep: number;
}

export interface AffineKernel {
  /** The memory of inputs and outputs; zeros at first. */
  readonly floats: Float32Array;
  /** Reserves floats and returns their position. */
  reserve(count: number): number;
  /** A layer of `rows` outputs, whose weight for an input is `weightOf(row, column)`; `relu`: outputs are not negative. */
  layer(size: {
    rows: number;
    columns: number;
    weightOf: (row: number, column: number) => number;
    biasOf?: (row: number) => number;
    relu?: boolean;
  }): Layer;
}

/** Positions and steps in bytes. */
type Affine = (
  output: number,
  outputStep: number,
  input: number,
  inputStep: number,
  weights: number,
  blocks: number,
  columns: number,
  floor: number,
) => void;

/** A kernel with room for so many floats, weights included. */
export function createAffineKernel(floatCount: number): AffineKernel {
  const memory = new Memory({ initial: Math.ceil((floatCount * 4) / PAGE_BYTES) });
  const { exports } = new Instance(new Module(moduleBytes()), { env: { memory } });
  const { one, two } = exports as { one: Affine; two: Affine };
  const floats = new Float32Array(memory.buffer);
  let reserved = 0;

  function reserve(count: number): number {
    const at = reserved;
    // Vectors begin at multiples of their size.
    reserved += Math.ceil(count / VECTOR_FLOATS) * VECTOR_FLOATS;
    if (reserved > floatCount) throw new RangeError(`the kernel has room for ${floatCount} floats, not ${reserved}`);
    return at;
  }

  return {
    floats,
    reserve,
    layer({ rows, columns, weightOf, biasOf = () => 0, relu = false }) {
      const blocks = Math.ceil(rows / BLOCK_ROWS);
      const weights = reserve(blocks * BLOCK_ROWS * (columns + 1));
      let at = weights;
      for (let block = 0; block < blocks; block++) {
        // In the order in which they are read: the biases of a block, then its weights column by column.
        for (let column = -1; column < columns; column++) {
          for (let row = block * BLOCK_ROWS; row < (block + 1) * BLOCK_ROWS; row++, at++) {
            if (row < rows) floats[at] = column < 0 ? biasOf(row) : weightOf(row, column);
          }
        }
      }
      const floor = relu ? 0 : Number.NEGATIVE_INFINITY;
      const outputStep = blocks * BLOCK_ROWS;
      return {
        outputStep,
        run(input, inputStep, output, count) {
          const [step, toStep] = [inputStep * 4, outputStep * 4];
          for (let done = 0; done < count; done += 2) {
            // Two at a time read the weights once.
            const compute = done + 1 < count ? two : one;
            compute(
              output * 4 + done * toStep,
              toStep,
              input * 4 + done * step,
              step,
              weights * 4,
              blocks,
              columns,
              floor,
            );
          }
        },
      };
    },
  };
}

/** Value types and instructions, by their codes. */
const I32 = 0x7f;
const F32 = 0x7d;
const V128 = 0x7b;
const LOOP = [0x03, 0x40];
const END = [0x0b];
const REPEAT_IF = [0x0d, 0];
const ADD = [0x6a];
const LOAD = [0xfd, 0x00];
const LOAD_INTO_ALL = [0xfd, 0x09];
const STORE = [0xfd, 0x0b];
const COPY_INTO_ALL = [0xfd, 0x13];
const MAXIMUM = [0xfd, 0xe9, 0x01];
const MULTIPLY_ADD = [0xfd, 0x85, 0x02];
const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const tee = (local: number) => [0x22, local];
/** A whole number from -64 to 63, or from 64 to 8191. */
const constant = (value: number) => (value < 64 ? [0x41, value & 0x7f] : [0x41, (value & 0x7f) | 0x80, value >> 7]);
/** The operand of loads and stores: what the address is a multiple of, as an exponent of two, and bytes to add to it, up to 127. */
const at = (alignment: number, offset: number) => [alignment, offset];

const PARAMETERS = [I32, I32, I32, I32, I32, I32, I32, F32];
const [OUTPUT, OUTPUT_STEP, INPUT, INPUT_STEP, WEIGHTS, BLOCKS, COLUMNS, FLOOR] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
const [COLUMN, FROM] = [8, 9] as const;
const [WEIGHT, VALUES, SUMS] = [10, 11, 13] as const;
const VECTOR_LOCALS = 3 + 2 * VECTORS;

/** The code of the function for one vector of inputs, or two. */
function affineCode(inputs: 1 | 2): number[] {
  const indices = (count: number) => Array.from({ length: count }, (_, index) => index);
  const eachInput = (code: (input: number) => number[]) => indices(inputs).flatMap(code);
  const eachVector = (code: (vector: number) => number[]) => indices(VECTORS).flatMap(code);
  const sum = (input: number, vector: number) => SUMS + input * VECTORS + vector;
  const stepped = (input: number, from: number, step: number) =>
    input === 0 ? get(from) : [...get(from), ...get(step), ...ADD];
  const advance = (local: number, bytes: number) => [...get(local), ...constant(bytes), ...ADD, ...set(local)];
  const repeat = (counter: number) => [...get(counter), ...constant(-1), ...ADD, ...tee(counter), ...REPEAT_IF, ...END];
  return [
    ...LOOP,
    ...eachInput((input) =>
      eachVector((vector) => [...get(WEIGHTS), ...LOAD, ...at(4, vector * 16), ...set(sum(input, vector))]),
    ),
    ...advance(WEIGHTS, BLOCK_ROWS * 4),
    ...[...get(INPUT), ...set(FROM), ...get(COLUMNS), ...set(COLUMN)],
    ...LOOP,
    ...eachInput((input) => [
      ...stepped(input, FROM, INPUT_STEP),
      ...LOAD_INTO_ALL,
      ...at(2, 0),
      ...set(VALUES + input),
    ]),
    ...eachVector((vector) => [
      ...[...get(WEIGHTS), ...LOAD, ...at(4, vector * 16), ...set(WEIGHT)],
      ...eachInput((input) => {
        const total = sum(input, vector);
        return [...get(VALUES + input), ...get(WEIGHT), ...get(total), ...MULTIPLY_ADD, ...set(total)];
      }),
    ]),
    ...advance(WEIGHTS, BLOCK_ROWS * 4),
    ...advance(FROM, 4),
    ...repeat(COLUMN),
    ...eachInput((input) =>
      eachVector((vector) => [
        ...[...stepped(input, OUTPUT, OUTPUT_STEP), ...get(sum(input, vector))],
        ...[...get(FLOOR), ...COPY_INTO_ALL, ...MAXIMUM, ...STORE, ...at(4, vector * 16)],
      ]),
    ),
    ...advance(OUTPUT, BLOCK_ROWS * 4),
    ...repeat(BLOCKS),
  ];
}

function moduleBytes(): Uint8Array<ArrayBuffer> {
  const bytesOf = (text: string) => [...Buffer.from(text)];
  const sized = (content: number[]) => [...leb(content.length), ...content];
  const named = (name: string) => sized(bytesOf(name));
  const vectorOf = (items: number[][]) => [...leb(items.length), ...items.flat()];
  const section = (id: number, items: number[][]) => [id, ...sized(vectorOf(items))];
  const locals = vectorOf([
    [2, I32],
    [VECTOR_LOCALS, V128],
  ]);
  const code = (inputs: 1 | 2) => sized([...locals, ...affineCode(inputs), ...END]);
  return Uint8Array.from([
    ...[...bytesOf('\0asm'), 1, 0, 0, 0],
    ...section(1, [[0x60, ...vectorOf(PARAMETERS.map((type) => [type])), 0]]),
    ...section(2, [[...named('env'), ...named('memory'), 2, 0, 1]]),
    ...section(3, [[0], [0]]),
    ...section(7, [
      [...named('one'), 0, 0],
      [...named('two'), 0, 1],
    ]),
    ...section(10, [code(1), code(2)]),
  ]);
}

/** A whole number from 0 on in LEB128. */
function leb(value: number): number[] {
  return value < 128 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >> 7)];
}
