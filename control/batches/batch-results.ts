import type { Readable } from 'node:stream';
import { jsonCell } from '../calls/api/export-calls.ts';
import type { AnySql } from '../db/connect.ts';
import { type Cell, csvStream } from '../http/csv.ts';
import { timeIn } from '../http/times.ts';
import type { ContactStatus } from './batch-record.ts';

const PAGE_ROWS = 500;
/** Models can return arbitrary keys: the most frequent ones get a column. */
const MAX_EXTRACTED_KEYS = 200;

interface ResultRow {
  row: number;
  to_number: string;
  user_data: Record<string, string | number | boolean>;
  status: ContactStatus;
  attempts: number;
  call_id: string | null;
  duration_seconds: number;
  hangup_reason: string;
  cost_paise: number;
  /** Of the last call; null when there was none. */
  started_at: Date | null;
  answered_by: string | null;
  summary: string | null;
  extracted: Record<string, unknown> | null;
}

const COLUMNS: [name: string, cell: (row: ResultRow, zone: string) => Cell][] = [
  ['row', ({ row }) => row],
  ['to', ({ to_number }) => to_number],
  ['status', ({ status }) => status],
  ['attempts', ({ attempts }) => attempts],
  ['call_id', ({ call_id }) => call_id],
  ['started_at', ({ started_at }, zone) => (started_at ? timeIn(zone, started_at.getTime()) : null)],
  ['duration_seconds', ({ duration_seconds }) => duration_seconds],
  ['answered_by', ({ answered_by }) => answered_by],
  ['hangup_reason', ({ hangup_reason }) => hangup_reason],
  ['summary', ({ summary }) => summary],
  // In major units: both currencies have two decimals.
  ['cost', ({ cost_paise }) => (cost_paise / 100).toFixed(2)],
];

/**
 * Streams the results of a batch as CSV in row order: the fixed columns, then the upload's own, then `extracted.<key>`. Pages are
 * read from the database while the file is sent.
 */
export async function batchResults(sql: AnySql, workspaceId: string, batchId: string, zone: string): Promise<Readable> {
  const [batch] = await sql<{ keys: string[] }[]>`
    select keys from batches where workspace_id = ${workspaceId} and id = ${batchId}`;
  const keys = batch?.keys ?? [];
  const found = await extractedKeys(sql, workspaceId, batchId);
  const columns = [...COLUMNS.map(([name]) => name), ...keys, ...found.map((key) => `extracted.${key}`)];

  async function* parts() {
    for (let last = 0; ; ) {
      const rows = await rowsAfter(sql, workspaceId, batchId, last);
      yield rows.map((row) => [
        ...COLUMNS.map(([, cell]) => cell(row, zone)),
        ...keys.map((key) => jsonCell(row.user_data, key)),
        ...found.map((key) => jsonCell(row.extracted ?? {}, key)),
      ]);
      if (rows.length < PAGE_ROWS) return;
      last = rows.at(-1)!.row;
    }
  }

  return csvStream(columns, parts());
}

/** The calls of a page are fetched at once: without statistics the planner would scan the workspace's calls for each row. */
function rowsAfter(sql: AnySql, workspaceId: string, batchId: string, last: number) {
  return sql<ResultRow[]>`
    with page as materialized (
      select row, to_number, user_data, status, attempts, call_id, duration_seconds, hangup_reason, cost_paise
      from batch_contacts
      where workspace_id = ${workspaceId} and batch_id = ${batchId} and row > ${last}
      order by row limit ${PAGE_ROWS}
    ), called as materialized (
      select id, started_at, answered_by, summary, extracted from calls
      where workspace_id = ${workspaceId} and id = any(array(select call_id from page where call_id is not null))
    )
    select page.*, called.started_at, called.answered_by, called.summary, called.extracted
    from page left join called on called.id = page.call_id
    order by page.row`;
}

async function extractedKeys(sql: AnySql, workspaceId: string, batchId: string): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select key from calls cross join lateral jsonb_object_keys(extracted) as key
    where workspace_id = ${workspaceId} and batch_id = ${batchId}
    group by key order by count(*) desc, key limit ${MAX_EXTRACTED_KEYS}`;
  return rows.map(({ key }) => key).sort();
}
