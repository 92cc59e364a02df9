import type { Transaction } from '../../db/connect.ts';
import { notifyWorkspace } from '../../workspaces/notify-workspace.ts';
import { moneyText } from '../money-text.ts';
import { type DocumentRow, replacesNote } from './invoice-rows.ts';

/** Queues the e-mail of a new invoice or credit note to the owner, with its PDF. */
export async function emailDocument(tx: Transaction, document: DocumentRow): Promise<void> {
  const { workspace_id, id, number, currency, description, amount_paise, tax_paise, total_paise, issued_at } = document;
  const isNote = document.document === 'credit_note';
  const name = isNote ? 'credit note' : replacesNote(document) ? 'supplementary invoice' : 'invoice';
  const thanks = name === 'invoice' && document.paid_from === 'gateway' ? 'Thank you for your payment. ' : '';
  const paid = document.paid_from === 'credits' ? ' It was paid from your credits.' : '';
  const facts = [
    ['Number', number],
    [isNote ? 'Reason' : 'For', description],
    ['Amount', moneyText(amount_paise, currency)],
    ...(tax_paise === 0 ? [] : [['GST', moneyText(tax_paise, currency)]]),
    ['Total', moneyText(total_paise, currency)],
  ];
  await notifyWorkspace(tx, {
    workspace_id,
    to: 'owner',
    subject: `Your ${name} ${number}`,
    text: `${thanks}The ${name} ${number} is attached.${paid}\n\n${facts.map(([label, value]) => `${label}: ${value}`).join('\n')}`,
    attachment: { kind: 'invoice', id },
    at_ms: issued_at.getTime(),
  });
}
