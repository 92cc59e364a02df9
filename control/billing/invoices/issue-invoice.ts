import { newId } from '../../../shared/ids.ts';
import { writeAudit } from '../../audit/write-audit.ts';
import type { Transaction } from '../../db/connect.ts';
import type { Currency } from '../rates.ts';
import { sumOf, taxLines } from './gst.ts';
import { emailDocument } from './invoice-email.ts';
import { dateText } from './invoice-number.ts';
import {
  type DocumentRow,
  findByKey,
  findDocument,
  findInvoice,
  type InvoiceKind,
  insertNumbered,
  lockNumbers,
  openCreditNotes,
  replacementKeyOf,
} from './invoice-rows.ts';
import { type InvoiceTerms, invoiceTerms } from './invoice-terms.ts';

export interface NewInvoice {
  workspace_id: string;
  kind: InvoiceKind;
  /** What was sold, as the buyer reads it. */
  description: string;
  /** Without tax, in the smallest unit of the currency; above 0. */
  amount_paise: number;
  /** `credits`: no tax is added, it was charged with the credits. */
  paid_from: 'gateway' | 'credits';
  payment_id?: string;
  /** What `taxOf` returned when the payment's order was made; left out: those of now. */
  terms?: InvoiceTerms;
  /** Of a charge before the workspace's currency was changed; left out: that of now. */
  currency?: Currency | undefined;
  /** Idempotency key, like `topup:<id>`: a workspace's key has one invoice. */
  key: string;
  at_ms: number;
}

/** What its issuer needs to know. */
export interface IssuedDocument {
  id: string;
  /** `2026-27/000123` */
  number: string;
  amount_paise: number;
  tax_paise: number;
  total_paise: number;
}

const BILLING = { kind: 'service', id: 'service', name: 'service' } as const;

/**
 * Issues an invoice in the caller's transaction, with the next number of its financial year, and queues the e-mail to the owner.
 * With a key that exists already it returns that invoice. Numbers have no gaps: the next one waits until this transaction ends,
 * so call it after all other locks are taken and commit soon.
 *
 * @throws Error when there is no such workspace.
 */
export async function issueInvoice(tx: Transaction, invoice: NewInvoice): Promise<IssuedDocument> {
  const issued = await issueOnce(tx, invoice, async () => {
    const { workspace_id, kind, description, amount_paise, paid_from, payment_id = null, key, at_ms } = invoice;
    const terms = invoice.terms ?? (await invoiceTerms(tx, workspace_id, invoice.currency));
    const tax_lines = paid_from === 'credits' ? [] : taxLines(terms.treatment, amount_paise);
    const tax_paise = sumOf(tax_lines);
    return {
      ...{
        workspace_id,
        id: newId(at_ms),
        key,
        document: 'invoice',
        kind,
        description,
        amount_paise,
        tax_paise,
        tax_lines,
      },
      ...{ total_paise: amount_paise + tax_paise, currency: terms.currency, paid_from, payment_id, terms },
      ...{ invoice_id: null, issued_at: new Date(at_ms) },
    };
  });
  return issued!;
}

export interface NewCreditNote {
  workspace_id: string;
  invoice_id: string;
  /** What the buyer gets back, tax included; above 0. */
  total_paise: number;
  /** Why, as the buyer reads it. */
  reason: string;
  /** Idempotency key, like `refund:<id>`. */
  key: string;
  at_ms: number;
}

/**
 * Issues a credit note on an invoice in the caller's transaction, like `issueInvoice`; amount and tax are the invoice's in
 * proportion, so that several notes over all of it add up to it exactly, without those that were replaced.
 *
 * @returns null, with nothing written, when less than `total_paise` of the invoice is left, or there is no such invoice.
 */
export async function creditNote(tx: Transaction, note: NewCreditNote): Promise<IssuedDocument | null> {
  return issueOnce(tx, note, async () => {
    const { workspace_id, invoice_id, total_paise, reason, key, at_ms } = note;
    const invoice = await findInvoice(tx, workspace_id, invoice_id);
    if (!invoice) return null;
    const notes = await openCreditNotes(tx, workspace_id, invoice_id);
    const after = notes.reduce((sum, each) => sum + each.total_paise, total_paise);
    if (total_paise <= 0 || after > invoice.total_paise) return null;
    const tax_lines = invoice.tax_lines.map((line, at) => {
      const before = notes.reduce((sum, each) => sum + each.tax_lines[at]!.amount_paise, 0);
      const amount_paise = roundedShare(line.amount_paise, after, invoice.total_paise) - before;
      return { ...line, amount_paise: Math.max(0, amount_paise) };
    });
    const tax_paise = sumOf(tax_lines);
    const { kind, currency, paid_from, payment_id, terms } = invoice;
    return {
      ...{
        workspace_id,
        id: newId(at_ms),
        key,
        document: 'credit_note',
        kind,
        description: reason,
        tax_lines,
        tax_paise,
      },
      ...{ amount_paise: total_paise - tax_paise, total_paise, currency, paid_from, payment_id, terms, invoice_id },
      issued_at: new Date(at_ms),
    };
  });
}

/**
 * Issues a supplementary invoice over the amounts of a credit note whose money came back, in the caller's transaction, like
 * `issueInvoice`: the note stays, and no longer counts.
 *
 * @throws Error when there is no such credit note.
 */
export async function replaceCreditNote(
  tx: Transaction,
  { workspace_id, credit_note_id, reason, at_ms }: ReplacedCreditNote,
): Promise<IssuedDocument> {
  const note = await findDocument(tx, workspace_id, credit_note_id);
  const invoice = await findDocument(tx, workspace_id, note?.invoice_id ?? '');
  if (!note || !invoice) throw new Error('the credit note is gone');
  const key = replacementKeyOf(note.key);
  const replaced = `credit note ${note.number} of ${dateText(note.issued_at)}`;
  const on = `invoice ${invoice.number} of ${dateText(invoice.issued_at)}`;
  const { number: _, ...amounts } = note;
  const issued = await issueOnce(tx, { workspace_id, key, at_ms }, async () => ({
    ...{ ...amounts, id: newId(at_ms), key, document: 'invoice', invoice_id: null, issued_at: new Date(at_ms) },
    description: `${invoice.description}: replaces ${replaced} on ${on}, because ${reason}`,
  }));
  return issued!;
}

export interface ReplacedCreditNote {
  workspace_id: string;
  credit_note_id: string;
  /** Why its money came back, as the buyer reads it: `the refund failed`. */
  reason: string;
  at_ms: number;
}

/** `paise × part / whole`, to the nearest, half up. */
function roundedShare(paise: number, part: number, whole: number): number {
  const doubled = BigInt(whole) * 2n;
  return Number((BigInt(paise) * BigInt(part) * 2n + BigInt(whole)) / doubled);
}

/** Issues what `make` returns unless the key has a document already; concurrent ones wait for each other. */
async function issueOnce(
  tx: Transaction,
  { workspace_id, key, at_ms }: Pick<NewInvoice, 'workspace_id' | 'key' | 'at_ms'>,
  make: () => Promise<Omit<DocumentRow, 'number'> | null>,
): Promise<DocumentRow | null> {
  await lockNumbers(tx);
  const before = await findByKey(tx, workspace_id, key);
  if (before) return before;
  const document = await make();
  if (!document) return null;
  const number = await insertNumbered(tx, document);
  const { id, total_paise, currency } = document;
  await writeAudit(tx, {
    ...{ workspace_id, actor: BILLING, action: `${document.document}.issued`, at_ms },
    target: { kind: document.document, id, name: number },
    data: { total_paise, currency },
  });
  const issued = { ...document, number };
  await emailDocument(tx, issued);
  return issued;
}
