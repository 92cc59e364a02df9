import type { Percentiles } from '../shared/percentiles.ts';
import type { SizeCosts, SizeStep } from './size-report.ts';

/** The tables of docs/scale.md; see `result-tables.ts`. */

type Cell = string | number;

interface SizeResult {
  steps: Omit<SizeStep, 'lists'>[];
  lists: Record<string, Cell>[];
  costs: SizeCosts[];
}

interface OperationsResult {
  rows: { what: string; per_second: number; statements: number; cpu_ms: number; database_share?: number }[];
}

interface DeliveriesResult {
  receivers: number;
  many: { per_second: number; statements?: number; cpu_ms: number; database_share: number };
}

const middleAndMost = (times: Percentiles | null): Cell => (times ? `${times.p50} / ${times.p99}` : '–');
const operation = ({
  what,
  per_second,
  statements,
  cpu_ms,
  database_share,
}: OperationsResult['rows'][number]): Cell[] => [
  ...[
    what,
    per_second,
    statements,
    cpu_ms,
    database_share === undefined ? '' : `${Math.round(database_share * 100)} %`,
  ],
];
const OPERATION_HEAD = ['operation', 'a second', 'statements of each', 'CPU ms of each', 'of that PostgreSQL'];

const LATENCIES = [
  ['placement', 'HTTP POST to its response'],
  ['dial_delay', 'placed to the request at the carrier'],
  ['open_session', 'session opened'],
  ['ingest_lag', 'event stored by the bus to its timeline'],
  ['lists_large', 'lists of the large workspace'],
  ['lists_small', 'lists of a small workspace'],
] as const;

export const SIZE_TABLES = {
  'size by live calls': {
    file: 'size.json',
    command: 'make size',
    rows: ({ steps }: SizeResult): Cell[][] => {
      const row = (what: string, cell: (step: SizeResult['steps'][number]) => Cell): Cell[] => [
        what,
        ...steps.map(cell),
      ];
      return [
        row('live calls', ({ live }) => live),
        row('live at the end', ({ live_at_end }) => live_at_end),
        row(
          'placed a second, of those wanted',
          (step) => `${step.placed_per_second} of ${step.placements_wanted_per_second}`,
        ),
        row('ended and charged a second', ({ ended_per_second }) => ended_per_second),
        row('timeline events a second', ({ events_per_second }) => events_per_second),
        row('placed and not dialled at the end', ({ waiting }) => waiting),
        ...LATENCIES.map(([key, what]) => row(`${what}, p50 / p99 ms`, (step) => middleAndMost(step[key]))),
        ...(['control', 'postgres', 'nats', 'simulation'] as const).map((name) =>
          row(`cores used: ${name}`, ({ cores }) => cores[name]),
        ),
        row('delay of the simulation itself, p99 ms', (step) => step.simulation_delay_p99_ms),
        row('requests and sessions that failed', ({ failures }) =>
          Object.values(failures).reduce((sum, count) => sum + count, 0),
        ),
      ];
    },
  },
  'size per call': {
    file: 'size.json',
    command: 'make size',
    rows: ({ steps }: SizeResult): Cell[][] => [
      ['live calls', 'CPU ms of control', 'CPU ms of PostgreSQL', 'bytes of WAL', 'transactions'],
      ...steps.flatMap(({ live, per_call: cost }) =>
        cost ? [[live, cost.control_cpu_ms, cost.postgres_cpu_ms, cost.wal_bytes, cost.transactions]] : [],
      ),
    ],
  },
  'size lists': {
    file: 'size.json',
    command: 'make size',
    rows: ({ lists }: SizeResult): Cell[][] => {
      const head = Object.keys(lists[0] ?? { list: '' });
      return [['p99 ms', ...head.slice(1)], ...lists.map((row) => head.map((name) => row[name] ?? ''))];
    },
  },
  'size of rows': {
    file: 'size.json',
    command: 'make size',
    rows: ({ costs }: SizeResult): Cell[][] => [
      ['table', 'rows', 'bytes of each', 'of that indexes'],
      ...costs.map(({ table, rows, bytes_per_row, index_bytes_per_row }) => [
        ...[`\`${table}\``, rows, bytes_per_row, index_bytes_per_row],
      ]),
    ],
  },
  'cost of placements': {
    file: 'placements.json',
    command: 'make bench',
    rows: ({ rows }: OperationsResult): Cell[][] => [OPERATION_HEAD, ...rows.map(operation)],
  },
  'cost of calls': {
    file: 'queue.json',
    command: 'make bench',
    rows: ({ rows }: OperationsResult): Cell[][] => [OPERATION_HEAD, ...rows.map(operation)],
  },
  'cost of deliveries': {
    file: 'deliveries.json',
    command: 'make bench',
    rows: ({ receivers, many }: DeliveriesResult): Cell[][] => {
      const [what, per_second, , ...rest] = operation({
        ...{ statements: 0, ...many },
        what: `delivered to ${receivers} fast receivers`,
      });
      return [OPERATION_HEAD, [what!, per_second!, many.statements ?? '–', ...rest]];
    },
  },
};
