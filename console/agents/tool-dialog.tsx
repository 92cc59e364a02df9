import { useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { ToolFields } from '../tools/tool-fields.tsx';
import { bodyOf, NEW_TOOL, valueErrors, valuesOf } from '../tools/tool-form.ts';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/fields.tsx';
import type { AgentTool } from './draft.ts';

const DEFAULT_TIMEOUT_SECONDS = 8;

/** What an agent has of a saved tool: its settings, which no longer follow it. */
export function toolOf({ kind, name, description, parameters, method, url, headers, ...rest }: AgentTool): AgentTool {
  const { pre_call_message, timeout_seconds, results } = rest;
  return { kind, name, description, parameters, method, url, headers, pre_call_message, timeout_seconds, results };
}

/** The errors of the tool at this place, by the path within it. */
export function errorsOfTool(errors: Record<string, string>, at: number): Record<string, string> {
  const start = `tools.${at}.`;
  const own = Object.entries(errors).filter(([path]) => path.startsWith(start));
  return Object.fromEntries(own.map(([path, text]) => [path.slice(start.length), text]));
}

interface ToolDialogProps {
  /** Undefined: a new one. */
  tool: AgentTool | undefined;
  errors: Record<string, string>;
  onDone: (tool: AgentTool) => void;
  onClose: () => void;
}

/** Edits one HTTP tool of the draft. */
export function ToolDialog({ tool, errors, onDone, onClose }: ToolDialogProps) {
  const [values, setValues] = useState(() => (tool ? valuesOf(tool) : NEW_TOOL));
  const [wrong, setWrong] = useState(errors);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    const found = valueErrors(values);
    setWrong(found);
    if (Object.keys(found).length === 0) onDone({ timeout_seconds: DEFAULT_TIMEOUT_SECONDS, ...bodyOf(values) });
  }

  return (
    <Dialog title={tool ? t('Edit {{name}}', { name: tool.name }) : t('New tool')} wide onClose={onClose}>
      <form class="form wide-form" onSubmit={submit} noValidate>
        <SelectField
          label={t('Who runs it')}
          hint={t('A page gets the name and the arguments by onToolCall; telephone calls do not have such a tool.')}
          value={values.kind}
          onChange={(kind) => setValues({ ...values, kind: kind as typeof values.kind })}
          error={wrong.kind}
          options={[
            { value: 'http', label: t('Your server, by HTTP') },
            { value: 'client', label: t('The page of a browser call') },
          ]}
        />
        <ToolFields
          values={values}
          errors={wrong}
          onChange={(name, value) => {
            setWrong({});
            setValues({ ...values, [name]: value });
          }}
        />
        <div class="buttons">
          <button type="submit" class="primary">
            {t('Put into the draft')}
          </button>
          <button type="button" class="plain" onClick={onClose}>
            {t('Cancel')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
