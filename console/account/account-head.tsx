import { Heading } from '../heading.tsx';
import { t } from '../texts/texts.ts';
import { Tabs } from '../ui/tabs.tsx';
import './account.css';

/** The heading of both pages of the account. */
export function AccountHead({ title }: { title: string }) {
  return (
    <>
      <Heading title={`${title} · ${t('Your account')}`}>{t('Your account')}</Heading>
      <Tabs
        label={t('Your account')}
        tabs={[
          { href: '/account', text: t('Profile') },
          { href: '/account/security', text: t('Security') },
        ]}
      />
    </>
  );
}
