import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Percentiles } from '../../shared/percentiles.ts';
import type { Machine } from '../machine.ts';

/** One row of `make peers`; `peers.ts` defines the figures. */
export interface PeerRow {
  system: string;
  calls: number;
  processes: number;
  turns: number;
  spoiled: number;
  failed: number;
  added_ms: Percentiles;
  cpu_seconds_per_call_minute: number;
  mb_per_call: number;
  /** All processes with all calls up. */
  mb: number;
  /** Callers' frames that were sent more than 5 ms late. */
  callers_late_share: number;
}

/** `bench/results/peers.json`. */
export interface PeersResult {
  machine: Partial<Machine> & { pinned: boolean; preferred: boolean };
  rows: readonly PeerRow[];
}

const COLUMNS = [
  'calls',
  'turns',
  'spoiled',
  'failed',
  'added p50',
  'p95',
  'p99',
  'CPU s/min',
  'MB/call',
  'MB',
  'late',
];
const NAME_WIDTH = 42;
const cell = (value: string | number) => String(value).padStart(10);

export const peerHeader = () => ['milliseconds'.padEnd(NAME_WIDTH), ...COLUMNS.map(cell)].join('');

export function peerRow(row: PeerRow): string {
  const { p50, p95, p99 } = row.added_ms;
  return [
    row.system.padEnd(NAME_WIDTH),
    ...[row.calls, row.turns, row.spoiled, row.failed, p50, p95, p99].map(cell),
    ...[row.cpu_seconds_per_call_minute, row.mb_per_call, row.mb].map(cell),
    cell(`${(row.callers_late_share * 100).toFixed(1)} %`),
  ].join('');
}

export function reportPeers(rows: readonly PeerRow[], machine: PeersResult['machine']): void {
  const folder = join(import.meta.dirname, '../results');
  mkdirSync(folder, { recursive: true });
  const result: PeersResult = { machine, rows };
  writeFileSync(join(folder, 'peers.json'), `${JSON.stringify(result, null, 2)}\n`);
  console.log('\nthe same in bench/results/peers.json');
}
