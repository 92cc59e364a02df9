import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';

/** Fields of forms: a label, the control, a hint under the label, and under the control what is wrong. */

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
}

interface Described {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean;
}

interface FieldFrameProps extends FieldProps {
  children: (described: Described) => ComponentChildren;
}

function Field({ label, hint, error, children }: FieldFrameProps) {
  const id = useId();
  const describedBy = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ');
  return (
    <div class="form-field">
      <label for={id}>{label}</label>
      {hint && (
        <p class="quiet hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children({ id, 'aria-describedby': describedBy || undefined, 'aria-invalid': Boolean(error) })}
      {error && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  type?: 'text' | 'email' | 'password' | 'url' | 'tel' | 'search' | 'date' | 'datetime-local' | 'time';
  placeholder?: string;
  autocomplete?: string;
  maxLength?: number;
  required?: boolean;
  disabled?: boolean;
}

export function TextField({
  label,
  hint,
  error,
  value,
  onChange,
  type = 'text',
  autocomplete = 'off',
  ...rest
}: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(described) => {
        const attributes = {
          ...rest,
          ...described,
          type,
          autocomplete,
          value,
        } as InputHTMLAttributes<HTMLInputElement>;
        return <input {...attributes} onInput={(event) => onChange(event.currentTarget.value)} />;
      }}
    </Field>
  );
}

interface NumberFieldProps extends FieldProps {
  /** Null: empty. */
  value: number | null;
  onChange: (value: number | null) => void;
  min?: number;
  max?: number;
  step?: number | 'any';
  /** Behind the number, such as `ms`. */
  unit?: string;
  disabled?: boolean;
}

export function NumberField({ label, hint, error, value, onChange, unit, step = 'any', ...rest }: NumberFieldProps) {
  return (
    <Field label={unit ? `${label} (${unit})` : label} hint={hint} error={error}>
      {(described) => (
        <input
          {...rest}
          {...described}
          type="number"
          step={step}
          inputMode="decimal"
          value={value ?? ''}
          onInput={(event) => {
            const { value: text, valueAsNumber } = event.currentTarget;
            onChange(text === '' || Number.isNaN(valueAsNumber) ? null : valueAsNumber);
          }}
        />
      )}
    </Field>
  );
}

interface TextAreaProps extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  rows?: number;
  maxLength?: number;
  placeholder?: string;
  /** For code and JSON. */
  code?: boolean;
}

export function TextArea({ label, hint, error, value, onChange, rows = 4, code = false, ...rest }: TextAreaProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(described) => (
        <textarea
          {...rest}
          {...described}
          rows={rows}
          class={code ? 'code' : undefined}
          spellcheck={!code}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export interface Option {
  value: string;
  label: string;
  disabled?: boolean;
}

interface SelectFieldProps extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  options: readonly Option[];
  disabled?: boolean;
}

export function SelectField({ label, hint, error, value, onChange, options, disabled }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(described) => (
        <select
          {...described}
          disabled={disabled}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {options.map((each) => (
            <option key={each.value} value={each.value} disabled={each.disabled}>
              {each.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckFieldProps extends FieldProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

/** A box to check, with its label behind it. */
export function CheckField({ label, hint, error, checked, onChange, disabled }: CheckFieldProps) {
  const id = useId();
  return (
    <div class="check-field">
      <input
        type="checkbox"
        id={id}
        checked={checked}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <div>
        <label for={id}>{label}</label>
        {hint && (
          <p class="quiet hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
        {error && <p class="error">{error}</p>}
      </div>
    </div>
  );
}
