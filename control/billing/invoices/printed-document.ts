import type { Sql } from '../../db/connect.ts';
import type { AttachedFile } from '../../mail/mail-transport.ts';
import type { InvoicePrinter } from './invoice-printer.ts';
import { findDocument } from './invoice-rows.ts';

export interface PrintingDeps {
  sql: Sql;
  printer: InvoicePrinter;
}

/** The PDF of an invoice or a credit note; null when the workspace has none with the id. */
export async function printedDocument(
  { sql, printer }: PrintingDeps,
  workspaceId: string,
  id: string,
): Promise<AttachedFile | null> {
  const document = await findDocument(sql, workspaceId, id);
  if (!document) return null;
  const credited = document.invoice_id === null ? null : await findDocument(sql, workspaceId, document.invoice_id);
  const content = await printer.print({ ...document, credited });
  const name = `${document.document.replace('_', '-')}-${document.number.replaceAll('/', '-')}.pdf`;
  return { name, content, content_type: 'application/pdf' };
}

/** The file of an e-mail about it. */
export async function attachedDocument(deps: PrintingDeps, workspaceId: string, id: string): Promise<AttachedFile> {
  const printed = await printedDocument(deps, workspaceId, id);
  if (!printed) throw new Error('the invoice is gone');
  return printed;
}
