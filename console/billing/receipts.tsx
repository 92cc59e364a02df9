import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { downloadInvoice } from './billing-api.ts';
import type { Invoice, Payment } from './billing-records.ts';
import { day, paymentState } from './billing-texts.ts';
import { money } from './money.ts';

function Rows({ children }: { children: VNode[] }) {
  return children.length === 0 ? <p class="quiet">There are none yet.</p> : <ul class="rows">{children}</ul>;
}

/** What was paid, newest first. */
export function Payments({ payments }: { payments: readonly Payment[] }) {
  return (
    <section class="card" aria-labelledby="payments-title">
      <h2 id="payments-title">Payments</h2>
      <Rows>
        {payments.map((payment) => (
          <li key={payment.id}>
            <span class="row-text">
              <span>{day(payment.created_at)}</span>
              <span class="quiet small">{paymentState(payment)}</span>
            </span>
            <span class="amount">{money(payment.total_paise, payment.currency)}</span>
          </li>
        ))}
      </Rows>
    </section>
  );
}

/** Invoices and the credit notes on them, newest first, as PDFs. */
export function Invoices({ invoices }: { invoices: readonly Invoice[] }) {
  const [error, setError] = useState<string | null>(null);

  async function save(document: { id: string; number: string }) {
    setError(null);
    const saved = await downloadInvoice(document);
    if (!saved) setError(`${document.number} could not be downloaded. Try again in a moment.`);
  }

  const row = (
    document: { id: string; number: string; total_paise: number; issued_at: string },
    of: Invoice,
    text: string,
    sign = 1,
  ) => (
    <li key={document.id}>
      <span class="row-text">
        <span>{text}</span>
        <span class="quiet small">
          {document.number} · {day(document.issued_at)}
        </span>
      </span>
      <span class="amount">{money(sign * document.total_paise, of.currency)}</span>
      <button
        type="button"
        class="plain"
        aria-label={`Download ${document.number} as PDF`}
        onClick={() => save(document)}
      >
        PDF
      </button>
    </li>
  );

  return (
    <section class="card" aria-labelledby="invoices-title">
      <h2 id="invoices-title">Invoices</h2>
      <p class="error" role="alert">
        {error}
      </p>
      <Rows>
        {invoices.flatMap((invoice) => [
          row(invoice, invoice, invoice.description),
          ...invoice.credit_notes.map((note) => row(note, invoice, `Credit note on ${invoice.number}`, -1)),
        ])}
      </Rows>
    </section>
  );
}
