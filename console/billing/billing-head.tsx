import { BILLING_PATH } from '../address.ts';
import { Heading } from '../heading.tsx';
import { t } from '../texts/texts.ts';
import { Tabs } from '../ui/tabs.tsx';
import './billing.css';

/** The heading of every page of Billing, and the way to the others. `title` names the page in the browser's tab. */
export function BillingHead({ title }: { title?: string }) {
  return (
    <>
      <Heading title={title ? `${title} · ${t('Billing')}` : t('Billing')}>{t('Billing')}</Heading>
      <Tabs
        label={t('Billing')}
        tabs={[
          { href: BILLING_PATH, text: t('Overview') },
          { href: `${BILLING_PATH}/plan`, text: t('Plan and lines') },
          { href: `${BILLING_PATH}/payments`, text: t('Payments and invoices') },
          { href: `${BILLING_PATH}/ledger`, text: t('Ledger') },
          { href: `${BILLING_PATH}/usage`, text: t('Usage') },
        ]}
      />
    </>
  );
}
