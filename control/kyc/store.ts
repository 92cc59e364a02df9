import type { AnySql, Transaction } from '../db/connect.ts';
import type { KycStatus } from '../workspaces/workspace-record.ts';
import { type DocumentKind, EMPTY_KYC, KYC_FIELDS, type KycFields } from './kyc-fields.ts';

/** The SQL of business details and their documents. */

export interface KycRow extends KycFields {
  status: KycStatus;
  submitted_at: Date | null;
  decided_at: Date | null;
  rejection_reason: string;
}

export interface DocumentRow {
  id: string;
  kind: DocumentKind;
  file_name: string;
  size_bytes: number;
  uploaded_by: string;
  uploaded_at: Date;
}

const NOT_SUBMITTED: KycRow = {
  ...EMPTY_KYC,
  status: 'not_submitted',
  submitted_at: null,
  decided_at: null,
  rejection_reason: '',
};

const COLUMNS: string[] = [...KYC_FIELDS, 'status', 'submitted_at', 'decided_at', 'rejection_reason'];

/** Returns the business details; empty ones when nothing was saved yet. */
export async function findKyc(sql: AnySql, workspaceId: string): Promise<KycRow> {
  const [row] = await sql<KycRow[]>`select ${sql(COLUMNS)} from kyc where workspace_id = ${workspaceId}`;
  return row ? withDefaults(row) : NOT_SUBMITTED;
}

/** Locks the row under which everything of a workspace's KYC changes. */
export async function lockKyc(tx: Transaction, workspaceId: string): Promise<KycRow> {
  await tx`
    insert into kyc (workspace_id, address) values (${workspaceId}, ${tx.json(EMPTY_KYC.address)})
    on conflict do nothing`;
  const [row] = await tx<KycRow[]>`select ${tx(COLUMNS)} from kyc where workspace_id = ${workspaceId} for update`;
  return withDefaults(row!);
}

const withDefaults = (row: KycRow): KycRow => ({ ...row, address: { ...EMPTY_KYC.address, ...row.address } });

export async function saveKyc(tx: Transaction, workspaceId: string, kyc: KycFields): Promise<void> {
  await tx`
    update kyc set ${tx({ ...kyc, address: tx.json(kyc.address) } as never, ...(KYC_FIELDS as never[]))}
    where workspace_id = ${workspaceId}`;
}

export async function updateKycStatus(
  tx: Transaction,
  workspaceId: string,
  to: Pick<KycRow, 'status' | 'submitted_at' | 'decided_at' | 'rejection_reason'>,
): Promise<void> {
  await tx`
    update kyc set status = ${to.status}, submitted_at = ${to.submitted_at}, decided_at = ${to.decided_at},
      rejection_reason = ${to.rejection_reason}
    where workspace_id = ${workspaceId}`;
}

export interface WaitingKyc {
  workspace_id: string;
  workspace_name: string;
  legal_name: string;
  business_type: string;
  submitted_at: Date;
}

/** Submitted business details of all workspaces, for the service's team; oldest first. */
export async function listWaiting(sql: AnySql): Promise<WaitingKyc[]> {
  return sql<WaitingKyc[]>`
    select kyc.workspace_id, workspaces.name as workspace_name, legal_name, business_type, submitted_at
    from kyc join workspaces on workspaces.id = kyc.workspace_id
    where status = 'submitted' order by submitted_at limit 200`;
}

/** Newest first: ids sort by creation. */
export async function listDocuments(sql: AnySql, workspaceId: string): Promise<DocumentRow[]> {
  return sql<DocumentRow[]>`
    select id, kind, file_name, size_bytes, uploaded_by, uploaded_at
    from kyc_documents where workspace_id = ${workspaceId} order by id desc`;
}

export async function insertDocument(tx: Transaction, workspaceId: string, row: DocumentRow, pdf: Buffer) {
  const { id, kind, file_name, size_bytes, uploaded_by, uploaded_at } = row;
  await tx`
    insert into kyc_documents (workspace_id, id, kind, file_name, size_bytes, pdf, uploaded_by, uploaded_at)
    values (${workspaceId}, ${id}, ${kind}, ${file_name}, ${size_bytes}, ${pdf}, ${uploaded_by}, ${uploaded_at})`;
}

export async function findDocument(sql: AnySql, workspaceId: string, id: string) {
  const [row] = await sql<{ file_name: string; kind: DocumentKind; pdf: Buffer }[]>`
    select file_name, kind, pdf from kyc_documents where workspace_id = ${workspaceId} and id = ${id}`;
  return row ?? null;
}

/** @returns what was deleted; null when there is no such document. */
export async function deleteDocument(tx: Transaction, workspaceId: string, id: string) {
  const [row] = await tx<{ file_name: string; kind: DocumentKind }[]>`
    delete from kyc_documents where workspace_id = ${workspaceId} and id = ${id} returning file_name, kind`;
  return row ?? null;
}
