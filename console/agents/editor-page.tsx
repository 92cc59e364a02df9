import { HttpError, ok } from '@oazapfts/runtime';
import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { type ComponentType, createElement } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { changeProblemText } from '../data/problem-text.ts';
import { useMay } from '../data/session.ts';
import {
  type Agent,
  getAgentsAgentId as readAgent,
  type SavedAgent,
  putAgentsAgentId as saveAgent,
  postAgentsAgentIdVersions as saveAgentVersion,
} from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { t, tn } from '../texts/texts.ts';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { Loading, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { AgentHead, useAgent } from './agent-head.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { draftOf, merged, requestOf } from './draft.ts';
import { GroupList } from './group-list.tsx';
import { AfterGroup } from './groups/after-group.tsx';
import { CallGroup } from './groups/call-group.tsx';
import { GuardrailsGroup } from './groups/guardrails-group.tsx';
import { KnowledgeGroup } from './groups/knowledge-group.tsx';
import { ListeningGroup } from './groups/listening-group.tsx';
import { ModelGroup } from './groups/model-group.tsx';
import { NumberGroup } from './groups/number-group.tsx';
import { ToolsGroup } from './groups/tools-group.tsx';
import { TransfersGroup } from './groups/transfers-group.tsx';
import { VoiceGroup } from './groups/voice-group.tsx';
import { WordsGroup } from './groups/words-group.tsx';
import { type GroupName, groupOf, groups } from './groups.ts';
import { SavePanel } from './save-panel.tsx';
import { fieldLabel } from './settings.ts';
import { type Editor, useDraft } from './use-draft.ts';
import './editor.css';

const GROUPS: Record<GroupName, ComponentType<{ editor: Editor }>> = {
  words: WordsGroup,
  voice: VoiceGroup,
  listening: ListeningGroup,
  model: ModelGroup,
  tools: ToolsGroup,
  knowledge: KnowledgeGroup,
  transfers: TransfersGroup,
  guardrails: GuardrailsGroup,
  call: CallGroup,
  after: AfterGroup,
  number: NumberGroup,
};

/** Every setting of one agent, in groups; the chosen group is in the address. */
export function EditorPage() {
  const { agent_id: agentId = '' } = useRoute().params;
  const agent = useAgent(agentId);
  if (agent.data) return <AgentEditor agent={agent.data} />;
  return (
    <main class="wide-page">
      <Heading title={t('Agent')} />
      {agent.isPending ? (
        <Loading what={t('the agent')} />
      ) : (
        <Problem error={agent.error} what={t('the agent')} onRetry={() => void agent.refetch()} />
      )}
    </main>
  );
}

function AgentEditor({ agent }: { agent: Agent }) {
  const { path, query, route } = useLocation();
  const client = useQueryClient();
  const state = useDraft(agent, useMay()('agents.edit'));
  const { base, draft, errors, changed } = state;
  const [warnings, setWarnings] = useState<SavedAgent['warnings']>([]);
  const [theirs, setTheirs] = useState<Agent | null>(null);
  const form = useRef<HTMLDivElement>(null);
  const refused = useRef(false);
  const leaving = useRef('');
  const wrong = Object.keys(errors);
  const group = groups().find(({ name }) => name === query.part)?.name ?? 'words';
  const choose = (name: GroupName) => route(name === 'words' ? path : `${path}?part=${name}`, true);

  const onRefused = (error: unknown) => {
    const paths = state.showErrors(error);
    if (paths.length === 0) return toast(changeProblemText(error), { tone: 'error' });
    refused.current = true;
    if (!paths.some((each) => groupOf(each) === group)) choose(groupOf(paths[0]!));
  };

  const save = useMutation({
    mutationFn: () => ok(saveAgent(base.id, requestOf(draft), { ifMatch: String(base.version) })),
    onSuccess: ({ warnings: found = [], ...saved }) => {
      client.setQueryData(['agent', saved.id], saved);
      void client.invalidateQueries({ queryKey: ['agents'] });
      state.rebase(saved);
      setWarnings(found);
      toast(t('Saved as version {{version}}.', { version: saved.version }));
    },
    onError: async (error) => {
      if (error instanceof HttpError && error.status === 409) {
        const now = await ok(readAgent(base.id)).catch(() => null);
        if (now && now.version !== base.version) return setTheirs(now);
      }
      onRefused(error);
    },
  });
  const saveVersion = useMutation({
    mutationFn: () => ok(saveAgentVersion(base.id, requestOf(draft))),
    onSuccess: ({ version }) => {
      void client.invalidateQueries({ queryKey: ['agent-versions', base.id] });
      leaving.current = `/agents/${base.id}/versions`;
      state.rebase(base);
      toast(t('Saved as version {{version}}, which no call uses yet.', { version }));
    },
    onError: onRefused,
  });
  // Once nothing is unsaved, so that one is not asked whether to leave.
  useEffect(() => {
    if (leaving.current === '' || changed.length > 0) return;
    route(leaving.current);
    leaving.current = '';
  });
  const onSave = () =>
    save.mutateAsync().then(
      () => true,
      () => false,
    );

  // After a refusal the first wrong field of the group has the focus.
  useEffect(() => {
    if (!refused.current || !wrong.some((each) => groupOf(each) === group)) return;
    refused.current = false;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  });

  return (
    <main class="wide-page editor-page">
      <AgentHead agent={agent} />
      {agent.status === 'frozen' && (
        <p class="notice urgent">
          {t('This agent is frozen and takes no calls, because it broke the rule “{{rule}}”.', {
            rule: agent.frozen_reason,
          })}{' '}
          <button type="button" class="plain" onClick={() => choose('guardrails')}>
            {t('See Guardrails')}
          </button>
        </p>
      )}
      {changed.length > 0 && agent.version > base.version && (
        <p class="notice urgent" role="status">
          {t('{{name}} changed this agent meanwhile. You are asked what to keep when you save.', {
            name: agent.updated_by,
          })}
        </p>
      )}
      <Messages
        title={tn('{{count}} setting could not be saved:', '{{count}} settings could not be saved:', wrong.length)}
        items={Object.entries(errors)}
        onChoose={choose}
      />
      <Messages
        title={t('It was saved, but:')}
        items={(warnings ?? []).map(({ loc, msg }) => [loc.slice(1).join('.'), msg])}
        onChoose={choose}
      />
      <div class="editor">
        <GroupList chosen={group} changed={changed} wrong={wrong} onChoose={choose} />
        <div class="editor-form form" ref={form}>
          <fieldset disabled={!state.mayEdit} class="editor-fields">
            <legend class="hidden-title">{groups().find(({ name }) => name === group)!.title}</legend>
            {createElement(GROUPS[group], { key: group, editor: state })}
          </fieldset>
        </div>
        <SavePanel
          state={state}
          saving={save.isPending || saveVersion.isPending}
          onSave={onSave}
          onSaveVersion={() => saveVersion.mutate()}
        />
      </div>
      <LeaveGuard changed={changed.length > 0} />
      {theirs && (
        <ConflictDialog
          base={base}
          mine={draft}
          theirs={theirs}
          onMerge={() => {
            state.rebase(theirs, merged(draftOf(base), draft, draftOf(theirs)));
            client.setQueryData(['agent', theirs.id], theirs);
            setTheirs(null);
            toast(t('Both are in the draft. Save it when it is right.'));
          }}
          onTakeTheirs={() => {
            state.rebase(theirs);
            client.setQueryData(['agent', theirs.id], theirs);
            setTheirs(null);
          }}
          onClose={() => setTheirs(null)}
        />
      )}
    </main>
  );
}

interface MessagesProps {
  title: string;
  items: readonly (readonly [path: string, text: string])[];
  onChoose: (group: GroupName) => void;
}

/** What the API says of some settings, each with the way to its group. */
function Messages({ title, items, onChoose }: MessagesProps) {
  if (items.length === 0) return null;
  return (
    <div class="notice urgent" role="alert">
      <p>{title}</p>
      <ul>
        {items.map(([path, text]) => (
          <li key={path}>
            <button type="button" class="message-link" onClick={() => onChoose(groupOf(path))}>
              {fieldLabel(path)}
            </button>{' '}
            {text}
          </li>
        ))}
      </ul>
    </div>
  );
}
