import { QueryClientProvider } from '@tanstack/preact-query';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { ErrorBoundary, LocationProvider, useLocation } from 'preact-iso';
import { addressToLoad, BILLING_PATH, isBilling, scopeOf } from './address.ts';
import { chooseWorkspace, signOut, whoAmI } from './api.ts';
import type { Me } from './api-records.ts';
import { checkoutReturn } from './billing/checkout.ts';
import { createQueryClient } from './data/query-client.ts';
import { SessionContext } from './data/session.ts';
import { Frame } from './frame.tsx';
import { Pages } from './pages.tsx';
import { SignIn } from './sign-in/sign-in.tsx';
import { SignUp } from './sign-in/sign-up.tsx';
import { t } from './texts/texts.ts';
import { Onboarding } from './workspace/onboarding.tsx';

/** Pages that work in a workspace that is not active yet. */
const OPEN_BEFORE_ACTIVATION = /^\/(billing|account|workspace)(\/|$)/;

type SignedIn =
  | { state: 'loading' }
  | { state: 'signed_out' }
  | { state: 'unreachable' }
  | { state: 'signed_in'; me: Me };

/** The console: who is signed in, and the page at the browser's address. */
export function App() {
  return (
    <LocationProvider scope={scopeOf(location.pathname)}>
      <ErrorBoundary>
        <Console />
      </ErrorBoundary>
    </LocationProvider>
  );
}

function Console() {
  const { path, query, route } = useLocation();
  const [session, setSession] = useState<SignedIn>({ state: 'loading' });
  // Where a gateway's own checkout sends the browser back to.
  const [returned, setReturned] = useState(() => checkoutReturn(location.search));
  const onSignedOut = useCallback(() => setSession({ state: 'signed_out' }), []);
  const client = useMemo(() => createQueryClient(onSignedOut), [onSignedOut]);

  const refresh = useCallback(async () => {
    const result = await whoAmI();
    if (result.ok && result.value.user) setSession({ state: 'signed_in', me: result.value });
    else setSession({ state: result.ok || result.status !== 0 ? 'signed_out' : 'unreachable' });
  }, []);

  useEffect(() => {
    void refresh();
    const followEarlierAddress = () => {
      const address = addressToLoad(location);
      if (address) location.assign(address);
    };
    addEventListener('hashchange', followEarlierAddress);
    // It may have changed before.
    followEarlierAddress();
    return () => removeEventListener('hashchange', followEarlierAddress);
  }, [refresh]);

  useEffect(() => {
    // Reloading the page must not report the payment again.
    if (returned) history.replaceState(null, '', BILLING_PATH);
  }, [returned]);

  const toFirstPage = useCallback(() => {
    if (isBilling(location.pathname)) location.assign('/');
    else route('/');
  }, [route]);
  const signOutHere = useCallback(async () => {
    await signOut();
    chooseWorkspace('');
    client.clear();
    toFirstPage();
    setSession({ state: 'signed_out' });
  }, [client, toFirstPage]);
  const onWorkspace = useCallback(
    (id: string) => {
      chooseWorkspace(id);
      // What was read is the other workspace's.
      client.clear();
      toFirstPage();
      void refresh();
    },
    [client, refresh, toFirstPage],
  );
  const onReturned = useCallback(() => setReturned(null), []);

  if (session.state === 'loading') return <p class="loading">{t('Loading…')}</p>;
  if (session.state === 'unreachable') {
    return (
      <main class="narrow">
        <h1>{t('The service cannot be reached')}</h1>
        <p class="quiet">{t('Check your connection.')}</p>
        <button type="button" class="primary" onClick={refresh}>
          {t('Try again')}
        </button>
      </main>
    );
  }
  if (session.state === 'signed_out') {
    if (path === '/sign-up') return <SignUp onSignedIn={refresh} />;
    return <SignIn onSignedIn={refresh} isConfirmed={query.email === 'confirmed'} />;
  }

  const { me } = session;
  const waits = me.workspace !== null && me.workspace.state !== 'active';
  return (
    <QueryClientProvider client={client}>
      <SessionContext.Provider
        value={{ me, refresh, chooseWorkspace: onWorkspace, signOut: signOutHere, onSignedOut, returned, onReturned }}
      >
        <Frame>
          {waits && !OPEN_BEFORE_ACTIVATION.test(path) ? (
            <Onboarding key={me.workspace!.id} workspace={me.workspace!} onRefresh={refresh} />
          ) : (
            <Pages key={me.workspace?.id} />
          )}
        </Frame>
      </SessionContext.Provider>
    </QueryClientProvider>
  );
}
