import { t } from '../texts/texts.ts';
import { CheckField } from '../ui/fields.tsx';
import { type Scope, scopeGroups } from './scopes.ts';

interface ScopeFieldProps {
  /** Null: everything that keys may do. */
  value: readonly Scope[] | null;
  error: string | undefined;
  onChange: (value: Scope[] | null) => void;
}

/** Chooses what a key or an app may do: everything, or some of a table. */
export function ScopeField({ value, error, onChange }: ScopeFieldProps) {
  const toggle = (scope: Scope, checked: boolean) =>
    onChange(checked ? [...(value ?? []), scope] : (value ?? []).filter((each) => each !== scope));
  return (
    <fieldset class="scope-field">
      <legend>{t('What it may do')}</legend>
      <CheckField
        label={t('Everything that keys may do')}
        checked={value === null}
        onChange={(checked) => onChange(checked ? null : [])}
      />
      {value !== null && (
        <table class="table scopes">
          <thead>
            <tr>
              <th scope="col">
                <span class="hidden-title">{t('What')}</span>
              </th>
              <th scope="col">{t('Read')}</th>
              <th scope="col">{t('Change')}</th>
            </tr>
          </thead>
          <tbody>
            {scopeGroups().map(({ name, read, write }) => (
              <tr key={read}>
                <th scope="row">{name}</th>
                <td>
                  <ScopeBox
                    label={t('{{name}} (read)', { name })}
                    checked={value.includes(read)}
                    onChange={(checked) => toggle(read, checked)}
                  />
                </td>
                <td>
                  {write && (
                    <ScopeBox
                      label={t('{{name}} (change)', { name })}
                      checked={value.includes(write)}
                      onChange={(checked) => toggle(write, checked)}
                    />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {error && <p class="error">{error}</p>}
    </fieldset>
  );
}

interface ScopeBoxProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

const ScopeBox = ({ label, checked, onChange }: ScopeBoxProps) => (
  <input
    type="checkbox"
    aria-label={label}
    checked={checked}
    onChange={(event) => onChange(event.currentTarget.checked)}
  />
);
