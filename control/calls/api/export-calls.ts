import type { Readable } from 'node:stream';
import type { AnySql } from '../../db/connect.ts';
import { type Cell, csvStream } from '../../http/csv.ts';
import { timeIn } from '../../http/times.ts';
import type { CallRow } from '../call-row.ts';
import { type CallFilters, idsOfCalls } from './list-calls.ts';

export const MAX_EXPORTED_CALLS = 50_000;
const PAGE_ROWS = 500;
/** Models can return arbitrary keys: the most frequent ones get a column. */
const MAX_EXTRACTED_KEYS = 200;
/** Calls whose keys are counted in one statement, and the keys that are counted of them. */
const COUNTED_AT_ONCE = 2_000;
const MAX_COUNTED_KEYS = 2_000;

type ExportedCall = Pick<
  CallRow,
  | 'id'
  | 'created_at'
  | 'agent_name'
  | 'direction'
  | 'channel'
  | 'from_number'
  | 'to_number'
  | 'status'
  | 'duration_seconds'
  | 'hangup_by'
  | 'hangup_reason'
  | 'answered_by'
  | 'cost_paise'
  | 'currency'
  | 'summary'
  | 'extracted'
>;

const COLUMNS: [name: string, cell: (call: ExportedCall, zone: string) => Cell][] = [
  ['id', ({ id }) => id],
  ['created_at', ({ created_at }, zone) => timeIn(zone, created_at.getTime())],
  ['agent', ({ agent_name }) => agent_name],
  ['direction', ({ direction }) => direction],
  ['channel', ({ channel }) => channel],
  ['from', ({ from_number }) => from_number],
  ['to', ({ to_number }) => to_number],
  ['status', ({ status }) => status],
  ['duration_seconds', ({ duration_seconds }) => duration_seconds],
  ['hangup_by', ({ hangup_by }) => hangup_by],
  ['hangup_reason', ({ hangup_reason }) => hangup_reason],
  ['answered_by', ({ answered_by }) => answered_by],
  ['cost', ({ cost_paise }) => majorUnits(Number(cost_paise))],
  ['currency', ({ currency }) => currency],
  ['summary', ({ summary }) => summary],
];

/**
 * Streams the matching calls as CSV, newest first and at most 50,000: the fixed columns, then `extracted.<key>` for the 200 most
 * frequent keys. Cost is in major units, times are in the zone of the request. The set of calls is fixed at the start; their rows
 * are read while the file is sent.
 */
export async function exportCalls(
  sql: AnySql,
  workspaceId: string,
  filters: CallFilters,
  zone: string,
): Promise<Readable> {
  const ids = await idsOfCalls(sql, workspaceId, filters, MAX_EXPORTED_CALLS);
  const keys = await extractedKeys(sql, workspaceId, ids);
  const columns = [...COLUMNS.map(([name]) => name), ...keys.map((key) => `extracted.${key}`)];

  async function* rows() {
    for (let at = 0; at < ids.length; at += PAGE_ROWS) {
      const calls = await callsOf(sql, workspaceId, ids.slice(at, at + PAGE_ROWS));
      yield calls.map((call) => [
        ...COLUMNS.map(([, cell]) => cell(call, zone)),
        ...keys.map((key) => jsonCell(call.extracted, key)),
      ]);
    }
  }

  return csvStream(columns, rows());
}

/**
 * In alphabetical order. They are counted some calls at a time: for all at once PostgreSQL would use several processes, and on a small
 * machine calls would wait for them.
 */
async function extractedKeys(sql: AnySql, workspaceId: string, ids: string[]): Promise<string[]> {
  const counts = new Map<string, number>();
  for (let at = 0; at < ids.length; at += COUNTED_AT_ONCE) {
    const rows = await sql<{ key: string; calls: number }[]>`
      select key, count(*)::integer as calls
      from calls cross join lateral jsonb_object_keys(extracted) as key
      where workspace_id = ${workspaceId} and id = any(${ids.slice(at, at + COUNTED_AT_ONCE)}) and extracted <> '{}'
      group by key order by calls desc, key limit ${MAX_COUNTED_KEYS}`;
    for (const { key, calls } of rows) counts.set(key, (counts.get(key) ?? 0) + calls);
  }
  const byFrequency = [...counts].sort(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1));
  return byFrequency
    .slice(0, MAX_EXTRACTED_KEYS)
    .map(([key]) => key)
    .sort();
}

function callsOf(sql: AnySql, workspaceId: string, ids: string[]) {
  return sql<ExportedCall[]>`
    select id, created_at, agent_name, direction, channel, from_number, to_number, status, duration_seconds, hangup_by,
      hangup_reason, answered_by, cost_paise, currency, summary, extracted
    from calls where workspace_id = ${workspaceId} and id = any(${ids})
    order by created_at desc, id desc`;
}

/** A value of a JSON object as a cell: lists and objects as JSON. */
export function jsonCell(record: Record<string, unknown>, key: string): Cell {
  const value = Object.hasOwn(record, key) ? record[key] : null;
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return JSON.stringify(value);
}

/** Two decimals: both currencies have a hundred of the smallest unit. */
function majorUnits(paise: number): string {
  return (paise / 100).toFixed(2);
}
