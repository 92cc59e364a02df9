import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { notFound } from '../../http/errors.ts';
import { downloadHeaders } from '../../http/file-response.ts';
import { pathId } from '../../http/query.ts';
import { file, route } from '../../http/route.ts';
import { time } from '../../http/times.ts';
import { INVOICE_KINDS, type InvoiceRow, listInvoices } from './invoice-rows.ts';
import { type PrintingDeps, printedDocument } from './printed-document.ts';

const creditNoteRecord = z.object({
  id: z.string().describe('its PDF is read like that of an invoice'),
  number: z.string().describe('`CN/26-27/000004`, without gaps in a financial year'),
  reason: z.string().describe('why it was issued'),
  total_paise: z.int().describe('what was given back, tax included'),
  issued_at: time('when it was issued'),
});

const invoiceRecord = z
  .object({
    id: z.string().describe('32 hex characters'),
    number: z.string().describe('`2026-27/000123`, without gaps in a financial year of India'),
    kind: z.enum(INVOICE_KINDS).describe('what was bought'),
    description: z.string().describe('what was bought, in words'),
    amount_paise: z.int().describe('before tax'),
    tax_paise: z.int().describe('all tax lines together'),
    total_paise: z.int().describe('amount and tax'),
    tax_lines: z
      .array(
        z.object({
          name: z.enum(['CGST', 'SGST', 'IGST']).describe('the tax'),
          rate_percent: z.number().describe('of the amount'),
          amount_paise: z.int().describe('the tax itself'),
        }),
      )
      .describe('empty for exports, and where credits paid: their tax was charged when they were bought'),
    currency: z.enum(['INR', 'USD']).describe('of all amounts'),
    paid_from: z.enum(['gateway', 'credits']).describe('a payment, or the credits of the workspace'),
    payment_id: z.string().nullable().describe('the payment it is for'),
    buyer: z
      .object({
        name: z.string().describe('as in the business details, else the name of the workspace'),
        address: z.string().describe('lines; may be empty'),
        gstin: z.string().describe('empty: not registered for GST'),
        state: z.string().describe('in India its name'),
      })
      .describe('as it was when the invoice was issued'),
    export_note: z.string().describe('empty unless it is an export of services, without GST'),
    credit_notes: z.array(creditNoteRecord).describe('what of it was given back, oldest first'),
    issued_at: time('when it was issued'),
  })
  .meta({ id: 'Invoice' });

const VIEW = {
  method: 'GET',
  tag: 'Billing',
  credential: 'key',
  permission: 'billing.view',
  before_activation: true,
  success: 200,
} as const;

export function invoiceRoutes(app: FastifyInstance, deps: PrintingDeps): void {
  route(app, {
    ...VIEW,
    path: '/api/v1/billing/invoices',
    summary: 'The last 200 invoices, newest first',
    schema: { response: z.array(invoiceRecord) },
    handler: async (_input, { workspace_id }) => (await listInvoices(deps.sql, workspace_id)).map(recordOf),
  });

  route(app, {
    ...VIEW,
    path: '/api/v1/billing/invoices/{invoice_id}/pdf',
    summary: 'An invoice or a credit note as PDF',
    schema: { params: z.object({ invoice_id: pathId('invoice') }), response: file('application/pdf', 'one A4 page') },
    errors: [404],
    async handler({ params }, { workspace_id }) {
      const printed = await printedDocument(deps, workspace_id, params.invoice_id);
      if (!printed) throw notFound('invoice');
      return { body: printed.content, headers: downloadHeaders(printed.name) };
    },
  });
}

const recordOf = ({ terms, credit_notes, paid_from, ...row }: InvoiceRow) => ({
  ...{ ...row, paid_from, buyer: terms.buyer },
  export_note: terms.treatment === 'export' && paid_from === 'gateway' ? 'Export of services; no GST is charged.' : '',
  credit_notes: credit_notes.map(({ description, ...note }) => ({ ...note, reason: description })),
});
