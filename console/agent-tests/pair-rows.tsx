import { useId } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { TextArea, TextField } from '../ui/fields.tsx';
import type { Pair } from './scenario-values.ts';

interface PairRowsProps {
  legend: string;
  hint: string;
  nameLabel: string;
  valueLabel: string;
  addLabel: string;
  pairs: readonly Pair[];
  onChange: (pairs: Pair[]) => void;
  /** Values are texts of several lines. */
  long?: boolean;
  /** Names that are likely. */
  names?: readonly string[];
  error?: string | undefined;
}

/** Rows of a name and its value, to add and remove. */
export function PairRows(props: PairRowsProps) {
  const { legend, hint, nameLabel, valueLabel, addLabel, pairs, onChange, long = false, names = [], error } = props;
  const id = useId();
  const change = (at: number, part: Partial<Pair>) => onChange(pairs.with(at, { ...pairs[at]!, ...part }));
  const unused = names.filter((name) => !pairs.some((pair) => pair.name === name));
  const Value = long ? TextArea : TextField;
  return (
    <fieldset class="row-fields" aria-describedby={`${id}-hint`}>
      <legend>{legend}</legend>
      <p class="quiet hint" id={`${id}-hint`}>
        {hint}
      </p>
      {pairs.map(({ name, value }, at) => (
        <div key={at} class="row-field pair">
          <TextField label={nameLabel} value={name} onChange={(next) => change(at, { name: next })} maxLength={64} />
          <Value
            label={valueLabel}
            value={value}
            onChange={(next) => change(at, { value: next })}
            {...(long && { rows: 2 })}
          />
          <button
            type="button"
            class="plain"
            aria-label={t('Remove {{name}}', { name: name || nameLabel })}
            onClick={() => onChange(pairs.toSpliced(at, 1))}
          >
            {t('Remove')}
          </button>
        </div>
      ))}
      {error && <p class="error">{error}</p>}
      <div class="buttons">
        {unused.map((name) => (
          <button key={name} type="button" class="secondary" onClick={() => onChange([...pairs, { name, value: '' }])}>
            {t('Add {{name}}', { name })}
          </button>
        ))}
        <button type="button" class="secondary" onClick={() => onChange([...pairs, { name: '', value: '' }])}>
          {addLabel}
        </button>
      </div>
    </fieldset>
  );
}
