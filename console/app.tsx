import { useCallback, useEffect, useState } from 'preact/hooks';
import { AccountPage } from './account/account-page.tsx';
import { addressToLoad, BILLING_PATH, pageAt } from './address.ts';
import { Agents } from './agents.tsx';
import { chooseWorkspace, signOut, whoAmI } from './api.ts';
import type { Me } from './api-records.ts';
import { BillingPage } from './billing/billing-page.tsx';
import { checkoutReturn } from './billing/checkout.ts';
import { CallPage } from './call-page/call-page.tsx';
import { Mark } from './icons.tsx';
import { Onboarding } from './onboarding.tsx';
import { SharedAgent } from './shared-agent.tsx';
import { SignIn } from './sign-in.tsx';
import { SignUp } from './sign-up.tsx';

type Session =
  | { state: 'loading' }
  | { state: 'signed_out' }
  | { state: 'unreachable' }
  | { state: 'signed_in'; me: Me };

const pageInAddress = () => pageAt(location);

export function App() {
  const [session, setSession] = useState<Session>({ state: 'loading' });
  const [page, setPage] = useState(pageInAddress);

  // Where a gateway's own checkout sends the browser back to.
  const [returned, setReturned] = useState(() => checkoutReturn(location.search));

  const refresh = useCallback(async () => {
    const result = await whoAmI();
    if (result.ok && result.value.user) setSession({ state: 'signed_in', me: result.value });
    else setSession({ state: result.ok || result.status !== 0 ? 'signed_out' : 'unreachable' });
  }, []);

  useEffect(() => {
    void refresh();
    const readAddress = () => {
      const address = addressToLoad(location);
      if (address) location.assign(address);
      else setPage(pageInAddress());
    };
    addEventListener('hashchange', readAddress);
    // It may have changed before.
    setPage(pageInAddress());
    return () => removeEventListener('hashchange', readAddress);
  }, [refresh]);

  useEffect(() => {
    if (!returned) return;
    // Reloading the page must not report the payment again.
    history.replaceState(null, '', BILLING_PATH);
    setPage(pageInAddress());
  }, [returned]);

  const signOutHere = useCallback(async () => {
    await signOut();
    chooseWorkspace('');
    location.hash = '';
    setSession({ state: 'signed_out' });
  }, []);
  const onSignedOut = useCallback(() => setSession({ state: 'signed_out' }), []);
  const onReturned = useCallback(() => setReturned(null), []);

  if (session.state === 'loading') return <p class="loading">Loading…</p>;
  if (session.state === 'unreachable') {
    return (
      <main class="narrow">
        <h1>The service cannot be reached</h1>
        <p class="quiet">Check your connection.</p>
        <button type="button" class="primary" onClick={refresh}>
          Try again
        </button>
      </main>
    );
  }
  if (session.state === 'signed_out') {
    return page.name === 'sign_up' ? <SignUp onSignedIn={refresh} /> : <SignIn onSignedIn={refresh} />;
  }

  const { me } = session;
  const seesBilling = me.permissions.includes('billing.view');
  return (
    <>
      <header class="top">
        <a class="brand" href="/#/">
          <Mark />
          Antiphon
        </a>
        <nav class="pages" aria-label="Pages">
          <PageLink href="/#/" current={page.name === 'agents' || page.name === 'agent'}>
            Agents
          </PageLink>
          {seesBilling && (
            <PageLink href={BILLING_PATH} current={page.name === 'billing'}>
              Billing
            </PageLink>
          )}
          <PageLink href="/#/account" current={page.name === 'account'}>
            Account
          </PageLink>
        </nav>
        <div class="who">
          <WorkspaceSelect me={me} onChosen={refresh} />
          <button type="button" class="plain" onClick={signOutHere}>
            Sign out
          </button>
        </div>
      </header>
      {page.name === 'billing' && seesBilling ? (
        <BillingPage
          key={me.workspace?.id}
          me={me}
          returned={returned}
          onReturned={onReturned}
          onSignedOut={onSignedOut}
        />
      ) : page.name === 'account' ? (
        <AccountPage onSignedOut={onSignedOut} />
      ) : me.workspace && me.workspace.state !== 'active' ? (
        <Onboarding key={me.workspace.id} workspace={me.workspace} onRefresh={refresh} />
      ) : page.name === 'agent' ? (
        <CallPage key={page.agent_id} agentId={page.agent_id} onSignedOut={onSignedOut} />
      ) : page.name === 'shared_agent' ? (
        <SharedAgent
          key={`${me.workspace?.id} ${page.token}`}
          token={page.token}
          workspace={me.workspace}
          mayCopy={me.permissions.includes('agents.edit')}
          onSignedOut={onSignedOut}
        />
      ) : (
        <Agents key={me.workspace?.id} workspace={me.workspace} onSignedOut={onSignedOut} />
      )}
    </>
  );
}

function PageLink({ href, current, children }: { href: string; current: boolean; children: string }) {
  return (
    <a href={href} aria-current={current ? 'page' : undefined}>
      {children}
    </a>
  );
}

function WorkspaceSelect({ me, onChosen }: { me: Me; onChosen: () => void }) {
  const open = me.workspaces.filter(({ state }) => state !== 'closed');
  if (open.length < 2) return <span class="workspace">{me.workspace?.name}</span>;
  return (
    <select
      class="quiet-select"
      aria-label="Workspace"
      value={me.workspace?.id ?? ''}
      onChange={(event) => {
        chooseWorkspace(event.currentTarget.value);
        location.hash = '';
        onChosen();
      }}
    >
      {open.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
