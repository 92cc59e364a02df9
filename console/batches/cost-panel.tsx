import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { money } from '../billing/money.ts';
import { getAgentsAgentIdPricing } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { NumberField } from '../ui/fields.tsx';
import { costOf } from './new-batch-values.ts';

const USUAL_MINUTES = 2;

interface CostPanelProps {
  agentId: string;
  contacts: number;
  attempts: number;
}

/** What the calls will cost, by the price of a minute with this agent and how long they are likely to last. */
export function CostPanel({ agentId, contacts, attempts }: CostPanelProps) {
  const [minutes, setMinutes] = useState<number | null>(USUAL_MINUTES);
  const pricing = useQuery({
    queryKey: ['agent-pricing', agentId, 'phone'],
    queryFn: ({ signal }) => ok(getAgentsAgentIdPricing(agentId, { channel: 'phone' }, { signal })),
  });
  if (!pricing.data) return null;
  const { total_paise_per_minute, currency } = pricing.data;
  const { paise, most_paise } = costOf(contacts, attempts, minutes ?? 0, total_paise_per_minute);
  return (
    <section class="cost-panel" aria-label={t('Cost')}>
      <NumberField
        label={t('A call lasts about')}
        unit={t('minutes')}
        value={minutes}
        onChange={setMinutes}
        min={0}
        step={0.5}
      />
      <div role="status">
        <p class="figure">{money(paise, currency)}</p>
        <p class="quiet small">
          {attempts > 1
            ? t(
                'At {{price}} for a minute, when everybody is called once; {{most}} when everybody is called {{times}} times.',
                {
                  price: money(total_paise_per_minute, currency),
                  most: money(most_paise, currency),
                  times: attempts,
                },
              )
            : t('At {{price}} for a minute, when everybody answers.', {
                price: money(total_paise_per_minute, currency),
              })}
        </p>
      </div>
    </section>
  );
}
