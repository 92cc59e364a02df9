import { useEffect, useState } from 'preact/hooks';
import { searchAgents } from './agent-search.ts';
import { listAgents } from './api.ts';
import type { Agent } from './api-records.ts';
import { useSession } from './data/session.ts';
import { Heading } from './heading.tsx';
import { SearchIcon } from './icons.tsx';
import './agents.css';

/** Lists the workspace's agents to choose one to call. */
export function Agents() {
  const { me, onSignedOut } = useSession();
  const { workspace } = me;
  const [agents, setAgents] = useState<Agent[] | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [query, setQuery] = useState('');

  useEffect(() => {
    void listAgents().then((result) => {
      if (result.ok) setAgents(result.value);
      else if (result.status === 401) onSignedOut();
      else if (result.status === 403) setError(result.detail || 'You may not see the agents of this workspace.');
      else setError('The agents could not be loaded. Reload the page to try again.');
    });
  }, [onSignedOut]);

  const matches = searchAgents(agents ?? [], query);
  return (
    <main class="list-page">
      <Heading title="Choose an agent" />
      {error && (
        <p class="notice" role="alert">
          {error}
        </p>
      )}
      {agents && agents.length === 0 && (
        <div class="empty">
          <p>There are no agents in {workspace?.name ?? 'this workspace'} yet.</p>
          <p class="quiet">
            Create the first one with <code>POST /api/v1/agents</code>, then come back to talk to it.
          </p>
        </div>
      )}
      {agents && agents.length > 0 && (
        <>
          <div class="search">
            <SearchIcon />
            <input
              type="search"
              aria-label="Search agents"
              placeholder="Search"
              value={query}
              onInput={(event) => setQuery(event.currentTarget.value)}
            />
            <span class="quiet" role="status">
              {matches.length} of {agents.length}
            </span>
          </div>
          {matches.length === 0 && <p class="quiet empty">No agent is called that.</p>}
          <ul class="agents">
            {matches.map((agent) => (
              <li key={agent.id}>
                <a href={`/agents/${agent.id}`}>
                  <Initial name={agent.name} />
                  <span class="agent-text">
                    <span class="agent-name">{agent.name}</span>
                    <span class="quiet">
                      {[agent.phone_number, agent.voice.language, agent.llm.model].filter(Boolean).join(' · ')}
                    </span>
                  </span>
                  {agent.status !== 'active' && <span class="chip">{agent.status}</span>}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </main>
  );
}

export function Initial({ name }: { name: string }) {
  return (
    <span class="initial" aria-hidden="true">
      {[...name.trim()][0]?.toUpperCase() ?? '·'}
    </span>
  );
}
