import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Percentiles } from '../shared/percentiles.ts';
import type { Machine } from './machine.ts';

/** One row of `make capacity`; `capacity.ts` defines the figures. */
export interface CapacitySize {
  calls: number;
  turns: number;
  spoiled: number;
  failed: number;
  engine_added_ms: Percentiles;
  /** Its parts: audio to the transcriber, end of turn to the request, first token to the synthesizer, first audio to the caller. */
  stages_ms: Record<string, Percentiles>;
  all_included_ms: Percentiles;
  late_frame_share: number;
  dry_gaps: number;
  worst_gap_ms: number;
  cpu_seconds_per_call_minute: number;
  core_share: number;
  mb_per_call: number;
  rss_mb: number;
  loop_lag_ms: Percentiles;
  worst_loop_lag_ms: number;
  load: { core_share: number; late_frame_share: number };
}

/** `bench/results/capacity.json`. The figures beside the list are those of 50 calls, or of the largest size. */
export interface CapacityResult {
  machine: Partial<Machine>;
  calls_before_p95_doubles: number;
  /** No doubling up to the largest size: more may be possible. */
  at_least: boolean;
  cpu_seconds_per_call_minute: number;
  /** Of each further call: the slope of resident memory over the sizes; with fewer than three that of the largest. */
  mb_per_call: number;
  late_frame_share: number;
  by_calls: readonly CapacitySize[];
}

const COLUMNS = [
  'calls',
  'turns',
  'spoiled',
  'failed',
  'added p50',
  'p95',
  'p99',
  'late %',
  'dry',
  'CPU s/min',
  'core',
  'MB/call',
];
const MORE = ['lag p99', 'load core', 'load late'];
const cell = (value: string | number) => String(value).padStart(11);
export const capacityHeader = () => [...COLUMNS, ...MORE].map(cell).join('');

export function capacityRow(size: CapacitySize): string {
  const { engine_added_ms: added, load } = size;
  return [
    ...[size.calls, size.turns, size.spoiled, size.failed, added.p50, added.p95, added.p99],
    ...[(size.late_frame_share * 100).toFixed(3), size.dry_gaps, size.cpu_seconds_per_call_minute.toFixed(2)],
    ...[`${Math.round(size.core_share * 100)} %`, size.mb_per_call.toFixed(1), size.loop_lag_ms.p99],
    ...[`${Math.round(load.core_share * 100)} %`, `${(load.late_frame_share * 100).toFixed(1)} %`],
  ]
    .map(cell)
    .join('');
}

/** Prints the verdict and writes the rows to `bench/results`. */
export function reportCapacity(
  sizes: readonly CapacitySize[],
  conditions: Pick<CapacityResult, 'machine'>,
  file: string,
): void {
  const first = sizes[0]!;
  const doubled = sizes.findIndex((size) => size.engine_added_ms.p95 > 2 * first.engine_added_ms.p95);
  const before = doubled < 0 ? sizes.at(-1)! : sizes[Math.max(0, doubled - 1)]!;
  const fifty = sizes.find((size) => size.calls >= 50) ?? sizes.at(-1)!;
  const result: CapacityResult = {
    calls_before_p95_doubles: before.calls,
    at_least: doubled < 0,
    cpu_seconds_per_call_minute: fifty.cpu_seconds_per_call_minute,
    mb_per_call: mbPerFurtherCall(sizes),
    late_frame_share: fifty.late_frame_share,
    ...conditions,
    by_calls: sizes,
  };
  const verdict = doubled < 0 ? 'did not double up to' : 'doubles beyond';
  console.log(`\np95 of what the engine adds ${verdict} ${before.calls} calls, against ${first.calls}`);
  console.log(`memory of each further call: ${result.mb_per_call} MB`);
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), `${JSON.stringify(result, null, 2)}\n`);
  console.log(`the same in bench/results/${file}`);
}

/** Least squares. One size alone has what garbage collection moves in it. */
function mbPerFurtherCall(sizes: readonly CapacitySize[]): number {
  if (sizes.length < 3) return sizes.at(-1)!.mb_per_call;
  const mean = (of: (size: CapacitySize) => number) => sizes.reduce((sum, size) => sum + of(size), 0) / sizes.length;
  const calls = mean((size) => size.calls);
  const mb = mean((size) => size.rss_mb);
  const slope = mean((size) => (size.calls - calls) * (size.rss_mb - mb)) / mean((size) => (size.calls - calls) ** 2);
  return Number(slope.toFixed(2));
}
