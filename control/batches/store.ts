import type { AnySql, Transaction } from '../db/connect.ts';
import type { BatchRecord, BatchStatus, ContactStatus, RetryOn, UploadRecord } from './batch-record.ts';
import { CONTACT_STATUSES, FINAL_STATUSES } from './batch-record.ts';

/** The tables of batches. Contacts are changed only under the lock on their batch. */

/** A row of `batches`. */
export interface BatchRow {
  workspace_id: string;
  id: string;
  agent_id: string;
  agent_name: string;
  name: string;
  status: BatchStatus;
  from_numbers: string[];
  webhook_url: string;
  scheduled_at: Date | null;
  concurrency: number | null;
  max_attempts: number;
  retry_after_minutes: number;
  retry_on: RetryOn[];
  total: number;
  paused_reason: string;
  currency: string;
  created_by: string;
  created_at: Date;
  started_at: Date | null;
  completed_at: Date | null;
  keys: string[];
  placed: number;
  failures_since: Date | null;
}

type BatchWithCounts = BatchRow & { known: Partial<Record<ContactStatus, number>> | null; cost_paise: number };

/** A batch with its counts: two index probes for any number of contacts. */
const selectBatch = (sql: AnySql) => sql`
  select b.*, c.known, coalesce(c.cost_paise, 0)::bigint as cost_paise
  from batches b left join lateral (
    select jsonb_object_agg(status, contacts) as known, sum(cost_paise) as cost_paise from batch_counts
    where workspace_id = b.workspace_id and batch_id = b.id
  ) as c on true`;

function recordOf({ known, ...row }: BatchWithCounts): BatchRecord {
  const counts = Object.fromEntries(CONTACT_STATUSES.map((status) => [status, known?.[status] ?? 0]));
  const final = FINAL_STATUSES.reduce((sum, status) => sum + (known?.[status] ?? 0), 0);
  const progress = row.total === 0 ? 100 : Math.floor((final * 100) / row.total);
  return { ...row, counts: counts as BatchRecord['counts'], progress };
}

export async function findBatch(sql: AnySql, workspaceId: string, batchId: string): Promise<BatchRecord | null> {
  const [row] = await sql<
    BatchWithCounts[]
  >`${selectBatch(sql)} where b.workspace_id = ${workspaceId} and b.id = ${batchId}`;
  return row ? recordOf(row) : null;
}

export interface BatchFilters {
  status?: readonly BatchStatus[] | undefined;
  agent_id?: string | undefined;
}

export async function listBatches(
  sql: AnySql,
  workspaceId: string,
  { status, agent_id }: BatchFilters,
  limit: number,
  skip: number,
): Promise<{ items: BatchRecord[]; total: number }> {
  const matching = sql`
    b.workspace_id = ${workspaceId}
    ${status === undefined ? sql`` : sql`and b.status = any(${[...status]})`}
    ${agent_id === undefined ? sql`` : sql`and b.agent_id = ${agent_id}`}`;
  const rows = await sql<BatchWithCounts[]>`
    ${selectBatch(sql)} where ${matching} order by b.created_at desc, b.id desc limit ${limit} offset ${skip}`;
  const items = rows.map(recordOf);
  if (skip === 0 && items.length < limit) return { items, total: items.length };
  const [all] = await sql<{ total: number }[]>`select count(*)::integer as total from batches b where ${matching}`;
  return { items, total: all!.total };
}

/** Locks the batch until the end of the transaction; every change of it and its contacts happens under this lock. */
export async function lockBatch(tx: Transaction, workspaceId: string, batchId: string): Promise<BatchRow | null> {
  const [row] = await tx<BatchRow[]>`
    select * from batches where workspace_id = ${workspaceId} and id = ${batchId} for no key update`;
  return row ?? null;
}

/** Null when another transaction has the lock. */
export async function lockBatchIfFree(tx: Transaction, workspaceId: string, batchId: string): Promise<BatchRow | null> {
  const [row] = await tx<BatchRow[]>`
    select * from batches where workspace_id = ${workspaceId} and id = ${batchId} for no key update skip locked`;
  return row ?? null;
}

export async function currencyOf(tx: Transaction, workspaceId: string): Promise<string> {
  const [row] = await tx<{ currency: string }[]>`select currency from workspaces where id = ${workspaceId}`;
  return row!.currency;
}

/** Counts active batches, without a lock: two concurrent requests may exceed the limit by one. */
export async function countActiveBatches(sql: AnySql, workspaceId: string, max: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from (
      select 1 from batches
      where workspace_id = ${workspaceId} and status in ('scheduled', 'running', 'paused') limit ${max}
    ) as under_way`;
  return row!.count;
}

export async function insertBatch(tx: Transaction, batch: BatchRow): Promise<void> {
  await tx`insert into batches ${tx(batch as never)}`;
}

export type BatchUpdate = Partial<Omit<BatchRow, 'workspace_id' | 'id' | 'agent_id' | 'total' | 'currency'>>;

export async function updateBatch(tx: Transaction, batch: BatchRow, change: BatchUpdate): Promise<void> {
  const { workspace_id, id } = batch;
  await tx`
    update batches set ${tx(change as Record<string, never>)} where workspace_id = ${workspace_id} and id = ${id}`;
  Object.assign(batch, change);
}

export async function deleteBatch(tx: Transaction, { workspace_id, id }: BatchRow): Promise<void> {
  await tx`delete from batches where workspace_id = ${workspace_id} and id = ${id}`;
}

/** Contacts as the API shows them, in row order. */
export type ContactRow = Omit<StoredContact, 'workspace_id' | 'batch_id'>;
interface StoredContact {
  workspace_id: string;
  batch_id: string;
  id: string;
  row: number;
  to_number: string;
  user_data: Record<string, string | number | boolean>;
  status: ContactStatus;
  attempts: number;
  next_attempt_at: Date | null;
  call_id: string | null;
  duration_seconds: number;
  hangup_reason: string;
  cost_paise: number;
  updated_at: Date;
}

export async function listContacts(
  sql: AnySql,
  workspaceId: string,
  batchId: string,
  status: readonly ContactStatus[] | undefined,
  limit: number,
  skip: number,
): Promise<{ items: ContactRow[]; total: number }> {
  const rows = await sql<ContactRow[]>`
    select id, row, to_number, user_data, status, attempts, next_attempt_at, call_id, duration_seconds, hangup_reason,
      cost_paise, updated_at
    from batch_contacts
    where workspace_id = ${workspaceId} and batch_id = ${batchId}
      ${status === undefined ? sql`` : sql`and status = any(${[...status]})`}
    order by row limit ${limit} offset ${skip}`;
  const [all] = await sql<{ total: number }[]>`
    select coalesce(sum(contacts), 0)::integer as total from batch_counts
    where workspace_id = ${workspaceId} and batch_id = ${batchId}
      ${status === undefined ? sql`` : sql`and status = any(${[...status]})`}`;
  return { items: [...rows], total: all!.total };
}

/**
 * An id like those of `newId`, for rows made in the database: a UUIDv7 with milliseconds, the row number as counter (RFC 9562,
 * section 6.2, method 1), and random bits.
 */
const contactId = (tx: Transaction, atMs: number) => tx`
  lpad(to_hex(${atMs}::bigint), 12, '0') || '7' || lpad(to_hex(c.row % 4096), 3, '0')
    || substr(replace(gen_random_uuid()::text, '-', ''), 17)`;

export interface InlineContact {
  row: number;
  to_number: string;
  user_data: Record<string, string | number | boolean>;
  /** Why the contact is skipped; empty when it is not. */
  skipped: string;
}

/** Inserts the contacts of a list in one statement. */
export async function insertContacts(
  tx: Transaction,
  { workspace_id, id }: BatchRow,
  contacts: readonly InlineContact[],
  atMs: number,
): Promise<void> {
  await tx`
    insert into batch_contacts
      (workspace_id, batch_id, row, id, to_number, user_data, status, hangup_reason, updated_at)
    select ${workspace_id}, ${id}, c.row, ${contactId(tx, atMs)}, c.to_number, c.user_data,
      case c.skipped when '' then 'pending' else 'skipped' end, c.skipped, ${new Date(atMs)}
    from jsonb_to_recordset(${tx.json(contacts as never)}) as c (row integer, to_number text, user_data jsonb, skipped text)`;
}

/** Inserts the contacts of an upload without reading them from the database. */
export async function insertUploadedContacts(
  tx: Transaction,
  { workspace_id, id }: BatchRow,
  uploadId: string,
  atMs: number,
): Promise<void> {
  await tx`
    insert into batch_contacts (workspace_id, batch_id, row, id, to_number, user_data, status, updated_at)
    select ${workspace_id}, ${id}, c.row, ${contactId(tx, atMs)}, c.to_number,
      (select coalesce(jsonb_object_agg(key, value) filter (where value is not null), '{}')
        from unnest(u.keys, array(select jsonb_array_elements_text(c.cells))) as cell (key, value)),
      'pending', ${new Date(atMs)}
    from batch_uploads u cross join lateral (
      select (each -> 0)::integer as row, each ->> 1 as to_number, each -> 2 as cells
      from jsonb_array_elements(u.contacts) as each
    ) as c
    where u.workspace_id = ${workspace_id} and u.id = ${uploadId}`;
}

export interface NewUpload extends UploadRecord {
  workspace_id: string;
  keys: string[];
  /** JSON. */
  contacts_json: string;
  created_by: string;
  created_at: Date;
  expires_at: Date;
}

export async function insertUpload(tx: Transaction, upload: NewUpload): Promise<void> {
  const { contacts_json, errors, preview, ...row } = upload;
  await tx`
    insert into batch_uploads ${tx({ ...row, errors: tx.json(errors), preview: tx.json(preview), contacts: '[]' } as never)}`;
  // As text, so that only the database parses it.
  await tx`
    update batch_uploads set contacts = ${contacts_json}::text::jsonb
    where workspace_id = ${row.workspace_id} and id = ${row.id}`;
}

/** Counts the workspace's uploads, without a lock: two concurrent requests may exceed the limit by one. */
export async function countUploads(sql: AnySql, workspaceId: string, nowMs: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from batch_uploads
    where workspace_id = ${workspaceId} and expires_at > ${new Date(nowMs)}`;
  return row!.count;
}

export type FoundUpload = UploadRecord & { keys: string[] };

export async function findUpload(
  sql: AnySql,
  workspaceId: string,
  uploadId: string,
  nowMs: number,
): Promise<FoundUpload | null> {
  const [row] = await sql<FoundUpload[]>`
    select id, file_name, columns, phone_column, keys, total_rows, valid_rows, duplicate_rows, invalid_rows, errors, preview,
      created_at, expires_at
    from batch_uploads
    where workspace_id = ${workspaceId} and id = ${uploadId} and expires_at > ${new Date(nowMs)}`;
  return row ?? null;
}

export async function deleteOldUploads(sql: AnySql, nowMs: number): Promise<void> {
  await sql`delete from batch_uploads where expires_at <= ${new Date(nowMs)}`;
}
