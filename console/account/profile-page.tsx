import { t } from '../texts/texts.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { AccountHead } from './account-head.tsx';
import { Appearance } from './appearance.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { EmailForm } from './email-form.tsx';
import { ProfileForm } from './profile-form.tsx';
import { useAccount } from './use-account.ts';

/** Who one is, how the console looks, and the end of the account. */
export function ProfilePage() {
  const { data: account, error, isPending, refetch } = useAccount();
  return (
    <main class="list-page account-page">
      <AccountHead title={t('Profile')} />
      {account ? (
        <>
          {!account.email_verified && (
            <p class="notice urgent">
              {t('Your email address is not confirmed yet: follow the link in our email.')}{' '}
              <a href="/api/auth/verify-email">{t('Send another link')}</a>
            </p>
          )}
          <ProfileForm account={account} />
          <EmailForm account={account} />
        </>
      ) : isPending ? (
        <Loading what={t('your account')} />
      ) : (
        <Problem error={error} what={t('your account')} onRetry={() => void refetch()} />
      )}
      <Appearance />
      {account && <DeleteAccount account={account} />}
    </main>
  );
}
