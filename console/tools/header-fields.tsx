import type { InputHTMLAttributes } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import type { HeaderRow } from './tool-form.ts';

interface HeaderFieldsProps {
  headers: readonly HeaderRow[];
  onChange: (headers: readonly HeaderRow[]) => void;
  /** What is wrong, by `headers` or `headers.<name>`. */
  errors: Readonly<Record<string, string>>;
}

/** The headers of a tool's request. Their values are secrets, covered until one asks to see them. */
export function HeaderFields({ headers, onChange, errors }: HeaderFieldsProps) {
  const [shown, setShown] = useState(false);
  const change = (at: number, to: Partial<HeaderRow>) =>
    onChange(headers.map((each, index) => (index === at ? { ...each, ...to } : each)));
  return (
    <fieldset class="tool-rows">
      <legend>{t('Headers')}</legend>
      <p class="quiet hint">{t('For a key of your service. The values are secrets: they are stored encrypted.')}</p>
      {headers.map(({ name, value }, at) => (
        <div key={at} class="header-row">
          <input
            aria-label={t('Name of header {{count}}', { count: at + 1 })}
            placeholder="Authorization"
            autocomplete="off"
            spellcheck={false}
            value={name}
            onInput={(event) => change(at, { name: event.currentTarget.value })}
          />
          <SecretInput
            label={t('Value of header {{count}}', { count: at + 1 })}
            shown={shown}
            value={value}
            onChange={(to) => change(at, { value: to })}
          />
          <button
            type="button"
            class="plain"
            aria-label={t('Remove header {{count}}', { count: at + 1 })}
            onClick={() => onChange(headers.filter((_, index) => index !== at))}
          >
            {t('Remove')}
          </button>
          {errors[`headers.${name.trim()}`] && <p class="error">{errors[`headers.${name.trim()}`]}</p>}
        </div>
      ))}
      {errors.headers && <p class="error">{errors.headers}</p>}
      <div class="buttons">
        <button type="button" class="secondary" onClick={() => onChange([...headers, { name: '', value: '' }])}>
          {t('Add a header')}
        </button>
        {headers.length > 0 && (
          <button type="button" class="plain" aria-pressed={shown} onClick={() => setShown(!shown)}>
            {shown ? t('Hide the values') : t('Show the values')}
          </button>
        )}
      </div>
    </fieldset>
  );
}

interface SecretInputProps {
  label: string;
  shown: boolean;
  value: string;
  onChange: (value: string) => void;
}

function SecretInput({ label, shown, value, onChange }: SecretInputProps) {
  const attributes = {
    ...{ 'aria-label': label, type: shown ? 'text' : 'password', placeholder: 'Bearer …', value },
    ...{ autocomplete: 'off', spellcheck: false },
    // Preact has a type of its own for each value of `type`.
  } as InputHTMLAttributes<HTMLInputElement>;
  return <input {...attributes} onInput={(event) => onChange(event.currentTarget.value)} />;
}
