import { ok } from '@oazapfts/runtime';
import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { fieldErrors } from '../data/field-errors.ts';
import { changeProblemText } from '../data/problem-text.ts';
import { fetchWithin } from '../data/requests.ts';
import { postToolsTest as testTool } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { CopyCurl } from '../ui/copy.tsx';
import { SelectField, TextArea, TextField } from '../ui/fields.tsx';
import { bodyOf, type ToolValues, valueErrors } from './tool-form.ts';
import { argumentsOf, objectOf, type ParameterRow, type Schema } from './tool-schema.ts';
import { TryOutResult } from './try-out-result.tsx';

/** The console waits this much longer than the tool's own time-out. */
const MARGIN_MS = 15_000;
const LONGEST_SECONDS = 30;

interface TryOutProps {
  /** As they are in the form, also when they are not saved. */
  values: ToolValues;
  /** Of a saved tool: covered header values are taken from it. */
  toolId?: string | undefined;
}

/** Sends one request of the tool, as it stands in the form, and shows what the model would receive. */
export function TryOut({ values, toolId }: TryOutProps) {
  const [typed, setTyped] = useState<Record<string, string>>({});
  const [text, setText] = useState('{}');
  const [wrong, setWrong] = useState<readonly string[]>([]);
  const { parameters } = values;
  const rows = parameters.as === 'table' ? parameters.rows.filter(({ name }) => name.trim() !== '') : null;

  const readArguments = (): { args: Schema; wrong: string[] } => {
    if (rows) return argumentsOf(rows, typed);
    const args = objectOf(text);
    return args ? { args, wrong: [] } : { args: {}, wrong: ['arguments'] };
  };
  const body = () => ({
    tool: bodyOf(values),
    ...(toolId !== undefined && { tool_id: toolId }),
    arguments: readArguments().args,
  });
  const testing = useMutation({
    mutationFn: () => {
      const fetch = fetchWithin((values.timeout_seconds ?? LONGEST_SECONDS) * 1_000 + MARGIN_MS);
      return ok(testTool(body(), {}, { fetch }));
    },
  });
  function submit(event: SubmitEvent) {
    event.preventDefault();
    const found = readArguments().wrong;
    setWrong(found);
    if (found.length === 0 && !testing.isPending) testing.mutate();
  }
  return (
    <section class="panel try-out" aria-labelledby="try-out-title">
      <h2 id="try-out-title">{t('Try it out')}</h2>
      <p class="quiet small">{t('Sends one request now, with what the form holds, saved or not.')}</p>
      <form class="form" noValidate onSubmit={submit}>
        {rows ? (
          rows.map((row) => (
            <ArgumentField
              key={row.name}
              row={row}
              value={typed[row.name] ?? ''}
              onChange={(value) => setTyped({ ...typed, [row.name]: value })}
              error={wrong.includes(row.name) ? t('This does not fit its type.') : undefined}
            />
          ))
        ) : (
          <TextArea
            code
            label={t('Arguments as JSON')}
            value={text}
            onChange={setText}
            error={wrong.length > 0 ? t('This is not a JSON object.') : undefined}
            rows={6}
          />
        )}
        <div class="buttons">
          <button type="submit" class="secondary" aria-disabled={testing.isPending}>
            {testing.isPending ? t('One moment…') : t('Send the request')}
          </button>
          <CopyCurl call={(opts) => testTool(body(), {}, opts)} />
        </div>
      </form>
      <div aria-live="polite">
        {testing.isError && <Refused error={testing.error} values={values} />}
        {testing.data && !testing.isPending && <TryOutResult result={testing.data} />}
      </div>
    </section>
  );
}

interface ArgumentFieldProps {
  row: ParameterRow;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
}

function ArgumentField({ row, value, onChange, error }: ArgumentFieldProps) {
  const label = row.required ? t('{{name}} (required)', { name: row.name }) : row.name;
  const common = { label, value, onChange, error };
  const choices = row.type === 'boolean' ? ['true', 'false'] : choicesOf(row);
  if (choices) {
    const options = choices.map((each) => ({ value: each, label: each }));
    return (
      <SelectField {...common} hint={row.description} options={[{ value: '', label: t('Left out') }, ...options]} />
    );
  }
  if (row.type === 'array' || row.type === 'object') {
    return <TextArea {...common} code hint={row.description || t('As JSON')} rows={3} />;
  }
  return <TextField {...common} hint={row.description} />;
}

const choicesOf = ({ type, rest }: ParameterRow): string[] | null =>
  type === 'string' && Array.isArray(rest.enum) && rest.enum.every((each) => typeof each === 'string')
    ? rest.enum
    : null;

/** Why no request was sent: what is wrong with the arguments, or with the fields of the form. */
function Refused({ error, values }: { error: unknown; values: ToolValues }) {
  const found = Object.entries({ ...fieldErrors(error), ...valueErrors(values) });
  if (found.length === 0) return <p class="error">{changeProblemText(error)}</p>;
  return (
    <ul class="error">
      {found.map(([path, text]) => (
        <li key={path}>{path === 'arguments' ? text : `${path.replace(/^tool\./, '')}: ${text}`}</li>
      ))}
    </ul>
  );
}
