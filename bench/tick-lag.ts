import type { Percentiles } from '../shared/percentiles.ts';

/** Returns the histogram of the media clock's lag since the start of the process, by whole milliseconds. */
export async function tickLagCounts(port: number): Promise<number[]> {
  const response = await fetch(`http://127.0.0.1:${port}/metricsz`);
  return ((await response.json()) as { lag_counts: number[] }).lag_counts;
}

/** Counts since `before`, whose array ends with the longest lag until then. */
export function lagCountsSince(before: readonly number[], now: readonly number[]): number[] {
  return now.map((count, ms) => count - (before[ms] ?? 0));
}

/** Percentiles in whole milliseconds; a lag of 0.4 ms counts as 1. */
export function lagPercentiles(counts: readonly number[]): Percentiles {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const rank = (share: number) => {
    let lagMs = 0;
    let seen = 0;
    for (const [ms, count] of counts.entries()) {
      if (count > 0 && seen < share * total) lagMs = ms + 1;
      seen += count;
    }
    return lagMs;
  };
  return { p50: rank(0.5), p95: rank(0.95), p99: rank(0.99) };
}
