import { useEffect, useRef, useState } from 'preact/hooks';
import { SearchIcon } from '../icons.tsx';
import { t } from '../texts/texts.ts';
import type { Option } from './fields.tsx';

/** Filters above a list: each changes the page's address. */

const TYPING_PAUSE_MS = 300;

interface FilterProps {
  name: string;
  value: string;
  onChange: (value: string) => void;
}

/** What is typed counts after a pause, so that not every letter is a request. */
export function FilterText({ name, value, onChange, placeholder }: FilterProps & { placeholder?: string }) {
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <div class="search">
      <SearchIcon />
      <input
        type="search"
        aria-label={name}
        placeholder={placeholder ?? name}
        value={typed}
        onInput={(event) => {
          const next = event.currentTarget.value;
          setTyped(next);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => onChange(next.trim()), TYPING_PAUSE_MS);
        }}
      />
    </div>
  );
}

export function FilterChoice({ name, value, onChange, options }: FilterProps & { options: readonly Option[] }) {
  return (
    <label class="filter">
      <span>{name}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{t('Any')}</option>
        {options.map((each) => (
          <option key={each.value} value={each.value}>
            {each.label}
          </option>
        ))}
      </select>
    </label>
  );
}

export function FilterDay({ name, value, onChange }: FilterProps) {
  return (
    <label class="filter">
      <span>{name}</span>
      <input type="date" value={value} onChange={(event) => onChange(event.currentTarget.value)} />
    </label>
  );
}
