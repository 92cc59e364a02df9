import type { InputHTMLAttributes, Ref } from 'preact';

interface FormFieldProps {
  /** Also the input's id. */
  name: string;
  label: string;
  /** Under the label, all the time. */
  hint?: string;
  /** Under the input: what is wrong with it. */
  error?: string | undefined;
  /** Id of an error text elsewhere that is about this input too. */
  errorElsewhere?: string | undefined;
  inputRef?: Ref<HTMLInputElement>;
  type?: 'text' | 'email' | 'password';
  inputMode?: 'text' | 'decimal';
  autocomplete: string;
  maxLength: number;
  required?: boolean;
}

/** A label, its input, and what is wrong with it. */
export function FormField({ name, label, hint, error, errorElsewhere, inputRef, ...input }: FormFieldProps) {
  const described = [error ? `${name}-error` : '', errorElsewhere ?? '', hint ? `${name}-hint` : ''].filter(Boolean);
  const attributes = {
    ...input,
    ref: inputRef,
    id: name,
    name,
    'aria-describedby': described.join(' ') || undefined,
    'aria-invalid': Boolean(error || errorElsewhere),
    // Preact has a type of its own for each value of `type`.
  } as InputHTMLAttributes<HTMLInputElement>;
  return (
    <div class="form-field">
      <label for={name}>{label}</label>
      {hint && (
        <p class="quiet hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      <input {...attributes} />
      {error && (
        <p class="error" id={`${name}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
