import { useCallback, useEffect, useState } from 'preact/hooks';
import { Agents } from './agents.tsx';
import { chooseWorkspace, signOut, whoAmI } from './api.ts';
import type { Me } from './api-records.ts';
import { CallPage } from './call-page/call-page.tsx';
import { Mark } from './icons.tsx';
import { SignIn } from './sign-in.tsx';

type Session =
  | { state: 'loading' }
  | { state: 'signed_out' }
  | { state: 'unreachable' }
  | { state: 'signed_in'; me: Me };

/** Returns the agent's id from `#/agents/<id>`; null shows the list. */
function agentIdInAddress(): string | null {
  return /^#\/agents\/([a-f0-9]{32})$/.exec(location.hash)?.[1] ?? null;
}

export function App() {
  const [session, setSession] = useState<Session>({ state: 'loading' });
  const [agentId, setAgentId] = useState(agentIdInAddress);

  const refresh = useCallback(async () => {
    const result = await whoAmI();
    if (result.ok && result.value.user) setSession({ state: 'signed_in', me: result.value });
    else setSession({ state: result.ok || result.status !== 0 ? 'signed_out' : 'unreachable' });
  }, []);

  useEffect(() => {
    void refresh();
    const readAddress = () => setAgentId(agentIdInAddress());
    addEventListener('hashchange', readAddress);
    return () => removeEventListener('hashchange', readAddress);
  }, [refresh]);

  const signOutHere = useCallback(async () => {
    await signOut();
    chooseWorkspace('');
    location.hash = '';
    setSession({ state: 'signed_out' });
  }, []);
  const onSignedOut = useCallback(() => setSession({ state: 'signed_out' }), []);

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
  if (session.state === 'signed_out') return <SignIn onSignedIn={refresh} />;

  const { me } = session;
  return (
    <>
      <header class="top">
        <a class="brand" href="#/">
          <Mark />
          Antiphon
        </a>
        <div class="who">
          <WorkspaceSelect me={me} onChosen={refresh} />
          <button type="button" class="plain" onClick={signOutHere}>
            Sign out
          </button>
        </div>
      </header>
      {agentId ? (
        <CallPage key={agentId} agentId={agentId} onSignedOut={onSignedOut} />
      ) : (
        <Agents key={me.workspace?.id} workspace={me.workspace} onSignedOut={onSignedOut} />
      )}
    </>
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
