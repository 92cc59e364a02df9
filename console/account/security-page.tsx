import { t } from '../texts/texts.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { AccountHead } from './account-head.tsx';
import { PasskeySection } from './passkey-section.tsx';
import { PasswordForm } from './password-form.tsx';
import { SessionList } from './session-list.tsx';
import { TwoStep } from './two-step.tsx';
import { useAccount } from './use-account.ts';

/** How one signs in, and where one is signed in. */
export function SecurityPage() {
  const { data: account, error, isPending, refetch } = useAccount();
  return (
    <main class="list-page account-page">
      <AccountHead title={t('Security')} />
      {account ? (
        <>
          <TwoStep account={account} />
          <PasskeySection account={account} />
          <PasswordForm />
        </>
      ) : isPending ? (
        <Loading what={t('your account')} />
      ) : (
        <Problem error={error} what={t('your account')} onRetry={() => void refetch()} />
      )}
      <SessionList />
    </main>
  );
}
