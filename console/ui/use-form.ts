import { useCallback, useState } from 'preact/hooks';
import { fieldErrors } from '../data/field-errors.ts';

export interface Form<Values> {
  values: Values;
  set: <Name extends keyof Values>(name: Name, value: Values[Name]) => void;
  /** Something was changed since the form was opened or saved. */
  changed: boolean;
  /** What is wrong, by the field's path in the request, such as `name` or `voice.language`. */
  errors: Record<string, string>;
  /** Shows what a failed request says of its fields. @returns false when it says nothing of them. */
  showErrors: (error: unknown) => boolean;
  /** Begins anew with these values. */
  reset: (values: Values) => void;
}

/** The values of a form, whether they were changed, and what the API says is wrong with them. */
export function useForm<Values extends object>(initial: Values): Form<Values> {
  const [saved, setSaved] = useState(initial);
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const set = useCallback(<Name extends keyof Values>(name: Name, value: Values[Name]) => {
    setValues((before) => ({ ...before, [name]: value }));
    setErrors((before) => without(before, String(name)));
  }, []);
  const showErrors = useCallback((error: unknown) => {
    const found = fieldErrors(error);
    setErrors(found);
    return Object.keys(found).length > 0;
  }, []);
  const reset = useCallback((next: Values) => {
    setSaved(next);
    setValues(next);
    setErrors({});
  }, []);
  const changed = values !== saved && JSON.stringify(values) !== JSON.stringify(saved);
  return { values, set, changed, errors, showErrors, reset };
}

/** The errors but those of a field and what lies within it. */
const without = (errors: Record<string, string>, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(errors).filter(([path]) => path !== name && !path.startsWith(`${name}.`)));
