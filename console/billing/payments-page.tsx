import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { getBillingInvoices as readInvoices, getBillingPayments as readPayments } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { BillingHead } from './billing-head.tsx';
import { Invoices, Payments } from './receipts.tsx';

/** The last payments, and invoices as PDFs. */
export function PaymentsPage() {
  const payments = useQuery({
    queryKey: ['billing', 'payments'],
    queryFn: ({ signal }) => ok(readPayments({}, { signal })),
  });
  const invoices = useQuery({
    queryKey: ['billing', 'invoices'],
    queryFn: ({ signal }) => ok(readInvoices({}, { signal })),
  });
  return (
    <main class="list-page billing-page">
      <BillingHead title={t('Payments and invoices')} />
      {payments.isPending ? (
        <Loading what={t('the payments')} />
      ) : payments.data ? (
        <Payments payments={payments.data} />
      ) : (
        <Problem error={payments.error} what={t('the payments')} onRetry={() => void payments.refetch()} />
      )}
      {invoices.isPending ? (
        <Loading what={t('the invoices')} />
      ) : invoices.data ? (
        <Invoices invoices={invoices.data} />
      ) : (
        <Problem error={invoices.error} what={t('the invoices')} onRetry={() => void invoices.refetch()} />
      )}
    </main>
  );
}
