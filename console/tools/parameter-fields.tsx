import { useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { TextArea } from '../ui/fields.tsx';
import { type Parameters, schemaIn } from './tool-form.ts';
import { NEW_PARAMETER, PARAMETER_TYPES, type ParameterRow, type ParameterType, tableOf } from './tool-schema.ts';

interface ParameterFieldsProps {
  parameters: Parameters;
  onChange: (parameters: Parameters) => void;
  error?: string | undefined;
}

/** What the model gives a tool: as a table, or as JSON Schema where a table is not enough. */
export function ParameterFields({ parameters, onChange, error }: ParameterFieldsProps) {
  const [refusal, setRefusal] = useState('');
  function showAs(as: Parameters['as']) {
    setRefusal('');
    const schema = schemaIn(parameters);
    if (as === 'json') return onChange({ as, text: JSON.stringify(schema, null, 2) });
    const table = schema && tableOf(schema);
    if (table) onChange({ as, ...table });
    else setRefusal(t('A table cannot show all of this: it stays JSON Schema.'));
  }
  return (
    <fieldset class="tool-rows">
      <legend>{t('Parameters')}</legend>
      <p class="quiet hint">{t('What the model fills in from the conversation.')}</p>
      <div class="view-choice">
        {(['table', 'json'] as const).map((as) => (
          <button key={as} type="button" aria-pressed={parameters.as === as} onClick={() => showAs(as)}>
            {as === 'table' ? t('Table') : t('JSON Schema')}
          </button>
        ))}
      </div>
      {parameters.as === 'table' ? (
        <ParameterRows rows={parameters.rows} onChange={(rows) => onChange({ ...parameters, rows })} />
      ) : (
        <TextArea
          code
          label={t('JSON Schema of the parameters')}
          rows={12}
          value={parameters.text}
          onChange={(text) => onChange({ as: 'json', text })}
        />
      )}
      {(error || refusal) && (
        <p class="error" role="alert">
          {error || refusal}
        </p>
      )}
    </fieldset>
  );
}

interface ParameterRowsProps {
  rows: readonly ParameterRow[];
  onChange: (rows: readonly ParameterRow[]) => void;
}

function ParameterRows({ rows, onChange }: ParameterRowsProps) {
  const change = (at: number, to: Partial<ParameterRow>) =>
    onChange(rows.map((each, index) => (index === at ? { ...each, ...to } : each)));
  return (
    <>
      {rows.map(({ name, type, description, required }, at) => (
        <fieldset key={at} class="parameter-row" aria-label={name || t('New parameter')}>
          <input
            aria-label={t('Name')}
            placeholder={t('Name')}
            autocomplete="off"
            spellcheck={false}
            value={name}
            onInput={(event) => change(at, { name: event.currentTarget.value })}
          />
          <select
            aria-label={t('Type')}
            value={type}
            onChange={(event) => change(at, { type: event.currentTarget.value as ParameterType })}
          >
            {PARAMETER_TYPES.map((each) => (
              <option key={each} value={each}>
                {typeText(each)}
              </option>
            ))}
          </select>
          <input
            class="parameter-description"
            aria-label={t('Description')}
            placeholder={t('Description, for the model')}
            value={description}
            onInput={(event) => change(at, { description: event.currentTarget.value })}
          />
          <label class="parameter-required">
            <input
              type="checkbox"
              checked={required}
              onChange={(event) => change(at, { required: event.currentTarget.checked })}
            />
            {t('Required')}
          </label>
          <button
            type="button"
            class="plain"
            aria-label={t('Remove {{name}}', { name: name || t('New parameter') })}
            onClick={() => onChange(rows.filter((_, index) => index !== at))}
          >
            {t('Remove')}
          </button>
        </fieldset>
      ))}
      <div>
        <button type="button" class="secondary" onClick={() => onChange([...rows, NEW_PARAMETER])}>
          {t('Add a parameter')}
        </button>
      </div>
    </>
  );
}

function typeText(type: ParameterType): string {
  if (type === 'string') return t('Text');
  if (type === 'integer') return t('Whole number');
  if (type === 'number') return t('Decimal number');
  if (type === 'boolean') return t('Yes or no');
  return type === 'array' ? t('List') : t('Object');
}
