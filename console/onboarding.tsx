import { useCallback, useEffect, useState } from 'preact/hooks';
import { readAccount, readKyc } from './api.ts';
import type { Account, Kyc } from './api-records.ts';
import { Heading } from './heading.tsx';
import { onboardingSteps } from './onboarding-steps.ts';

interface OnboardingProps {
  workspace: { name: string; state: string };
  /** Reads the session again: the workspace may be active by now. */
  onRefresh: () => void;
}

/** What is left to do before a new workspace may call. */
export function Onboarding({ workspace, onRefresh }: OnboardingProps) {
  const [account, setAccount] = useState<Account | null>(null);
  const [kyc, setKyc] = useState<Kyc | null>(null);

  const read = useCallback(async () => {
    const [person, details] = await Promise.all([readAccount(), readKyc()]);
    if (person.ok) setAccount(person.value);
    // Null for members who may not see the business details.
    setKyc(details.ok ? details.value : null);
  }, []);
  const readAgain = useCallback(() => {
    void read();
    onRefresh();
  }, [read, onRefresh]);

  useEffect(() => {
    void read();
    // The link in the email opens in another tab; coming back shows what it changed.
    const onShown = () => {
      if (document.visibilityState === 'visible') readAgain();
    };
    document.addEventListener('visibilitychange', onShown);
    return () => document.removeEventListener('visibilitychange', onShown);
  }, [read, readAgain]);

  if (workspace.state !== 'onboarding') {
    return (
      <main class="list-page">
        <Heading title={workspace.name} />
        <p class="notice">This workspace is {workspace.state}: its agents cannot be called.</p>
      </main>
    );
  }
  return (
    <main class="list-page">
      <Heading title={`Welcome to ${workspace.name}`} />
      <p class="quiet">Agents can take and place calls as soon as these steps are done.</p>
      {account && (
        <ol class="onboarding-steps">
          {onboardingSteps(account, kyc).map(({ title, text, done, link }) => (
            <li key={title} data-done={done}>
              <span class="step-mark" aria-hidden="true">
                {done ? '✓' : ''}
              </span>
              <div>
                <h2>
                  {title}
                  <span class="hidden-title">{done ? ', done' : ', to do'}</span>
                </h2>
                <p class="quiet">{text}</p>
                {link && <a href={link.href}>{link.text}</a>}
              </div>
            </li>
          ))}
        </ol>
      )}
      <div>
        <button type="button" class="plain" onClick={readAgain}>
          Look again
        </button>
      </div>
    </main>
  );
}
