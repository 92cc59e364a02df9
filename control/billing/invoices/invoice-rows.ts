import type { AnySql, Sql, Transaction } from '../../db/connect.ts';
import type { Currency } from '../rates.ts';
import type { TaxLine } from './gst.ts';
import { documentNumber, financialYear } from './invoice-number.ts';
import type { InvoiceTerms } from './invoice-terms.ts';

/** The SQL of invoices and credit notes. */

export const INVOICE_KINDS = ['topup', 'plan', 'lines', 'number', 'caller_id'] as const;
export type InvoiceKind = (typeof INVOICE_KINDS)[number];

export interface DocumentRow {
  workspace_id: string;
  id: string;
  key: string;
  document: 'invoice' | 'credit_note';
  number: string;
  kind: InvoiceKind;
  description: string;
  amount_paise: number;
  tax_paise: number;
  total_paise: number;
  tax_lines: TaxLine[];
  currency: Currency;
  paid_from: 'gateway' | 'credits';
  payment_id: string | null;
  terms: InvoiceTerms;
  /** Of a credit note. */
  invoice_id: string | null;
  issued_at: Date;
}

export interface InvoiceRow extends DocumentRow {
  /** Oldest first. */
  credit_notes: Pick<DocumentRow, 'id' | 'number' | 'description' | 'total_paise' | 'issued_at'>[];
}

/** Any number, the same in every process. */
const NUMBERS_LOCK = 7_080_039;

/** Waits until every other transaction that numbers a document has ended; no other one goes on before this one has. */
export async function lockNumbers(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(${NUMBERS_LOCK})`;
}

const columns = (sql: AnySql) => sql`
  workspace_id, id, key, document, number, kind, description, amount_paise, tax_paise, total_paise, tax_lines, currency,
  paid_from, payment_id, terms, invoice_id, issued_at`;

export async function findByKey(tx: AnySql, workspaceId: string, key: string): Promise<DocumentRow | null> {
  const [row] = await tx<DocumentRow[]>`
    select ${columns(tx)} from invoices where workspace_id = ${workspaceId} and key = ${key}`;
  return row ?? null;
}

/** An invoice or a credit note. */
export async function findDocument(sql: AnySql, workspaceId: string, id: string): Promise<DocumentRow | null> {
  const [row] = await sql<DocumentRow[]>`
    select ${columns(sql)} from invoices where workspace_id = ${workspaceId} and id = ${id}`;
  return row ?? null;
}

export async function findInvoice(sql: AnySql, workspaceId: string, id: string): Promise<InvoiceRow | null> {
  const row = await findDocument(sql, workspaceId, id);
  return row?.document === 'invoice' ? ((await withCreditNotes(sql, workspaceId, [row]))[0] ?? null) : null;
}

const LIST_LIMIT = 200;

/** The newest 200: ids sort by creation. */
export async function listInvoices(sql: Sql, workspaceId: string): Promise<InvoiceRow[]> {
  const rows = await sql<DocumentRow[]>`
    select ${columns(sql)} from invoices where workspace_id = ${workspaceId} and document = 'invoice'
    order by id desc limit ${LIST_LIMIT}`;
  return withCreditNotes(sql, workspaceId, rows);
}

async function withCreditNotes(sql: AnySql, workspaceId: string, rows: DocumentRow[]): Promise<InvoiceRow[]> {
  const notes = await sql<DocumentRow[]>`
    select ${columns(sql)} from invoices
    where workspace_id = ${workspaceId} and document = 'credit_note' and invoice_id = any(${rows.map(({ id }) => id)})
    order by id`;
  return rows.map((row) => ({ ...row, credit_notes: notes.filter(({ invoice_id }) => invoice_id === row.id) }));
}

/** The key of the invoice that takes the place of a credit note. */
export const replacementKeyOf = (noteKey: string): string => `${noteKey}:returned`;

export const replacesNote = ({ document, key }: Pick<DocumentRow, 'document' | 'key'>): boolean =>
  document === 'invoice' && key.endsWith(replacementKeyOf(''));

/** The credit notes on an invoice whose place no other invoice has taken. */
export async function openCreditNotes(sql: AnySql, workspaceId: string, invoiceId: string): Promise<DocumentRow[]> {
  return sql<DocumentRow[]>`
    select ${columns(sql)} from invoices note
    where workspace_id = ${workspaceId} and document = 'credit_note' and invoice_id = ${invoiceId} and not exists (
      select from invoices where workspace_id = note.workspace_id and key = note.key || ${replacementKeyOf('')})`;
}

/** Gives the document the next number of its financial year. The numbers must be locked. */
export async function insertNumbered(tx: Transaction, document: Omit<DocumentRow, 'number'>): Promise<string> {
  const year = financialYear(document.issued_at.getTime());
  const [last] = await tx<{ sequence: number }[]>`
    select sequence from invoices where document = ${document.document} and financial_year = ${year}
    order by sequence desc limit 1`;
  const sequence = (last?.sequence ?? 0) + 1;
  const number = documentNumber(document.document, year, sequence);
  const row = { ...document, financial_year: year, sequence, number };
  const json = { tax_lines: tx.json(row.tax_lines as never), terms: tx.json(row.terms as never) };
  await tx`insert into invoices ${tx({ ...row, ...json } as never)}`;
  return number;
}
