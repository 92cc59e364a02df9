/** Vectors of length 1, as they are stored and compared. Pure functions. */

/** Of any vector, whatever its length; the columns and the index in the database have as many bits. */
export const VECTOR_SIGNS = 2_048;

/**
 * Returns on which side of 2,048 fixed planes through the origin the vector lies, as `0` and `1`. The share of signs in which two
 * vectors differ is, on average, their angle divided by 180 degrees (Goemans and Williamson 1995; Charikar, "Similarity estimation
 * techniques from rounding algorithms", 2002). The planes are those of a fast Walsh-Hadamard transform after random signs
 * (Ailon and Chazelle, "The fast Johnson–Lindenstrauss transform", 2009), repeated with other signs for short vectors, so that
 * 64 dimensions give as good an estimate as 1,536.
 *
 * Never to be changed without writing the signs of all stored vectors again.
 */
export function signsOf(vector: Float32Array): string {
  let size = 1;
  while (size < vector.length) size *= 2;
  const values = new Float32Array(size);
  let signs = '';
  /** Of a xorshift generator (Marsaglia, "Xorshift RNGs", 2003). */
  let state = 0x9e3779b9;
  while (signs.length < VECTOR_SIGNS) {
    for (let index = 0; index < size; index++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      const value = vector[index] ?? 0;
      values[index] = state < 0 ? -value : value;
    }
    transform(values);
    for (const value of values.subarray(0, VECTOR_SIGNS - signs.length)) signs += value < 0 ? '1' : '0';
  }
  return signs;
}

/** The Walsh-Hadamard transform in place; the length must be a power of two. */
function transform(values: Float32Array): void {
  for (let half = 1; half < values.length; half *= 2) {
    for (let block = 0; block < values.length; block += 2 * half) {
      for (let index = block; index < block + half; index++) {
        const left = values[index]!;
        const right = values[index + half]!;
        values[index] = left + right;
        values[index + half] = left - right;
      }
    }
  }
}

/** Returns the dot product, which is the cosine similarity of vectors of length 1. Both must be of one length. */
export function similarityOf(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += one[index]! * other[index]!;
  return sum;
}

/** Returns 32-bit floats, little-endian. */
export function vectorToBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes;
}

export function vectorFromBytes(bytes: Buffer): Float32Array {
  const vector = new Float32Array(Math.floor(bytes.length / 4));
  for (let index = 0; index < vector.length; index++) vector[index] = bytes.readFloatLE(index * 4);
  return vector;
}
