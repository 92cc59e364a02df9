import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { type Agent, getNumbers } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { CheckField } from '../ui/fields.tsx';

interface CallerNumbersProps {
  agent: Pick<Agent, 'phone_number'>;
  chosen: readonly string[];
  onChange: (numbers: string[]) => void;
  error?: string | undefined;
}

/** The workspace's numbers to call from, used in turn. */
export function CallerNumbers({ agent, chosen, onChange, error }: CallerNumbersProps) {
  const numbers = useQuery({ queryKey: ['numbers'], queryFn: ({ signal }) => ok(getNumbers({}, { signal })) });
  const active = (numbers.data ?? []).filter(({ status }) => status === 'active');
  if (numbers.data && active.length === 0) {
    return (
      <p class="notice urgent">
        {t('The workspace has no number to call from.')} <a href="/numbers">{t('Get a number')}</a>
      </p>
    );
  }
  if (active.length < 2) {
    const number = active[0]?.number ?? agent.phone_number;
    return number === '' ? null : <p class="quiet">{t('Calls come from {{number}}.', { number })}</p>;
  }
  return (
    <fieldset class="choices">
      <legend>{t('Call from')}</legend>
      <p class="quiet hint">
        {t('Several are used in turn. With none chosen, calls come from the agent’s own number.')}
      </p>
      {active.map(({ number }) => (
        <CheckField
          key={number}
          label={number}
          checked={chosen.includes(number)}
          onChange={(on) => onChange(on ? [...chosen, number] : chosen.filter((each) => each !== number))}
        />
      ))}
      {error && <p class="error">{error}</p>}
    </fieldset>
  );
}
