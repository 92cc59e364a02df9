import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useMay } from '../data/session.ts';
import {
  getAgents as readAgents,
  getBilling as readBalance,
  getCalls as readCalls,
  getNumbers as readNumbers,
} from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { firstSteps } from './first-steps.ts';

/** What is left to do from an empty workspace to a number that answers; nothing once all is done. */
export function FirstSteps() {
  const may = useMay();
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => ok(readAgents({}, { signal })) });
  const calls = useQuery({
    queryKey: ['calls', 'any'],
    queryFn: ({ signal }) => ok(readCalls({ limit: 1 }, { signal })),
  });
  const numbers = useQuery({ queryKey: ['numbers'], queryFn: ({ signal }) => ok(readNumbers({}, { signal })) });
  const balance = useQuery({
    ...{ queryKey: ['balance'], enabled: may('billing.view') },
    queryFn: ({ signal }) => ok(readBalance({}, { signal })),
  });
  if (!may('agents.edit') || !agents.data || !calls.data || !numbers.data) return null;
  const steps = firstSteps({
    agentId: agents.data[0]?.id ?? '',
    hasCalls: calls.data.items.length > 0,
    // Who may not see the credits cannot add any.
    hasCredits: !balance.data || balance.data.credits_paise > 0,
    hasNumber: numbers.data.some(({ agent_id }) => agent_id !== null),
  });
  const next = steps.findIndex(({ done }) => !done);
  if (next === -1) return null;
  return (
    <section class="panel" aria-labelledby="steps-title">
      <h2 id="steps-title">{t('To a number that answers')}</h2>
      <ol class="first-steps">
        {steps.map(({ title, text, href, done }, at) => (
          <li key={title} data-done={done}>
            <span class="step-mark" aria-hidden="true">
              {done ? '✓' : at + 1}
            </span>
            <span>
              {done ? title : <a href={href}>{title}</a>}
              <span class="hidden-title">{done ? t(', done') : t(', to do')}</span>
              <span class="quiet small">{text}</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
