import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { getTools, type Tool } from '../../generated/api.ts';
import { t } from '../../texts/texts.ts';
import type { AgentTool } from '../draft.ts';
import { Section } from '../setting.tsx';
import { errorsOfTool, ToolDialog, toolOf } from '../tool-dialog.tsx';
import type { Editor } from '../use-draft.ts';
import { McpServers } from './mcp-servers.tsx';

const MAX_TOOLS = 50;

/** What the model can call: tools of the service, and HTTP tools of the workspace. */
export function ToolsGroup({ editor }: { editor: Editor }) {
  const { draft, errors, mayEdit } = editor;
  const [editing, setEditing] = useState<number | null>(null);
  const tools = draft.tools;
  const put = (next: AgentTool[]) => editor.set('tools', next);
  return (
    <>
      <Section
        title={t('Tools of this agent')}
        hint={t('With a tool the agent reads or changes something in your systems during the call.')}
      >
        {errors.tools && <p class="error">{errors.tools}</p>}
        {tools.length === 0 && <p class="quiet">{t('None yet.')}</p>}
        <ul class="rows" aria-label={t('Tools of this agent')}>
          {tools.map((tool, at) => (
            <li key={at}>
              <span class="row-text">
                <strong>{tool.name}</strong>
                <span class="quiet small">{tool.description}</span>
                <span class="quiet small">
                  {tool.kind === 'client' ? t('The page of a browser call') : `${tool.method} ${tool.url}`}
                </span>
                {Object.values(errorsOfTool(errors, at)).map((each) => (
                  <span key={each} class="error small">
                    {each}
                  </span>
                ))}
              </span>
              <button
                type="button"
                class="plain"
                aria-label={t('Edit {{name}}', { name: tool.name })}
                onClick={() => setEditing(at)}
              >
                {t('Edit')}
              </button>
              <button
                type="button"
                class="plain"
                aria-label={t('Remove {{name}}', { name: tool.name })}
                onClick={() => put(tools.filter((_, index) => index !== at))}
              >
                {t('Remove')}
              </button>
            </li>
          ))}
        </ul>
        {mayEdit && tools.length < MAX_TOOLS && (
          <div class="buttons">
            <AddSaved present={tools} onAdd={(tool) => put([...tools, tool])} />
            <button type="button" class="secondary" onClick={() => setEditing(tools.length)}>
              {t('New tool')}
            </button>
          </div>
        )}
      </Section>
      <McpServers editor={editor} />
      <BuiltInTools editor={editor} />
      {editing !== null && (
        <ToolDialog
          tool={tools[editing]}
          errors={errorsOfTool(errors, editing)}
          onClose={() => setEditing(null)}
          onDone={(tool) => {
            put(editing < tools.length ? tools.map((each, at) => (at === editing ? tool : each)) : [...tools, tool]);
            setEditing(null);
          }}
        />
      )}
    </>
  );
}

/** Copies one of the workspace's saved tools into the agent. */
function AddSaved({ present, onAdd }: { present: readonly AgentTool[]; onAdd: (tool: AgentTool) => void }) {
  const saved = useQuery({ queryKey: ['tools'], queryFn: ({ signal }) => ok(getTools({}, { signal })) });
  const names = new Set(present.map(({ name }) => name));
  const left = (saved.data ?? []).filter(({ name }: Tool) => !names.has(name));
  if (left.length === 0) return null;
  return (
    <label class="add-saved">
      <span class="hidden-title">{t('Add a saved tool')}</span>
      <select
        value=""
        onChange={(event) => {
          const tool = left.find(({ id }) => id === event.currentTarget.value);
          if (tool) onAdd(toolOf(tool));
          event.currentTarget.value = '';
        }}
      >
        <option value="">{t('Add a saved tool')}</option>
        {left.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function BuiltInTools({ editor }: { editor: Editor }) {
  const { call } = editor.draft;
  const all: [name: string, on: boolean, text: string][] = [
    ['end_call', true, t('Ends the call. Every agent has it.')],
    ['transfer_call', call.transfer_enabled, t('Hands the call to a person: see Transfers.')],
    ['reschedule_call', call.auto_reschedule, t('Books a call back: see Call.')],
    ['pause_recording', call.recording_pause, t('Pauses the recording: see Call.')],
  ];
  return (
    <Section title={t('Built in')}>
      <ul class="rows" aria-label={t('Built in')}>
        {all.map(([name, on, text]) => (
          <li key={name}>
            <span class="row-text">
              <code>{name}</code>
              <span class="quiet small">{text}</span>
            </span>
            <span class="chip" data-tone={on ? 'good' : undefined}>
              {on ? t('On') : t('Off')}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
