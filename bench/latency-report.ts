import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Percentiles, percentiles, percentileTable } from '../shared/percentiles.ts';
import type { MeasuredInterruption, MeasuredTurn } from './latency-call.ts';
import type { Machine } from './machine.ts';
import type { DelayKind } from './provider-delays.ts';

/** The tables of `latency.ts`, and `bench/results/latency.json`. */

export interface LatencyRow {
  delays: DelayKind;
  /** With an eager end of turn and preemptive generation. */
  preemptive: boolean;
  turns: readonly MeasuredTurn[];
  interruptions: readonly MeasuredInterruption[];
}

/** Milliseconds, as `latency-call.ts` defines them. Samples are in the order they were taken. */
export interface LatencyResult {
  machine: Machine;
  /** Of the first row, the fixed delays without preemptive. */
  turns: number;
  engine_added_ms: Percentiles;
  interruption_ms: Percentiles;
  stages: Record<string, Percentiles>;
  rows: {
    delays: DelayKind;
    preemptive: boolean;
    turns: number;
    /** Turns with a reply that was generated preemptively. */
    preemptive_turns: number;
    scripted_ms: Percentiles;
    waited_ms: Percentiles;
    engine_added_ms: Percentiles;
    stages: Record<string, Percentiles>;
    samples_ms: number[];
  }[];
  interruption: {
    interruptions: number;
    /** Number of interruptions with a ducked frame before the clear. */
    ducked: number;
    ducked_frame_ms: Percentiles | null;
    clear_ms: Percentiles;
    start_of_turn_to_clear_ms: Percentiles;
    played_after_speech_ms: Percentiles;
    played_after_start_of_turn_ms: Percentiles;
    sent_after_clear_ms: Percentiles;
    samples_ms: { ducked_frame: number[]; clear: number[]; start_of_turn_to_clear: number[] };
  };
}

const STAGES = ['hearing', 'deciding', 'phrasing', 'speaking'] as const;
const STAGE_LABELS: Record<(typeof STAGES)[number], string> = {
  hearing: '  hearing: audio to the transcriber',
  deciding: '  deciding: end of turn to model request',
  phrasing: '  phrasing: first token to the synthesizer',
  speaking: '  speaking: first audio to the socket',
};

export function rowName({ delays, preemptive }: Pick<LatencyRow, 'delays' | 'preemptive'>): string {
  return `${delays} delays, ${preemptive ? 'eager end of turn' : 'no eager end'}`;
}

export function reportLatency(rows: readonly LatencyRow[], machine: Machine): void {
  const first = rows[0]!;
  const { interruptions } = first;
  const duckedMs = interruptions.flatMap(({ ducked }) => (ducked === null ? [] : [ducked]));
  const of = (name: keyof MeasuredInterruption) =>
    interruptions.map((interruption) => interruption[name] ?? Number.NaN);

  console.log('\nmilliseconds\n');
  const table: [string, number[]][] = [];
  for (const row of rows) {
    table.push([`${rowName(row)}: added by the engine`, row.turns.map((turn) => turn.addedMs)]);
    for (const stage of STAGES) table.push([STAGE_LABELS[stage], row.turns.map((turn) => turn[stage])]);
    table.push(['  the caller waited, providers included', row.turns.map((turn) => turn.waitedMs)]);
  }
  table.push(['interruption: first sample to clear', of('clear')]);
  if (duckedMs.length > 0) table.push(['  first sample to first ducked frame', duckedMs]);
  table.push(['  noticing: audio to the transcriber', of('noticing')]);
  table.push(['  clearing: start of turn to clear', of('clearing')]);
  table.push(['  played of the agent after the first sample', of('playedAfterSpeech')]);
  table.push(['  played of it after the start of turn', of('playedAfterMessage')]);
  table.push(['  sent after the clear', of('sentAfterClear')]);
  for (const text of percentileTable(table)) console.log(text);
  const preemptive = rows
    .filter((row) => row.preemptive)
    .map((row) => `${preemptiveTurnsOf(row)} of ${row.turns.length}`);
  console.log(`\nreplies generated before the end of the turn, where there was an eager end: ${preemptive.join(', ')}`);

  const described = rows.map((row) => ({
    delays: row.delays,
    preemptive: row.preemptive,
    turns: row.turns.length,
    preemptive_turns: preemptiveTurnsOf(row),
    scripted_ms: percentiles(row.turns.map((turn) => turn.scriptedMs)),
    waited_ms: percentiles(row.turns.map((turn) => turn.waitedMs)),
    engine_added_ms: percentiles(row.turns.map((turn) => turn.addedMs)),
    stages: Object.fromEntries(STAGES.map((name) => [`${name}_ms`, percentiles(row.turns.map((turn) => turn[name]))])),
    samples_ms: rounded(row.turns.map((turn) => turn.addedMs)),
  }));
  const { turns, engine_added_ms, stages } = described[0]!;
  const result: LatencyResult = {
    machine,
    turns,
    engine_added_ms,
    interruption_ms: percentiles(of('clear')),
    stages: { ...stages, noticing_ms: percentiles(of('noticing')), clearing_ms: percentiles(of('clearing')) },
    rows: described,
    interruption: {
      interruptions: interruptions.length,
      ducked: duckedMs.length,
      ducked_frame_ms: duckedMs.length > 0 ? percentiles(duckedMs) : null,
      clear_ms: percentiles(of('clear')),
      start_of_turn_to_clear_ms: percentiles(of('clearing')),
      played_after_speech_ms: percentiles(of('playedAfterSpeech')),
      played_after_start_of_turn_ms: percentiles(of('playedAfterMessage')),
      sent_after_clear_ms: percentiles(of('sentAfterClear')),
      samples_ms: {
        ducked_frame: rounded(duckedMs),
        clear: rounded(of('clear')),
        start_of_turn_to_clear: rounded(of('clearing')),
      },
    },
  };
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'latency.json'), `${JSON.stringify(result, null, 2)}\n`);
  console.log('the same in bench/results/latency.json');
}

function preemptiveTurnsOf(row: LatencyRow): number {
  return row.turns.filter((turn) => turn.preemptive).length;
}

function rounded(values: readonly number[]): number[] {
  return values.map((value) => Math.round(value * 10) / 10);
}
