import { type Percentiles, percentiles } from '../shared/percentiles.ts';
import type { LineFigures } from './size-line.ts';
import type { Loaded } from './size-load.ts';

/** One number of live calls, and what it was like. Times in milliseconds; null where nothing was measured. */
export interface SizeStep {
  live: number;
  /** Live at the end of the step: fewer than wanted where calls were not dialled in time. */
  live_at_end: number;
  placements_wanted_per_second: number;
  placed_per_second: number;
  ended_per_second: number;
  events_per_second: number;
  /** Placed and not dialled at the end. */
  waiting: number;
  placement: Percentiles | null;
  dial_delay: Percentiles | null;
  open_session: Percentiles | null;
  ingest_lag: Percentiles | null;
  lists_large: Percentiles | null;
  lists_small: Percentiles | null;
  /** Sessions refused or not opened, and requests that failed. */
  failures: Record<string, number>;
  /** Cores that each used. */
  cores: Record<'control' | 'postgres' | 'nats' | 'simulation', number>;
  /** Of what a call costs from its placement to its charge, its share of lists included. */
  per_call: { control_cpu_ms: number; postgres_cpu_ms: number; wal_bytes: number; transactions: number } | null;
  /** Delay of this process, which adds to what it measures. */
  simulation_delay_p99_ms: number;
  lists: Loaded['listsMs'];
}

/** Of the rows that are in a table. */
export interface SizeCosts {
  table: string;
  rows: number;
  bytes_per_row: number;
  index_bytes_per_row: number;
}

interface Use {
  control: number;
  postgres: number;
  nats: number;
  simulation: number;
  walBytes: number;
  transactions: number;
  atMs: number;
}

interface Measured {
  live: number;
  at_end: number;
  waiting: number;
  placementsPerSecond: number;
  loaded: Loaded;
  line: LineFigures;
  before: Use;
  after: Use;
  loopP99Ms: number;
}

const rounded = (value: number, decimals = 1) => Math.round(value * 10 ** decimals) / 10 ** decimals;
const of = (values: readonly number[]) => (values.length === 0 ? null : percentiles(values));

export function stepOf({
  live,
  at_end,
  waiting,
  placementsPerSecond,
  loaded,
  line,
  before,
  after,
  loopP99Ms,
}: Measured): SizeStep {
  const seconds = (after.atMs - before.atMs) / 1_000;
  const perSecond = (count: number) => rounded(count / seconds);
  const cores = (name: 'control' | 'postgres' | 'nats' | 'simulation') =>
    rounded((after[name] - before[name]) / seconds, 2);
  const lists = [...loaded.listsMs.values()];
  const perCall = (spent: number, decimals: number) => rounded(spent / line.ended, decimals);
  return {
    ...{ live, live_at_end: at_end, waiting, placements_wanted_per_second: rounded(placementsPerSecond) },
    ...{ placed_per_second: perSecond(loaded.placed), ended_per_second: perSecond(line.ended) },
    events_per_second: perSecond(line.events),
    ...{ placement: of(loaded.placedMs), dial_delay: of(loaded.dialDelayMs), open_session: of(line.openSessionMs) },
    ...{ ingest_lag: of(loaded.ingestLagMs), lists_large: of(lists.flatMap(({ large }) => large)) },
    lists_small: of(lists.flatMap(({ small }) => small)),
    failures: {
      ...(line.refused > 0 ? { 'sessions refused or not opened': line.refused } : {}),
      ...Object.fromEntries(loaded.failures),
    },
    cores: {
      control: cores('control'),
      postgres: cores('postgres'),
      nats: cores('nats'),
      simulation: cores('simulation'),
    },
    per_call:
      line.ended === 0
        ? null
        : {
            control_cpu_ms: perCall((after.control - before.control) * 1_000, 2),
            postgres_cpu_ms: perCall((after.postgres - before.postgres) * 1_000, 2),
            wal_bytes: perCall(after.walBytes - before.walBytes, 0),
            transactions: perCall(after.transactions - before.transactions, 1),
          },
    simulation_delay_p99_ms: rounded(loopP99Ms),
    lists: loaded.listsMs,
  };
}

export function printStep(step: SizeStep): void {
  const { live, live_at_end, waiting, placed_per_second, ended_per_second, events_per_second, cores, failures } = step;
  console.log(
    `\n${live} live calls (${live_at_end} at the end, ${waiting} wait to be dialled): ` +
      `${placed_per_second} placed, ${ended_per_second} ended, ${events_per_second} events a second`,
  );
  const times = (
    ['placement', 'dial_delay', 'open_session', 'ingest_lag', 'lists_large', 'lists_small'] as const
  ).flatMap((name) => (step[name] ? [[name, step[name]] as const] : []));
  console.table(Object.fromEntries(times));
  console.log(
    `cores used: ${Object.entries(cores)
      .map((entry) => entry.join(' '))
      .join(', ')}`,
  );
  if (step.per_call) console.log(`per call: ${JSON.stringify(step.per_call)}`);
  for (const [what, count] of Object.entries(failures)) console.log(`failed: ${what}: ${count}`);
}

/** A row for each list: p99 of each step, of the large workspace and of the small one. */
export function listRows(steps: readonly SizeStep[]): Record<string, string | number>[] {
  const names = [...new Set(steps.flatMap(({ lists }) => [...lists.keys()]))].sort();
  return names.map((list) => {
    const cells = steps.flatMap(({ live, lists }) => {
      const { large, small } = lists.get(list) ?? { large: [], small: [] };
      const p99 = (values: readonly number[]) => of(values)?.p99 ?? '';
      return [
        [`${live} live, large`, p99(large)],
        [`${live} live, small`, p99(small)],
      ] as const;
    });
    return { list, ...Object.fromEntries(cells) };
  });
}
