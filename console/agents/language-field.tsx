import { SelectField } from '../ui/fields.tsx';
import { languageName } from './language-names.ts';
import { useCatalog } from './queries.ts';

interface LanguageFieldProps {
  label: string;
  hint?: string;
  error?: string | undefined;
  value: string;
  onChange: (value: string) => void;
}

/** Chooses a language that a voice or a transcriber knows. */
export function LanguageField({ value, ...rest }: LanguageFieldProps) {
  const { data } = useCatalog();
  const codes = (data?.languages ?? []).map(({ code }) => code);
  const options = [...new Set([...codes, value])]
    .filter(Boolean)
    .map((code) => ({ value: code, label: languageName(code) }));
  return <SelectField {...rest} value={value} options={options.toSorted((a, b) => a.label.localeCompare(b.label))} />;
}
