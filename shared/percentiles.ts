/** p50, p95 and p99 of milliseconds, nearest rank. */
export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

/** Throws without values. */
export function percentiles(values: readonly number[], decimals = 1): Percentiles {
  const unit = 10 ** decimals;
  if (values.length === 0) throw new Error('nothing was measured');
  const sorted = values.toSorted((a, b) => a - b);
  const rank = (share: number) => {
    const value = sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!;
    return Math.round(value * unit) / unit;
  };
  return { p50: rank(0.5), p95: rank(0.95), p99: rank(0.99) };
}

export function percentileTable(rows: readonly (readonly [name: string, values: readonly number[]])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  const cell = (text: string | number) => String(text).padStart(9);
  const lines = [`${''.padEnd(width)}${cell('p50')}${cell('p95')}${cell('p99')}${cell('n')}`];
  for (const [name, values] of rows) {
    const { p50, p95, p99 } = percentiles(values);
    lines.push(
      `${name.padEnd(width)}${cell(p50.toFixed(1))}${cell(p95.toFixed(1))}${cell(p99.toFixed(1))}${cell(values.length)}`,
    );
  }
  return lines;
}
