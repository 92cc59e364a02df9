import type { Subscriber } from './bench.ts';

/** Who acts, and what is drawn, in the random months. */

export const ACTOR = { kind: 'service', id: 'tests', name: 'tests' } as const;

export interface Draw {
  upTo(max: number): number;
  pick<Item>(items: readonly Item[]): Item;
  sometimes(share: number): boolean;
}

export const drawOf = ({ random }: Pick<Subscriber, 'random'>): Draw => {
  const upTo = (max: number) => Math.floor(random() * max);
  return { upTo, pick: (items) => items[upTo(items.length)]!, sometimes: (share) => random() < share };
};
