import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useCallback, useEffect } from 'preact/hooks';
import { useMay } from '../data/session.ts';
import { getAccount, getKyc } from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { t } from '../texts/texts.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { onboardingSteps } from './onboarding-steps.ts';
import './workspace.css';

interface OnboardingProps {
  workspace: { name: string; state: string };
  /** Reads the session again: the workspace may be active by now. */
  onRefresh: () => void;
}

/** What is left to do before a new workspace may call. */
export function Onboarding({ workspace, onRefresh }: OnboardingProps) {
  if (workspace.state === 'onboarding') return <Steps name={workspace.name} onRefresh={onRefresh} />;
  return (
    <main class="list-page">
      <Heading title={workspace.name} />
      <p class="notice">
        {workspace.state === 'closed'
          ? t('This workspace is closed.')
          : t('This workspace is suspended: its agents cannot be called.')}
      </p>
    </main>
  );
}

function Steps({ name, onRefresh }: { name: string; onRefresh: () => void }) {
  const may = useMay();
  const account = useQuery({ queryKey: ['account'], queryFn: ({ signal }) => ok(getAccount({}, { signal })) });
  // Only owners see the business details.
  const owner = may('kyc.manage');
  const kyc = useQuery({
    queryKey: ['kyc'],
    queryFn: ({ signal }) => ok(getKyc({}, { signal })),
    enabled: owner,
  });
  const { refetch: readAccount } = account;
  const { refetch: readKyc } = kyc;
  const readAgain = useCallback(() => {
    void readAccount();
    if (owner) void readKyc();
    onRefresh();
  }, [owner, readAccount, readKyc, onRefresh]);

  useEffect(() => {
    // The link in the email opens in another tab; coming back shows what it changed.
    const onShown = () => {
      if (document.visibilityState === 'visible') readAgain();
    };
    document.addEventListener('visibilitychange', onShown);
    return () => document.removeEventListener('visibilitychange', onShown);
  }, [readAgain]);

  const failed = [account, kyc].find(({ isError }) => isError);
  return (
    <main class="list-page">
      <Heading title={t('Welcome to {{name}}', { name })} />
      <p class="quiet">{t('Agents can take and place calls as soon as these steps are done.')}</p>
      {account.data && (kyc.data || !owner) ? (
        <ol class="onboarding-steps">
          {onboardingSteps(account.data, kyc.data ?? null).map(({ title, text, done, link }) => (
            <li key={title} data-done={done}>
              <span class="step-mark" aria-hidden="true">
                {done ? '✓' : ''}
              </span>
              <div>
                <h2>
                  {title}
                  <span class="hidden-title">{done ? t(', done') : t(', to do')}</span>
                </h2>
                <p class="quiet">{text}</p>
                {link && <a href={link.href}>{link.text}</a>}
              </div>
            </li>
          ))}
        </ol>
      ) : failed ? (
        <Problem error={failed.error} what={t('the steps')} onRetry={readAgain} />
      ) : (
        <Loading what={t('the steps')} />
      )}
      {may('members.manage') && (
        <p class="meanwhile">
          <span class="quiet">{t('In the meantime:')}</span>
          <a href="/workspace/members">{t('Invite people')}</a>
          <a href="/workspace">{t('Describe the workspace')}</a>
        </p>
      )}
      <div>
        <button type="button" class="plain" onClick={readAgain}>
          {t('Look again')}
        </button>
      </div>
    </main>
  );
}
