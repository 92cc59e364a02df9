import { ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { changeProblemText } from '../../data/problem-text.ts';
import { useMay } from '../../data/session.ts';
import {
  postNumbersNumberConnect as connect,
  postNumbersNumberDisconnect as disconnect,
  getNumbers,
} from '../../generated/api.ts';
import { t } from '../../texts/texts.ts';
import { SelectField } from '../../ui/fields.tsx';
import { Loading, Nothing, Problem } from '../../ui/states.tsx';
import { toast } from '../../ui/toasts.tsx';
import { Section } from '../setting.tsx';
import type { Editor } from '../use-draft.ts';

/** The numbers that this agent answers. They change at once, and are no part of the draft. */
export function NumberGroup({ editor: { agent } }: { editor: Editor }) {
  const client = useQueryClient();
  const mayManage = useMay()('numbers.manage');
  const numbers = useQuery({
    queryKey: ['editor', 'numbers'],
    queryFn: ({ signal }) => ok(getNumbers({}, { signal })),
  });
  const [chosen, setChosen] = useState('');
  const onChanged = () => {
    for (const key of [['editor', 'numbers'], ['numbers'], ['agents'], ['agent', agent.id]]) {
      void client.invalidateQueries({ queryKey: key });
    }
  };
  const change = useMutation({
    mutationFn: async ({ number, on }: { number: string; on: boolean }) =>
      on ? ok(connect(number, { agent_id: agent.id })) : ok(disconnect(number)),
    onSuccess: () => {
      setChosen('');
      onChanged();
    },
    onError: (error) => toast(changeProblemText(error), { tone: 'error' }),
  });

  if (numbers.isPending) return <Loading what={t('the numbers')} />;
  if (numbers.isError) {
    return <Problem error={numbers.error} what={t('the numbers')} onRetry={() => void numbers.refetch()} />;
  }
  const active = numbers.data.filter(({ status }) => status !== 'released');
  const own = active.filter(({ agent_id }) => agent_id === agent.id);
  const others = active.filter(({ agent_id }) => agent_id !== agent.id);
  return (
    <Section
      title={t('Numbers this agent answers')}
      hint={t('Who calls such a number talks to this agent. A change counts at once.')}
    >
      {own.length === 0 ? (
        <Nothing title={t('Nobody can call this agent by telephone yet.')}>
          {active.length === 0 && <a href="/numbers">{t('Get a number')}</a>}
        </Nothing>
      ) : (
        <ul class="rows" aria-label={t('Numbers this agent answers')}>
          {own.map(({ number }) => (
            <li key={number}>
              <span class="row-text">
                <strong>{number}</strong>
              </span>
              {mayManage && (
                <button type="button" class="plain" onClick={() => change.mutate({ number, on: false })}>
                  {t('Disconnect')}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {mayManage && others.length > 0 && (
        <>
          <SelectField
            label={t('Another number')}
            hint={t('A number that another agent answers moves to this one.')}
            value={chosen}
            options={[
              { value: '', label: t('Choose a number') },
              ...others.map(({ number, agent_name }) => ({
                value: number,
                label: agent_name ? t('{{number}}, now {{agent}}', { number, agent: agent_name }) : number,
              })),
            ]}
            onChange={setChosen}
          />
          <div class="buttons">
            <button
              type="button"
              class="secondary"
              aria-disabled={chosen === '' || change.isPending}
              onClick={() => {
                if (chosen !== '' && !change.isPending) change.mutate({ number: chosen, on: true });
              }}
            >
              {t('Connect')}
            </button>
          </div>
        </>
      )}
    </Section>
  );
}
