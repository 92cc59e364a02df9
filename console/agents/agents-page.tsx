import { ok } from '@oazapfts/runtime';
import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { changeProblemText } from '../data/problem-text.ts';
import { useMay, useSession } from '../data/session.ts';
import {
  type Agent,
  deleteAgentsAgentId as deleteAgent,
  postAgentsAgentIdDuplicate as duplicateAgent,
} from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { SearchIcon } from '../icons.tsx';
import { t } from '../texts/texts.ts';
import { DeleteDialog } from '../ui/delete-dialog.tsx';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { useVirtualRows } from '../ui/use-virtual-rows.ts';
import { AgentRow, columns, ROW_HEIGHT_PX } from './agent-row.tsx';
import { pinnedFirst, searchAgents } from './agent-search.ts';
import { NewAgentDialog } from './new-agent-dialog.tsx';
import { useAgents } from './queries.ts';
import { usePins } from './use-pins.ts';
import './agents.css';

/** Every agent of the workspace, those first that the person pinned. */
export function AgentsPage() {
  const { me } = useSession();
  const mayEdit = useMay()('agents.edit');
  const agents = useAgents();
  const pins = usePins();
  const [words, setWords] = useState('');
  const [making, setMaking] = useState(false);
  const all = agents.data ?? [];
  const shown = pinnedFirst(searchAgents(all, words), pins.pinned);

  return (
    <main class="wide-page">
      <div class="page-head">
        <Heading title={t('Agents')} />
        {mayEdit && all.length > 0 && (
          <button type="button" class="primary head-button" onClick={() => setMaking(true)}>
            {t('New agent')}
          </button>
        )}
      </div>
      {agents.isPending ? (
        <Loading what={t('the agents')} />
      ) : agents.isError && all.length === 0 ? (
        <Problem error={agents.error} what={t('the agents')} onRetry={() => void agents.refetch()} />
      ) : all.length === 0 ? (
        <FirstAgent workspace={me.workspace?.name ?? ''} mayEdit={mayEdit} onStart={() => setMaking(true)} />
      ) : (
        <>
          <search class="agent-search">
            <div class="search">
              <SearchIcon />
              <input
                type="search"
                aria-label={t('Search agents')}
                placeholder={t('Search')}
                value={words}
                onInput={(event) => setWords(event.currentTarget.value)}
              />
              <span class="quiet" role="status">
                {t('{{shown}} of {{all}}', { shown: shown.length, all: all.length })}
              </span>
            </div>
          </search>
          {shown.length === 0 ? (
            <Nothing title={t('No agent is called that.')} />
          ) : (
            <AgentList agents={shown} pinned={pins.pinned} onPin={(id) => void pins.toggle(id)} />
          )}
        </>
      )}
      {making && <NewAgentDialog onClose={() => setMaking(false)} />}
    </main>
  );
}

function FirstAgent({ workspace, mayEdit, onStart }: { workspace: string; mayEdit: boolean; onStart: () => void }) {
  if (!mayEdit) {
    return (
      <Nothing title={t('There are no agents yet.')}>
        {t('Ask an admin or a member who edits agents to make the first one.')}
      </Nothing>
    );
  }
  return (
    <section class="first-agent">
      <h2>{t('Make the first agent of {{workspace}}', { workspace })}</h2>
      <p class="quiet">
        {t('An agent answers calls and makes them. Say in your words what it should do, then talk to it at once.')}
      </p>
      <button type="button" class="primary" onClick={onStart}>
        {t('New agent')}
      </button>
    </section>
  );
}

interface AgentListProps {
  agents: readonly Agent[];
  pinned: ReadonlySet<string>;
  onPin: (agentId: string) => void;
}

function AgentList({ agents, pinned, onPin }: AgentListProps) {
  const { list, rows, heightPx } = useVirtualRows(agents.length, ROW_HEIGHT_PX);
  const { route } = useLocation();
  const client = useQueryClient();
  const [toDelete, setToDelete] = useState<Agent | null>(null);
  const duplicate = useMutation({
    mutationFn: ({ id }: Agent) => ok(duplicateAgent(id)),
    onSuccess: (copy) => {
      void client.invalidateQueries({ queryKey: ['agents'] });
      toast(t('{{name}} was made.', { name: copy.name }));
      route(`/agents/${copy.id}`);
    },
    onError: (error) => toast(changeProblemText(error), { tone: 'error' }),
  });
  return (
    <div class="agent-list">
      <div class="agent-row agent-titles" aria-hidden="true">
        {columns().map(({ name, title }) => (
          <span key={name} data-cell={name}>
            {title}
          </span>
        ))}
      </div>
      <ol
        class="agent-rows"
        aria-label={t('Agents')}
        ref={list as { current: HTMLOListElement | null }}
        style={{ height: `${heightPx}px` }}
      >
        {rows
          .filter(({ index }) => index < agents.length)
          .map(({ index, start }) => {
            const agent = agents[index]!;
            return (
              <AgentRow
                key={agent.id}
                agent={agent}
                topPx={start - (list.current?.offsetTop ?? 0)}
                pinned={pinned.has(agent.id)}
                onPin={() => onPin(agent.id)}
                onDuplicate={() => duplicate.mutate(agent)}
                onDelete={() => setToDelete(agent)}
              />
            );
          })}
      </ol>
      {toDelete && <DeleteAgent agent={toDelete} onClose={() => setToDelete(null)} />}
    </div>
  );
}

/** Asks before an agent is removed, since that cannot be undone. */
function DeleteAgent({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const client = useQueryClient();
  return (
    <DeleteDialog
      name={agent.name}
      send={() => ok(deleteAgent(agent.id))}
      onDeleted={() => {
        client.setQueryData<Agent[]>(['agents'], (all) => all?.filter(({ id }) => id !== agent.id));
        void client.invalidateQueries({ queryKey: ['agents'] });
        toast(t('{{name}} was deleted.', { name: agent.name }));
        onClose();
      }}
      onClose={onClose}
    >
      <p>
        {agent.phone_number === ''
          ? t('Its waiting calls will not be made. Its past calls stay. This cannot be undone.')
          : t(
              'Its waiting calls will not be made, and nobody answers {{number}} any more. Its past calls stay. This cannot be undone.',
              {
                number: agent.phone_number,
              },
            )}
      </p>
    </DeleteDialog>
  );
}
