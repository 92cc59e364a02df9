import { seededRandom } from '../support/seeded-random.ts';

/** What fuzzing draws from: reproducible by its seed. */
export interface Draws {
  /** An integer from 0 to `count - 1`. */
  below(count: number): number;
  pick<T>(among: readonly T[]): T;
  /** True with this probability. */
  chance(probability: number): boolean;
  bytes(count: number): Buffer;
}

export function createDraws(seed: number): Draws {
  const random = seededRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  return {
    below,
    pick: (among) => among[below(among.length)]!,
    chance: (probability) => random() < probability,
    bytes(count) {
      const bytes = Buffer.allocUnsafe(count);
      for (let at = 0; at < count; at++) bytes[at] = below(256);
      return bytes;
    },
  };
}
