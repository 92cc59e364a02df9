import { expect, test } from 'vitest';
import { lagCountsSince, lagPercentiles } from '../../bench/tick-lag.ts';

test('lags that are longer than any before count', () => {
  const lags = lagCountsSince([100, 2], [180, 10, 0, 12]);
  expect(lags).toEqual([80, 8, 0, 12]);
  expect(lagPercentiles(lags)).toEqual({ p50: 1, p95: 4, p99: 4 });
});
