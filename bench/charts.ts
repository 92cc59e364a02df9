import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { distribution, type Line, lineChart, stackedBars, traceChart } from '../shared/svg-chart.ts';
import type { CapacityResult, CapacitySize } from './capacity-report.ts';
import { type LatencyResult, rowName } from './latency-report.ts';
import type { Machine } from './machine.ts';
import type { PausesResult } from './pauses/count-cuts.ts';
import { RECORDED } from './provider-delays.ts';
import { fillTables } from './result-tables.ts';

/**
 * `make charts`: draws `bench/results/*.json` as `bench/results/*.svg`, and fills the tables of `bench/README.md`, `README.md`
 * and `docs/scale.md`.
 * Missing results are skipped.
 */

const RESULTS = join(import.meta.dirname, 'results');

/** Returns null without a result. */
function read<Result>(name: string): Result | null {
  const file = join(RESULTS, name);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Result) : null;
}

function source(name: string, machine: Partial<Machine> = {}): string {
  const day = machine.measured_at ?? statSync(join(RESULTS, name)).mtime.toISOString();
  const place = machine.cores === undefined ? [] : [`${machine.cores} cores`, machine.cpu, `Node ${machine.node}`];
  return [`bench/results/${name}`, day.slice(0, 10), ...place].join(' · ');
}

function draw(name: string, svg: string): void {
  writeFileSync(join(RESULTS, name), svg);
  console.log(`bench/results/${name}`);
}

function drawLatency(result: LatencyResult): void {
  const { rows, machine, interruption } = result;
  const from = source('latency.json', machine);
  const stages = ['hearing', 'deciding', 'phrasing', 'speaking'];
  draw(
    'turn-latency.svg',
    stackedBars(
      {
        title: 'What the engine adds to a turn, by stage',
        subtitle:
          'Bars: medians of the stages, and their sum. Tick: 95th percentile of the whole, with the simulators’ timers',
        source: from,
      },
      {
        parts: ['caller → transcriber', 'end of turn → model', 'first token → synthesizer', 'first audio → socket'],
        axis: { label: 'milliseconds' },
        bars: rows.map((row) => ({
          name: rowName(row),
          parts: stages.map((stage) => row.stages[`${stage}_ms`]!.p50),
          mark: row.engine_added_ms.p95,
        })),
      },
    ),
  );
  const added = rows.map((row) => row.engine_added_ms);
  const most = Math.min(1.5 * Math.max(...added.map(({ p95 }) => p95)), 4 * Math.max(...added.map(({ p50 }) => p50)));
  draw(
    'turn-latency-distribution.svg',
    lineChart(
      {
        title: 'What the engine adds to a turn, every turn',
        subtitle:
          'The caller’s last sample on the wire to the agent’s first frame on the wire, less the delays that the providers are set to',
        source: from,
      },
      [
        {
          x: { label: 'milliseconds', to: Math.max(20, Math.ceil(most / 5) * 5) },
          y: { label: '% of turns at most so late', to: 100 },
          lines: rows.map((row) => distribution(rowName(row), row.samples_ms)),
        },
      ],
    ),
  );
  const { samples_ms: samples } = interruption;
  const lines: Line[] = [
    ...(samples.ducked_frame.length > 0 ? [distribution('speech → first softer frame', samples.ducked_frame)] : []),
    distribution('speech → clear', samples.clear),
    distribution('start-of-turn message → clear', samples.start_of_turn_to_clear),
  ];
  draw(
    'interruption.svg',
    lineChart(
      {
        title: 'How soon the agent stops when the caller talks over it',
        subtitle: `From the first sample of the caller’s speech on the wire; the transcriber reports it after 120 ms. ${interruption.interruptions} interruptions`,
        source: from,
      },
      [
        {
          x: { label: 'milliseconds', to: Math.max(140, Math.ceil((interruption.clear_ms.p95 * 1.1) / 20) * 20) },
          y: { label: '% of interruptions', to: 100 },
          lines,
        },
      ],
    ),
  );
}

/** One turn with the providers' recorded delays, from the caller's last sample to the agent's first frame. */
function drawTurn({ rows, machine }: LatencyResult): void {
  const row = rows.find(({ delays, preemptive }) => delays === 'recorded' && !preemptive);
  if (!row) return;
  const ours = (stage: string) => row.stages[`${stage}_ms`]!.p50;
  const steps: [name: string, ms: number, party: 'engine' | 'provider'][] = [
    ['last sample → transcriber', ours('hearing'), 'engine'],
    ['transcriber: end of turn', RECORDED.endOfTurn.medianMs, 'provider'],
    ['end of turn → model', ours('deciding'), 'engine'],
    ['model: first token', RECORDED.firstToken.medianMs, 'provider'],
    ['first token → synthesizer', ours('phrasing'), 'engine'],
    ['synthesizer: first audio', RECORDED.firstAudio.medianMs, 'provider'],
    ['first audio → socket', ours('speaking'), 'engine'],
  ];
  let atMs = 0;
  const bars = steps.map(([name, ms, party]) => {
    const start_ms = atMs;
    atMs += ms;
    return { name, depth: 0, start_ms, end_ms: atMs, colour: party === 'engine' ? 0 : 1 };
  });
  const engineMs = steps.reduce((sum, [, ms, party]) => sum + (party === 'engine' ? ms : 0), 0);
  draw(
    'turn.svg',
    traceChart(
      {
        title: 'One turn, from the caller’s last sample to the agent’s first frame',
        subtitle: `Medians of each step. The engine has ${engineMs.toFixed(1)} of ${Math.round(atMs)} ms; the providers’ delays are published ones`,
        source: source('latency.json', machine),
      },
      bars,
      ['engine', 'provider'],
    ),
  );
}

function drawCapacity({ by_calls: sizes, machine }: CapacityResult): void {
  const from = source('capacity.json', machine);
  const limit = 2 * sizes[0]!.engine_added_ms.p95;
  const line = (name: string, value: (size: CapacitySize) => number): Line => ({
    name,
    points: sizes.map((size) => ({ x: size.calls, y: value(size) })),
  });
  const most = Math.max(20, limit * 2.5);
  const beyond = sizes.filter((size) => size.engine_added_ms.p95 > most).map((size) => size.calls);
  const note = beyond.length === 0 ? '' : `; beyond the chart at ${beyond.join(' and ')} calls`;
  const calls = {
    label: 'calls at once',
    ticks: [0, ...sizes.map((size) => size.calls).filter((count) => count >= 10)],
  };
  draw(
    'capacity-latency.svg',
    lineChart(
      {
        title: 'What the engine adds to a turn, by the number of calls',
        subtitle: `One media process on one core, simulators on another${note}`,
        source: from,
      },
      [
        {
          x: calls,
          y: { label: 'milliseconds', to: most },
          lines: [
            line('median', (size) => size.engine_added_ms.p50),
            line('95th percentile', (size) => size.engine_added_ms.p95),
          ],
          limits: [{ y: limit, label: `twice the 95th percentile of one call: ${limit.toFixed(1)} ms` }],
        },
      ],
    ),
  );
  const many = sizes.filter((size) => size.calls >= 10);
  draw(
    'capacity-cost.svg',
    lineChart(
      {
        title: 'What a call costs, by the number of calls',
        subtitle: 'Processor time of the whole media process per minute of call; its resident memory with all calls up',
        source: from,
      },
      [
        {
          name: 'processor time',
          x: calls,
          y: { label: 'CPU seconds per call-minute' },
          // With fewer calls the process' own cost dominates.
          lines: [
            {
              ...line('', (size) => size.cpu_seconds_per_call_minute),
              points: many.map((size) => ({ x: size.calls, y: size.cpu_seconds_per_call_minute })),
            },
          ],
        },
        {
          name: 'memory',
          x: calls,
          y: { label: 'MB of the process' },
          lines: [{ name: '', points: many.map((size) => ({ x: size.calls, y: size.rss_mb })) }],
        },
      ],
    ),
  );
}

function drawPauses({ settings, machine, recordings }: PausesResult): void {
  const panel = (transcriber: string, name: string) => ({
    name,
    x: {
      label: 'delay after the end of speech, median ms',
      from: 200,
      to: 1_800,
      ticks: [200, 600, 1_000, 1_400, 1_800],
    },
    y: { label: `turns cut, of ${recordings.length}`, to: 60 },
    lines: ['responsive', 'balanced', 'patient'].map((how) => ({
      name: how,
      points: settings
        .filter((point) => point.transcriber === transcriber && point.turn_detection === how)
        .flatMap(({ delay_ms, cuts }) => (delay_ms.p50 === null ? [] : { x: delay_ms.p50, y: cuts })),
    })),
  });
  draw(
    'pauses.svg',
    lineChart(
      {
        title: 'Turns cut in a pause, by the delay after the true end of speech',
        subtitle: `Recorded sentences with pauses; a dot for each endpointing_ms of 100, 200, 300, 500, 800 and 1,200`,
        source: source('pauses.json', machine),
      },
      [panel('general', 'punctuation as spoken'), panel('stops', 'a full stop at every pause')],
    ),
  );
}

mkdirSync(RESULTS, { recursive: true });
const latency = read<LatencyResult>('latency.json');
const capacity = read<CapacityResult>('capacity.json');
if (latency?.rows) {
  drawTurn(latency);
  drawLatency(latency);
}
if (capacity) drawCapacity(capacity);
const pauses = read<PausesResult>('pauses.json');
if (pauses) drawPauses(pauses);
for (const page of ['README.md', '../README.md', '../docs/scale.md'])
  fillTables(join(import.meta.dirname, page), RESULTS);
