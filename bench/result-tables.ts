import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Percentiles } from '../shared/percentiles.ts';
import type { CapacityResult } from './capacity-report.ts';
import { type LatencyResult, rowName } from './latency-report.ts';
import type { Machine } from './machine.ts';
import type { MicroResult } from './micro.ts';
import type { PausesResult } from './pauses/count-cuts.ts';
import type { PeersResult } from './peers/report.ts';
import type { RetrievalResult } from './retrieval.ts';
import { SIZE_TABLES } from './size-tables.ts';

/**
 * Fills the tables of a page from the result files, between `<!-- measured: NAME -->` and `<!-- /measured -->`, where NAME is one
 * of `TABLES`.
 */

type Cell = string | number;

interface Table {
  file: string;
  command: string;
  /** Makes rows of cells from the parsed result; the first row is the header. */
  rows(result: never): Cell[][];
}

const shares = ({ p50, p95, p99 }: Percentiles): Cell[] => [p50, p95, p99];
const middle = (values: readonly number[]): Cell =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? '–';
const percent = (share: number, decimals: number) => `${(share * 100).toFixed(decimals)} %`;

const STAGES: [key: string, words: string][] = [
  ['hearing_ms', '· last sample on the wire → at the transcriber'],
  ['deciding_ms', '· end of turn → request at the model'],
  ['phrasing_ms', '· first token → first text at the synthesizer'],
  ['speaking_ms', '· first audio → first frame on the socket'],
];

const STALL_PLACES = { pause: 'in a pause', speech: 'in speech', end: 'after the end' };

function capacityRows({ by_calls }: CapacityResult): Cell[][] {
  return [
    [
      ...['calls', 'failed', 'p50 ms', 'p95', 'p99', 'late frames'],
      ...['CPU s per call-minute', 'MB per call', 'loop lag p99 ms'],
    ],
    ...by_calls.map((size) => [
      ...[size.calls, size.failed, ...shares(size.engine_added_ms), percent(size.late_frame_share, 3)],
      ...[size.cpu_seconds_per_call_minute, size.mb_per_call, size.loop_lag_ms.p99],
    ]),
  ];
}

const TABLES: Record<string, Table> = {
  ...SIZE_TABLES,
  'knowledge found': {
    file: 'retrieval.json',
    command: 'make bench',
    rows: ({ quality }: RetrievalResult) => [
      ['search by', 'questions', '', 'recall@1', 'recall@5', 'mean reciprocal rank'],
      ...quality.map(({ search, language, questions, recall_at_1, recall_at_5, mrr }) => [
        ...[search, language, questions, percent(recall_at_1, 0), percent(recall_at_5, 0), mrr.toFixed(2)],
      ]),
    ],
  },
  'vectors compared': {
    file: 'retrieval.json',
    command: 'make bench',
    rows: ({ comparison }: RetrievalResult) => [
      ['milliseconds', 'passages', 'p50', 'p95', 'p99'],
      ...comparison.map(({ server, passages, milliseconds }) => [server, passages, ...shares(milliseconds)]),
    ],
  },
  'turn latency': {
    file: 'latency.json',
    command: 'make bench',
    rows: ({ rows }: LatencyResult) => [
      ['milliseconds', 'turns', 'p50', 'p95', 'p99', 'the caller waited, p50', 'begun early'],
      ...rows.flatMap((row) => [
        [`**${rowName(row)}**`, row.turns, ...shares(row.engine_added_ms), row.waited_ms.p50, row.preemptive_turns],
        ...STAGES.map(([key, words]) => [words, '', ...shares(row.stages[key]!), '', '']),
      ]),
    ],
  },
  interruption: {
    file: 'latency.json',
    command: 'make bench',
    rows: ({ interruption }: LatencyResult) => [
      ['milliseconds', 'p50', 'p95', 'p99'],
      ...(interruption.ducked_frame_ms === null
        ? []
        : [['first sample of speech → first ducked frame', ...shares(interruption.ducked_frame_ms)]]),
      ['first sample of speech → clear', ...shares(interruption.clear_ms)],
      ['start-of-turn message → clear', ...shares(interruption.start_of_turn_to_clear_ms)],
      ['played of the agent after the first sample', ...shares(interruption.played_after_speech_ms)],
      ['played of the agent after the message', ...shares(interruption.played_after_start_of_turn_ms)],
      ['sent after the clear', ...shares(interruption.sent_after_clear_ms)],
    ],
  },
  'turn, in short': {
    file: 'latency.json',
    command: 'make bench',
    rows: ({ rows, interruption }: LatencyResult) => [
      ['milliseconds', 'p50', 'p95', 'p99'],
      ['added by the engine, per answer', ...shares(rows[0]!.engine_added_ms)],
      ...STAGES.map(([key, words]) => [words, ...shares(rows[0]!.stages[key]!)]),
      ...(interruption.ducked_frame_ms === null
        ? []
        : [['caller begins to speak → the agent is ducked', ...shares(interruption.ducked_frame_ms)]]),
      ['start-of-turn message → clear message at the carrier', ...shares(interruption.start_of_turn_to_clear_ms)],
    ],
  },
  'recorded interruptions': {
    file: 'interruptions.json',
    command: 'make talkover',
    rows: ({ over }: RecordedResult) => [
      ['recordings, transcriber', 'times', 'ducked after (median / max)', 'silent after', 'silenced', 'replies ended'],
      ...Object.entries(over)
        .filter(([name]) => /^(?:interruptions|backchannels|coughs?) /.test(name))
        .map(([name, row]) => [
          name,
          row.times,
          ...[row.ducked_ms, row.silent_ms].map(({ n, median, max }) => (n === 0 ? '–' : `${median} / ${max}`)),
          row.silenced,
          row.replies_ended,
        ]),
    ],
  },
  pauses: {
    file: 'pauses.json',
    command: 'make pauses',
    rows: ({ settings }: PausesResult) => {
      const points = settings.filter(({ transcriber }) => transcriber !== 'turns');
      const lengths = [...new Set(points.map(({ endpointing_ms }) => endpointing_ms))];
      const lines = [...new Set(points.map(({ transcriber, turn_detection: how }) => `${transcriber} ${how}`))];
      return [
        ['transcriber, `turn_detection` · `endpointing_ms`', ...lengths],
        ...lines.map((name) => [
          name,
          ...points
            .filter(({ transcriber, turn_detection: how }) => `${transcriber} ${how}` === name)
            .map(({ cuts, delay_ms: { p50, p90 } }) => `**${cuts}** · ${p50 ?? '–'} / ${p90 ?? '–'}`),
        ]),
      ];
    },
  },
  'pauses, in short': {
    file: 'pauses.json',
    command: 'make pauses',
    rows: ({ settings }: PausesResult) => [
      ['`turn_detection`, with the default of 300 ms', 'turns cut', 'delay p50 ms', 'p90'],
      ...settings
        .filter(({ transcriber, endpointing_ms }) => transcriber === 'general' && endpointing_ms === 300)
        .map(({ turn_detection: how, cuts, of, delay_ms: { p50, p90 } }) => [
          ...[how, `${cuts} of ${of}`, p50 ?? '–', p90 ?? '–'],
        ]),
    ],
  },
  'stalled pauses': {
    file: 'pauses.json',
    command: 'make pauses',
    rows: ({ stalls }: PausesResult) => {
      const names = (row: PausesResult['stalls'][number]) =>
        `${row.transcriber} ${row.turn_detection} ${row.endpointing_ms}`;
      const kinds = [...new Set(stalls.map(({ stall_ms, place }) => `${stall_ms} ms ${STALL_PLACES[place]}`))];
      return [
        ['setting', 'cut without', ...kinds],
        ...[...new Set(stalls.map(names))].map((name) => {
          const rows = stalls.filter((row) => names(row) === name);
          return [name, rows[0]!.cut_without, ...rows.map(({ more, delay_ms }) => `+${more.length} · ${delay_ms.p50}`)];
        }),
      ];
    },
  },
  capacity: { file: 'capacity.json', command: 'make capacity', rows: capacityRows },
  'capacity, TLS': {
    file: 'capacity-tls.json',
    command: 'TLS=1 CALLS=10,25,50,100 make capacity',
    rows: capacityRows,
  },
  'capacity, captured': {
    file: 'capacity-captured.json',
    command: 'CAPTURE=1 CALLS=10,25,50,100 make capacity',
    rows: capacityRows,
  },
  'capacity, browser': {
    file: 'capacity-browser.json',
    command: 'BROWSER=1 CALLS=1,10,25,50 make capacity',
    rows: capacityRows,
  },
  'capacity, noise cancellation': {
    file: 'capacity-denoised.json',
    command: 'NOISE=1 CALLS=10,25,40 make capacity',
    rows: capacityRows,
  },
  peers: {
    file: 'peers.json',
    command: 'make peers',
    rows: ({ rows }: PeersResult) => [
      [
        ...['system', 'calls', 'turns', 'failed', 'added, p50 ms', 'p95', 'p99'],
        ...['CPU s per call-minute', 'MB per call', 'MB in all'],
      ],
      ...rows.map((row) => [
        ...[row.system, row.calls, row.turns - row.spoiled, row.failed, ...shares(row.added_ms)],
        ...[row.cpu_seconds_per_call_minute, row.mb_per_call, row.mb],
      ]),
    ],
  },
  'capacity, in short': {
    file: 'capacity.json',
    command: 'make capacity',
    rows: (result: CapacityResult) => [
      ['calls before p95 doubles', 'CPU s per call-minute', 'MB of each further call', 'late frames'],
      [
        `${result.at_least ? 'at least ' : ''}${result.calls_before_p95_doubles}`,
        result.cpu_seconds_per_call_minute,
        result.mb_per_call,
        percent(result.late_frame_share, 3),
      ],
    ],
  },
  'browser calls': {
    file: 'browser-load.json',
    command: 'make browserload',
    rows: ({ rounds }: BrowserLoadResult) => [
      ['calls', 'turns', 'failed', 'gap p50 ms', 'p99', 'p99.9', 'worst', 'CPU % media + worker', 'MB media'],
      ...rounds.map(({ calls, turns, failed, gap_ms: gap, cpu_percent: cpu, memory_mb }) => [
        ...[calls, turns, failed, gap.p50, gap.p99, gap.p999, gap.worst, `${cpu.media} + ${cpu.worker}`],
        memory_mb.media,
      ]),
    ],
  },
  'bad network': {
    file: 'browser-network.json',
    command: 'make netem',
    rows: ({ results }: BrowserNetworkResult) => [
      [
        ...['network', 'turns', 'key words', 'answer after ms', 'turn latency ms', 'buffer ms'],
        ...['dropped down', 'of them missing', 'sent again up'],
      ],
      ...results.map(({ name, turns, recognized, answered_ms, turn_latency_ms, up, down, dropped }) => [
        ...[name, turns, `${recognized.words} of ${recognized.of}`, middle(answered_ms), middle(turn_latency_ms)],
        ...[down.buffer_ms, dropped.down, down.lost, up.resent],
      ]),
    ],
  },
  micro: {
    file: 'micro.json',
    command: 'make micro',
    rows: ({ rows }: MicroResult) => [
      ['part', '', 'µs, median', 'µs, 99th', 'share of a frame’s 20 ms'],
      ...rows.map(({ group, name, us, p99_us, share_of_frame: share }) => [
        ...[group, name, us.toFixed(2), p99_us.toFixed(2), share === null ? '' : percent(share, 3)],
      ]),
    ],
  },
  adapters: {
    file: 'adapters.json',
    command: 'make bench',
    rows: ({ milliseconds }: AdaptersResult) => [
      ['milliseconds', '', 'out p50', 'p95', 'p99', 'in p50', 'p95', 'p99'],
      ...milliseconds.map((row) =>
        ['kind', 'provider', 'out p50', 'out p95', 'out p99', 'in p50', 'in p95', 'in p99'].map((key) => row[key]!),
      ),
    ],
  },
};

interface RecordedFigures {
  n: number;
  median: number | null;
  max: number | null;
}

interface RecordedResult {
  over: Record<
    string,
    { times: number; ducked_ms: RecordedFigures; silent_ms: RecordedFigures; silenced: number; replies_ended: number }
  >;
}

interface BrowserLoadResult {
  rounds: {
    calls: number;
    turns: number;
    failed: number;
    gap_ms: Record<'p50' | 'p99' | 'p999' | 'worst', number>;
    cpu_percent: Record<'media' | 'worker', number>;
    memory_mb: Record<'media', number>;
  }[];
}

interface BrowserNetworkResult {
  results: {
    name: string;
    turns: number;
    recognized: { words: number; of: number };
    answered_ms: number[];
    turn_latency_ms: number[];
    up: { resent: number };
    down: { buffer_ms: number; lost: number };
    dropped: { down: number };
  }[];
}

interface AdaptersResult {
  milliseconds: Record<string, Cell>[];
}

/** Throws for an unknown name. */
export function fillTables(page: string, results: string): void {
  const text = readFileSync(page, 'utf8');
  const filled = text.replaceAll(
    /(<!-- measured: (.+?) -->\n)[\s\S]*?(<!-- \/measured -->)/g,
    (_, open: string, name: string, close: string) => `${open}${tableOf(name, results)}\n${close}`,
  );
  if (filled !== text) writeFileSync(page, filled);
}

function tableOf(name: string, results: string): string {
  const table = TABLES[name];
  if (!table) throw new Error(`there is no table "${name}"`);
  const file = join(results, table.file);
  if (!existsSync(file)) return `Not measured yet: \`${table.command}\`.`;
  const result = JSON.parse(readFileSync(file, 'utf8')) as { machine?: Partial<Machine> };
  const [head, ...rows] = table.rows(result as never);
  const line = (cells: readonly Cell[]) => `| ${cells.join(' | ')} |`;
  return [line(head!), line(head!.map(() => '---')), ...rows.map(line), '', placeOf(table, result.machine)].join('\n');
}

function placeOf({ file, command }: Table, machine: Partial<Machine> = {}): string {
  const { measured_at, cores, cpu, node, load_before } = machine;
  const facts = [
    `\`${command}\` → \`bench/results/${file}\``,
    ...(measured_at === undefined ? [] : [measured_at.slice(0, 10)]),
    ...(cores === undefined ? [] : [`${cores} cores of ${cpu}`, `Node ${node}`]),
    ...(load_before === undefined ? [] : [`load of the machine before: ${load_before}`]),
  ];
  return facts.join(' · ');
}
