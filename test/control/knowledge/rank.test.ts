import { expect, it } from 'vitest';
import { combineScores, keywordScores, termsOf } from '../../../control/knowledge/rank.ts';

it('a word is looked for whole, and as the beginning of longer ones when it is long enough', () => {
  expect(termsOf(['tea', 'cancel'])).toEqual([
    { word: 0, query: "'tea'", weight: 1 },
    { word: 1, query: "'cancel'", weight: 1 },
    { word: 1, query: "'cancel':*", weight: 0.7 },
  ]);
});

it('an English word is looked for in its other forms too', () => {
  expect(termsOf(['charging']).map(({ query }) => query)).toEqual(["'charging'", "'charging':*", "'charg':*"]);
  expect(termsOf(['string']).map(({ query }) => query)).toEqual(["'string'", "'string':*"]);
});

it('what holds all words is best, and a rare word counts more than a common one', () => {
  const terms = termsOf(['spa', 'tub']);
  const hits = [
    { key: 'both', matched: [0, 1] },
    { key: 'rare', matched: [1] },
    ...Array.from({ length: 8 }, (_, index) => ({ key: `common ${index}`, matched: [0] })),
  ];
  const scores = keywordScores(terms, hits, hits.length, 50);
  expect(scores.get('both')).toBe(1);
  expect(scores.get('rare')!).toBeGreaterThan(scores.get('common 0')!);
  expect(scores.get('common 0')!).toBeGreaterThan(0);
});

it('a word without hits keeps other scores below 1', () => {
  const known = keywordScores(termsOf(['spa']), [{ key: 'a', matched: [0] }], 1, 9).get('a')!;
  const unknown = keywordScores(termsOf(['spa', 'yak']), [{ key: 'a', matched: [0] }], 1, 9).get('a')!;
  expect(known).toBe(1);
  expect(unknown).toBeLessThan(0.6);
});

it('stays between 0 and 1 for every passage, also when each holds every word', () => {
  expect(keywordScores([], [], 0, 0)).toEqual(new Map());
  const scores = keywordScores(termsOf(['a', 'bread']), [{ key: 'a', matched: [0, 1, 2, 9] }], 5_000, 1);
  for (const score of scores.values()) expect(score).toBeGreaterThan(0);
  for (const score of scores.values()) expect(score).toBeLessThanOrEqual(1);
});

it('words and meaning together are more than each alone', () => {
  expect(combineScores(0.5, 0)).toBe(0.5);
  expect(combineScores(0, 0.4)).toBeCloseTo(0.4);
  expect(combineScores(0.5, 0.4)).toBeCloseTo(0.7);
  expect(combineScores(0.3, -1)).toBeCloseTo(0.3);
  expect(combineScores(1, 3)).toBe(1);
});
