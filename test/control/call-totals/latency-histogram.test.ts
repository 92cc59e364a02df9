import { describe, expect, it } from 'vitest';
import { BUCKET_MS, readHistogram } from '../../../control/call-totals/latency-histogram.ts';
import { createTestDatabase } from '../../support/postgres.ts';

const { sql } = await createTestDatabase();

describe('latencies in buckets', () => {
  it('are at most 2.5 % off, and exact below 50 ms', async () => {
    const rows = await sql<{ ms: number; bucket: number }[]>`
      select ms, latency_bucket(ms) as bucket from generate_series(0, 99999) as ms`;
    const off = rows.map(({ ms, bucket }) => [ms, Math.abs(BUCKET_MS[bucket]! - ms)] as const);
    expect(off.filter(([ms, by]) => by > (ms < 50 ? 0 : ms * 0.025))).toEqual([]);
    const [longest] = await sql<{ bucket: number }[]>`select latency_bucket(${2 ** 31 - 1}) as bucket`;
    expect(BUCKET_MS[longest!.bucket]).toBe(100_000);
    expect(longest!.bucket).toBe(BUCKET_MS.length - 1);
  });

  it('have the percentiles of all of them when histograms are added', async () => {
    const latencies = [300, 300, 500, 640, 700, 1_000, 1_500, 9_800, 40, 0];
    const [row] = await sql<{ histogram: string }[]>`
      select sum(latency_histogram(ms)) as histogram from unnest(${latencies}::integer[]) as ms`;
    const histogram = readHistogram(row!.histogram);
    expect(histogram.count).toBe(10);
    expect([0.1, 0.5, 0.9, 0.95].map((share) => histogram.percentile(share))).toEqual([0, 500, 1_500, 9_800]);
    expect(readHistogram('0').percentile(0.5)).toBeNull();
  });
});
