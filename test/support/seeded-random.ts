/**
 * Returns a generator of pseudo-random numbers in [0, 1), reproducible by its seed. Consecutive seeds give unrelated sequences,
 * unlike the xorshift32 of `fixtures/seeded-random.ts`, whose output the stored fixtures depend on.
 * Source: mulberry32 by Tommy Ettinger, in the public domain.
 */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
