/**
 * Latencies are rolled up as counts in fixed buckets, so that percentiles of any number of them are found without reading each. The
 * bucket of a latency stands for a round number of milliseconds that is at most 2.5 % away from it (below 50 ms: exact, over 100 s:
 * 100 s). In the database a histogram is one number, the count of bucket n in its eight decimal digits from the 8n-th on: adding
 * histograms is adding numbers. Migration 0063 has the same buckets in SQL.
 */

/** From here on, in steps of so many milliseconds. */
const STEPS: readonly (readonly [fromMs: number, stepMs: number])[] = [
  ...([
    [0, 1],
    [50, 2],
    [100, 5],
    [250, 10],
    [500, 20],
    [1_000, 50],
    [2_500, 100],
  ] as const),
  ...([
    [5_000, 200],
    [10_000, 500],
    [25_000, 1_000],
    [50_000, 2_000],
    [100_000, 0],
  ] as const),
];

/** What each bucket stands for, ascending. */
export const BUCKET_MS: readonly number[] = STEPS.flatMap(([fromMs, stepMs], index) => {
  const endMs = STEPS[index + 1]?.[0];
  if (endMs === undefined) return [fromMs];
  return Array.from({ length: (endMs - fromMs) / stepMs }, (_, nth) => fromMs + nth * stepMs);
});

const DIGITS = 8;

export interface LatencyHistogram {
  /** Number of latencies. */
  count: number;
  /** The smallest that is not below this share of all (0 to 1), in milliseconds; null when there are none. */
  percentile(share: number): number | null;
}

/** @param digits as the database writes the number. */
export function readHistogram(digits: string): LatencyHistogram {
  const counts: [bucket: number, count: number][] = [];
  let count = 0;
  for (let end = digits.length, bucket = 0; end > 0; end -= DIGITS, bucket++) {
    const inBucket = Number(digits.slice(Math.max(0, end - DIGITS), end));
    if (inBucket === 0) continue;
    counts.push([bucket, inBucket]);
    count += inBucket;
  }
  return {
    count,
    percentile(share) {
      const rank = Math.max(1, Math.ceil(share * count));
      let below = 0;
      for (const [bucket, inBucket] of counts) {
        below += inBucket;
        if (below >= rank) return BUCKET_MS[bucket]!;
      }
      return null;
    },
  };
}
