import { ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { formProblemText } from '../data/problem-text.ts';
import { useMay } from '../data/session.ts';
import {
  deleteToolsToolId as deleteTool,
  postTools as postTool,
  putToolsToolId as putTool,
  getAgents as readAgents,
  getTools as readTools,
  type Tool,
} from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { BackIcon } from '../icons.tsx';
import { t, tn } from '../texts/texts.ts';
import { CopyCurl } from '../ui/copy.tsx';
import { DeleteDialog } from '../ui/delete-dialog.tsx';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { useForm } from '../ui/use-form.ts';
import { ToolFields } from './tool-fields.tsx';
import { bodyOf, NEW_TOOL, valueErrors, valuesOf } from './tool-form.ts';
import { TryOut } from './try-out.tsx';
import './tools.css';

/** A tool that is not saved yet. */
export const NewToolPage = () => (
  <main class="wide-page">
    <BackToTools />
    <ToolEditor />
  </main>
);

/** One saved tool. */
export function ToolPage() {
  const { tool_id = '' } = useRoute().params;
  const tools = useQuery({ queryKey: ['tools'], queryFn: ({ signal }) => ok(readTools({}, { signal })) });
  const tool = tools.data?.find(({ id }) => id === tool_id);
  return (
    <main class="wide-page">
      <BackToTools />
      {tool ? (
        <ToolEditor key={tool.id} tool={tool} />
      ) : tools.isPending ? (
        <Loading what={t('the tool')} />
      ) : (
        <>
          <Heading title={t('Tools')} />
          {tools.isError ? (
            <Problem error={tools.error} what={t('the tool')} onRetry={() => void tools.refetch()} />
          ) : (
            <Nothing title={t('There is nothing here any more.')} />
          )}
        </>
      )}
    </main>
  );
}

const BackToTools = () => (
  <a class="back" href="/tools">
    <BackIcon /> {t('All tools')}
  </a>
);

function ToolEditor({ tool }: { tool?: Tool }) {
  const mayEdit = useMay()('agents.edit');
  const client = useQueryClient();
  const { route } = useLocation();
  const [own, setOwn] = useState<Record<string, string>>({});
  const [deleting, setDeleting] = useState(false);
  const form = useForm(tool ? valuesOf(tool) : NEW_TOOL);
  const saving = useMutation({
    mutationFn: () => (tool ? ok(putTool(tool.id, bodyOf(form.values))) : ok(postTool(bodyOf(form.values)))),
    onSuccess: (saved) => {
      client.setQueryData<Tool[]>(['tools'], (before) =>
        tool ? before?.map((each) => (each.id === saved.id ? saved : each)) : before && [saved, ...before],
      );
      void client.invalidateQueries({ queryKey: ['tools'] });
      form.reset(valuesOf(saved));
      toast(t('{{name}} is saved.', { name: saved.name }));
      if (!tool) route(`/tools/${saved.id}`, true);
    },
    onError: (error) => void form.showErrors(error),
  });
  const errors = { ...form.errors, ...own };
  function submit(event: SubmitEvent) {
    event.preventDefault();
    const found = valueErrors(form.values);
    setOwn(found);
    if (Object.keys(found).length === 0 && !saving.isPending) saving.mutate();
  }
  return (
    <>
      <div class="page-head">
        <Heading title={tool ? tool.name : t('New tool')} />
        {tool && mayEdit && (
          <button type="button" class="danger head-end" onClick={() => setDeleting(true)}>
            {t('Delete')}
          </button>
        )}
      </div>
      {tool && <UsedBy tool={tool} />}
      <div class="tool-columns">
        <form class="form" noValidate onSubmit={submit}>
          <fieldset class="tool-fields" disabled={!mayEdit}>
            <ToolFields
              values={form.values}
              errors={errors}
              onChange={(name, value) => {
                setOwn({});
                form.set(name, value);
              }}
            />
          </fieldset>
          {mayEdit && (
            <>
              <p class="error" role="alert">
                {formProblemText(saving.error)}
              </p>
              <div class="buttons">
                <button type="submit" class="primary" aria-disabled={saving.isPending}>
                  {saving.isPending ? t('One moment…') : t('Save')}
                </button>
                <CopyCurl
                  call={(opts) =>
                    tool ? putTool(tool.id, bodyOf(form.values), {}, opts) : postTool(bodyOf(form.values), {}, opts)
                  }
                />
              </div>
            </>
          )}
        </form>
        {mayEdit && <TryOut values={form.values} toolId={tool?.id} />}
      </div>
      <LeaveGuard changed={form.changed && !saving.isPending} />
      {tool && deleting && (
        <DeleteTool
          tool={tool}
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            form.reset(form.values);
            route('/tools', true);
          }}
        />
      )}
    </>
  );
}

/** Agents have copies, which stay as they are; named, so that one can change them too. */
function UsedBy({ tool }: { tool: Tool }) {
  const agents = useQuery({
    queryKey: ['agents'],
    queryFn: ({ signal }) => ok(readAgents({}, { signal })),
    enabled: tool.used_by_agents > 0,
  });
  if (tool.used_by_agents === 0)
    return <p class="quiet">{t('No agent uses it. Add it in the settings of an agent.')}</p>;
  const using = agents.data?.filter(({ tools }) =>
    tools.some(({ name, url }) => name === tool.name && url === tool.url),
  );
  return (
    <p class="quiet">
      {tn(
        'Used by {{count}} agent, with a copy of its own:',
        'Used by {{count}} agents, with copies of their own:',
        tool.used_by_agents,
      )}{' '}
      {using?.map(({ id, name }, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <a href={`/agents/${id}`}>{name}</a>
        </span>
      ))}
    </p>
  );
}

function DeleteTool({ tool, onClose, onDeleted }: { tool: Tool; onClose: () => void; onDeleted: () => void }) {
  const client = useQueryClient();
  return (
    <DeleteDialog
      name={tool.name}
      send={() => ok(deleteTool(tool.id))}
      onDeleted={() => {
        onDeleted();
        toast(t('{{name}} was deleted.', { name: tool.name }));
        void client.invalidateQueries({ queryKey: ['tools'] });
      }}
      onClose={onClose}
    >
      <p>
        {tool.used_by_agents === 0
          ? t('No agent uses it. This cannot be undone.')
          : tn(
              '{{count}} agent uses it and keeps its copy. This cannot be undone.',
              '{{count}} agents use it and keep their copies. This cannot be undone.',
              tool.used_by_agents,
            )}
      </p>
    </DeleteDialog>
  );
}
