import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { download } from '../api.ts';
import type { Invoice, Payment } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { day, paymentState } from './billing-texts.ts';
import { money } from './money.ts';

function Rows({ children }: { children: VNode[] }) {
  return children.length === 0 ? <p class="quiet">{t('There are none yet.')}</p> : <ul class="rows">{children}</ul>;
}

/** What was paid, newest first. */
export function Payments({ payments }: { payments: readonly Payment[] }) {
  return (
    <section class="card" aria-labelledby="payments-title">
      <h2 id="payments-title">{t('Payments')}</h2>
      <Rows>
        {payments.map((payment) => (
          <li key={payment.id}>
            <span class="row-text">
              <span>{day(payment.created_at)}</span>
              <span class="quiet small">
                <span>{paymentState(payment)}</span>
                {payment.created_by !== '' && ` · ${payment.created_by}`}
              </span>
            </span>
            <span class="amount">{money(payment.total_paise, payment.currency)}</span>
          </li>
        ))}
      </Rows>
    </section>
  );
}

interface Document {
  id: string;
  number: string;
  total_paise: number;
  issued_at: string;
}

/** Invoices and the credit notes on them, newest first, as PDFs. */
export function Invoices({ invoices }: { invoices: readonly Invoice[] }) {
  const [error, setError] = useState<string | null>(null);

  async function save({ id, number }: Document) {
    setError(null);
    const saved = await download(`/billing/invoices/${id}/pdf`, `${number.replaceAll('/', '-')}.pdf`);
    if (!saved) setError(t('{{number}} could not be downloaded. Try again in a moment.', { number }));
  }

  const row = (document: Document, { currency }: Invoice, text: string, sign = 1) => (
    <li key={document.id}>
      <span class="row-text">
        <span>{text}</span>
        <span class="quiet small">
          {document.number} · {day(document.issued_at)}
        </span>
      </span>
      <span class="amount">{money(sign * document.total_paise, currency)}</span>
      <button
        type="button"
        class="plain"
        aria-label={t('Download {{number}} as PDF', { number: document.number })}
        onClick={() => save(document)}
      >
        PDF
      </button>
    </li>
  );

  return (
    <section class="card" aria-labelledby="invoices-title">
      <h2 id="invoices-title">{t('Invoices')}</h2>
      <p class="error" role="alert">
        {error}
      </p>
      <Rows>
        {invoices.flatMap((invoice) => [
          row(invoice, invoice, invoice.description),
          ...invoice.credit_notes.map((note) =>
            row(note, invoice, t('Credit note on {{number}}', { number: invoice.number }), -1),
          ),
        ])}
      </Rows>
    </section>
  );
}
