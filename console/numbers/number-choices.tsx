import { t } from '../texts/texts.ts';
import { CheckField } from '../ui/fields.tsx';

/** Numbers in one request. */
const MAX_NUMBERS = 20;

interface NumberChoicesProps {
  numbers: readonly string[];
  /** Those of other open requests. */
  taken: ReadonlySet<string>;
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  error: string | undefined;
}

/** Chooses the numbers that show a caller id. */
export function NumberChoices({ numbers, taken, chosen, onChange, error }: NumberChoicesProps) {
  const isFull = chosen.length >= MAX_NUMBERS;
  return (
    <fieldset class="number-choices">
      <legend>{t('Numbers that show it')}</legend>
      <p class="quiet hint">{t('1 to 20 active numbers.')}</p>
      {numbers.map((number) => {
        const isChosen = chosen.includes(number);
        return (
          <CheckField
            key={number}
            label={number}
            {...(taken.has(number) && { hint: t('in another request') })}
            checked={isChosen}
            disabled={taken.has(number) || (isFull && !isChosen)}
            onChange={(checked) => onChange(checked ? [...chosen, number] : chosen.filter((each) => each !== number))}
          />
        );
      })}
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
