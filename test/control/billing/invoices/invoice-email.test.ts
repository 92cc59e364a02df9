import { expect, it } from 'vitest';
import { emailDocument } from '../../../../control/billing/invoices/invoice-email.ts';
import { type DocumentRow, replacementKeyOf } from '../../../../control/billing/invoices/invoice-rows.ts';
import type { Transaction } from '../../../../control/db/connect.ts';

const PAID = {
  ...{ workspace_id: 'w', id: 'i', key: 'topup:1', document: 'invoice', number: '2026-27/000001', currency: 'INR' },
  ...{ description: 'Credits', amount_paise: 100_000, tax_paise: 18_000, total_paise: 118_000, paid_from: 'gateway' },
  issued_at: new Date(Date.UTC(2026, 10, 23)),
} as DocumentRow;

/** Subject and text of the e-mail about a document, without greeting and signature. */
async function email(change: Partial<DocumentRow>): Promise<string[]> {
  let queued: unknown[] = [];
  const tx = async (parts: readonly string[], ...values: unknown[]) => {
    if (parts.join('').includes('from workspaces')) return [{ name: 'Acme', timezone: 'UTC', to: ['a@b.example'] }];
    queued = values;
    return [];
  };
  await emailDocument(Object.assign(tx, { json: (value: object) => value }) as unknown as Transaction, {
    ...PAID,
    ...change,
  });
  const [, , to, subject, text, attachment] = queued as [unknown, unknown, string, string, string, object];
  expect([to, attachment]).toEqual(['a@b.example', { kind: 'invoice', id: 'i' }]);
  return [subject, ...text.split('\n\n').slice(2, 4)];
}

it.each<[string, Partial<DocumentRow>, string, string]>([
  ['an invoice', {}, 'invoice', 'Thank you for your payment. The invoice 2026-27/000001 is attached.'],
  [
    ...(['an invoice that credits paid', { paid_from: 'credits' }, 'invoice'] as const),
    'The invoice 2026-27/000001 is attached. It was paid from your credits.',
  ],
  [
    ...(['an invoice in place of a note', { key: replacementKeyOf('note') }, 'supplementary invoice'] as const),
    'The supplementary invoice 2026-27/000001 is attached.',
  ],
  [
    ...(['a credit note', { document: 'credit_note' }, 'credit note'] as const),
    'The credit note 2026-27/000001 is attached.',
  ],
])('%s is sent with its name', async (_what, change, name, sentence) => {
  const [subject, text, facts] = await email(change);
  expect([subject, text]).toEqual([`Your ${name} 2026-27/000001`, sentence]);
  expect(facts!.split('\n')[1]).toBe(`${change.document === 'credit_note' ? 'Reason' : 'For'}: Credits`);
});

it('GST is named where there is some', async () => {
  const labels = async (change: Partial<DocumentRow>) =>
    (await email(change))[2]!.split('\n').map((line) => line.split(':')[0]);
  expect(await labels({})).toEqual(['Number', 'For', 'Amount', 'GST', 'Total']);
  expect(await labels({ tax_paise: 0 })).toEqual(['Number', 'For', 'Amount', 'Total']);
});
