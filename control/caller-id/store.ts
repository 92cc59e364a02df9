import type { AnySql, Transaction } from '../db/connect.ts';
import type { ImageType } from '../pdf/image-to-pdf.ts';

/** The SQL of caller-id requests. The rows of `caller_id_numbers` are the numbers that requests hold. */

export const CALLER_ID_STATUSES = ['submitted', 'in_review', 'active', 'rejected', 'withdrawn', 'removed'] as const;
export type CallerIdStatus = (typeof CALLER_ID_STATUSES)[number];

export interface CallerIdRow {
  workspace_id: string;
  id: string;
  numbers: string[];
  display_name: string;
  call_reason: string;
  status: CallerIdStatus;
  rejection_reason: string;
  fee_paise: number;
  currency: string;
  paid_until: Date | null;
  created_by: string;
  created_at: Date;
  decided_at: Date | null;
}

export interface Logo {
  logo: Buffer;
  logo_type: ImageType;
}

const columns = (sql: AnySql) => sql`
  workspace_id, id, numbers, display_name, call_reason, status, rejection_reason, fee_paise, currency, paid_until, created_by,
  created_at, decided_at`;

/** Newest first: ids sort by creation. */
export async function listRequests(sql: AnySql, workspaceId: string): Promise<CallerIdRow[]> {
  return sql<CallerIdRow[]>`
    select ${columns(sql)} from caller_id_requests where workspace_id = ${workspaceId} order by id desc limit 200`;
}

/** Requests of all workspaces that wait for the service's team; oldest first. */
export async function listWaiting(sql: AnySql): Promise<CallerIdRow[]> {
  return sql<CallerIdRow[]>`
    select ${columns(sql)} from caller_id_requests where status in ('submitted', 'in_review')
    order by created_at, id limit 200`;
}

/** Returns the workspace of a request, which the team names by its id alone. */
export async function workspaceOfRequest(sql: AnySql, id: string): Promise<string | null> {
  const [row] = await sql<{ workspace_id: string }[]>`select workspace_id from caller_id_requests where id = ${id}`;
  return row?.workspace_id ?? null;
}

export async function insertRequest(tx: Transaction, row: CallerIdRow, { logo, logo_type }: Logo): Promise<void> {
  await tx`
    insert into caller_id_requests (
      workspace_id, id, numbers, display_name, call_reason, logo, logo_type, status, rejection_reason, fee_paise, currency,
      created_by, created_at
    ) values (
      ${row.workspace_id}, ${row.id}, ${row.numbers}, ${row.display_name}, ${row.call_reason}, ${logo}, ${logo_type},
      ${row.status}, '', ${row.fee_paise}, ${row.currency}, ${row.created_by}, ${row.created_at}
    )`;
}

/**
 * Reserves numbers for the request. @returns those that no other request holds. Sorted, so that two requests cannot deadlock.
 */
export async function reserveNumbers(tx: Transaction, row: CallerIdRow): Promise<string[]> {
  const numbers = [...row.numbers].sort();
  const held = await tx<{ number: string }[]>`
    insert into caller_id_numbers (workspace_id, number, request_id)
    select ${row.workspace_id}, number, ${row.id} from unnest(${numbers}::text[]) as number
    on conflict (workspace_id, number) do nothing returning number`;
  return held.map(({ number }) => number);
}

export async function releaseNumbers(tx: Transaction, workspaceId: string, requestId: string): Promise<void> {
  await tx`delete from caller_id_numbers where workspace_id = ${workspaceId} and request_id = ${requestId}`;
}

/** The request that reserves the number; null: none does. */
export async function requestOfNumber(sql: AnySql, workspaceId: string, number: string): Promise<string | null> {
  const [row] = await sql<{ request_id: string }[]>`
    select request_id from caller_id_numbers where workspace_id = ${workspaceId} and number = ${number}`;
  return row?.request_id ?? null;
}

/** Takes one of several numbers out of a request. */
export async function removeNumber(
  tx: Transaction,
  { workspace_id, id }: Pick<CallerIdRow, 'workspace_id' | 'id'>,
  number: string,
): Promise<void> {
  await tx`delete from caller_id_numbers where workspace_id = ${workspace_id} and number = ${number}`;
  await tx`
    update caller_id_requests set numbers = array_remove(numbers, ${number})
    where workspace_id = ${workspace_id} and id = ${id}`;
}

export async function lockRequest(tx: Transaction, workspaceId: string, id: string): Promise<CallerIdRow | null> {
  const [row] = await tx<CallerIdRow[]>`
    select ${columns(tx)} from caller_id_requests where workspace_id = ${workspaceId} and id = ${id} for update`;
  return row ?? null;
}

export type CallerIdUpdate = Pick<
  CallerIdRow,
  'status' | 'rejection_reason' | 'fee_paise' | 'currency' | 'paid_until' | 'decided_at'
>;

export async function updateRequest(
  tx: Transaction,
  workspaceId: string,
  id: string,
  to: CallerIdUpdate,
): Promise<CallerIdRow> {
  const [row] = await tx<CallerIdRow[]>`
    update caller_id_requests set status = ${to.status}, rejection_reason = ${to.rejection_reason},
      fee_paise = ${to.fee_paise}, currency = ${to.currency}, paid_until = ${to.paid_until},
      decided_at = ${to.decided_at}
    where workspace_id = ${workspaceId} and id = ${id} returning ${columns(tx)}`;
  return row!;
}

export async function findLogo(sql: AnySql, workspaceId: string, id: string): Promise<Logo | null> {
  const [row] = await sql<Logo[]>`
    select logo, logo_type from caller_id_requests where workspace_id = ${workspaceId} and id = ${id}`;
  return row ?? null;
}
