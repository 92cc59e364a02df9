import { t } from '../texts/texts.ts';
import { TextField } from '../ui/fields.tsx';
import type { ToolFieldsProps } from './tool-form.ts';

const MAX_VARIABLES = 20;

/** What becomes of a JSON answer: what the model gets of it, which variables take a value, and what is said. */
export function ResultFields({ values, onChange, errors }: ToolFieldsProps) {
  const rows = values.result_variables;
  const set = (next: typeof rows) => onChange('result_variables', next);
  const change = (at: number, to: Partial<(typeof rows)[number]>) =>
    set(rows.map((each, index) => (index === at ? { ...each, ...to } : each)));
  const wrong = Object.entries(errors).find(([path]) => path.startsWith('results.variables'))?.[1];
  return (
    <fieldset class="tool-rows">
      <legend>{t('What becomes of the answer')}</legend>
      <TextField
        label={t('What the model gets')}
        hint={t('A place in the JSON, like order.items[0]. Left empty: all of it.')}
        value={values.result_path}
        onChange={(value) => onChange('result_path', value)}
        error={errors['results.path']}
        maxLength={200}
      />
      <p class="quiet hint">
        {t('Variables that take a value of the JSON, for the prompt, for headers and for what is said.')}
      </p>
      {rows.map(({ name, path }, at) => (
        <div key={at} class="header-row">
          <input
            aria-label={t('Name of variable {{count}}', { count: at + 1 })}
            placeholder="order_id"
            autocomplete="off"
            spellcheck={false}
            value={name}
            onInput={(event) => change(at, { name: event.currentTarget.value })}
          />
          <input
            aria-label={t('Place of variable {{count}}', { count: at + 1 })}
            placeholder="order.id"
            autocomplete="off"
            spellcheck={false}
            value={path}
            onInput={(event) => change(at, { path: event.currentTarget.value })}
          />
          <button
            type="button"
            class="plain"
            aria-label={t('Remove variable {{count}}', { count: at + 1 })}
            onClick={() => set(rows.filter((_, index) => index !== at))}
          >
            {t('Remove')}
          </button>
        </div>
      ))}
      {wrong && <p class="error">{wrong}</p>}
      {rows.length < MAX_VARIABLES && (
        <div class="buttons">
          <button type="button" class="secondary" onClick={() => set([...rows, { name: '', path: '' }])}>
            {t('Add a variable')}
          </button>
        </div>
      )}
      <TextField
        label={t('Said after it')}
        hint={t('The agent says this after a success, without asking its model. Left empty: the model answers.')}
        placeholder={t('Your order {order_id} is on its way.')}
        value={values.result_message}
        onChange={(value) => onChange('result_message', value)}
        error={errors['results.message']}
        maxLength={1_000}
      />
    </fieldset>
  );
}
