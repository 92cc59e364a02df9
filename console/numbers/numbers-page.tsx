import { ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { changeProblemText } from '../data/problem-text.ts';
import { fetchWithin } from '../data/requests.ts';
import { useMay } from '../data/session.ts';
import {
  type Agent,
  postNumbersNumberConnect as connect,
  postNumbersNumberDisconnect as disconnect,
  type PhoneNumber,
  getAgents as readAgents,
  getNumbers as readNumbers,
  deleteNumbersNumber as release,
} from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { t } from '../texts/texts.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { dateText, feeText, numberFacts, numberStanding } from './number-texts.ts';
import { NumbersTabs } from './numbers-tabs.tsx';
import './numbers.css';

/** A carrier points the calls of a number anew, which takes it some seconds. */
const CARRIER_TIMEOUT_MS = 60_000;

/** The phone numbers of the workspace, who answers each, and what it costs. */
export function NumbersPage() {
  const mayManage = useMay()('numbers.manage');
  const [leaving, setLeaving] = useState<PhoneNumber | null>(null);
  const numbers = useQuery({ queryKey: ['numbers'], queryFn: ({ signal }) => ok(readNumbers({}, { signal })) });
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => ok(readAgents({}, { signal })) });
  return (
    <main class="wide-page">
      <div class="page-head">
        <Heading title={t('Numbers')} />
        {mayManage && (
          <a class="primary number-action" href="/numbers/buy">
            {t('Buy a number')}
          </a>
        )}
      </div>
      <NumbersTabs />
      {numbers.data ? (
        numbers.data.length === 0 ? (
          <Nothing title={t('There are no numbers yet.')}>
            {t(
              'Buy one, and choose the agent that answers its calls. Numbers of your own carrier are entered by our team.',
            )}
          </Nothing>
        ) : (
          <ul class="rows number-list" aria-label={t('Numbers')}>
            {numbers.data.map((number) => (
              <NumberRow
                key={number.number}
                number={number}
                agents={agents.data ?? []}
                onRelease={() => setLeaving(number)}
              />
            ))}
          </ul>
        )
      ) : numbers.isError ? (
        <Problem error={numbers.error} what={t('the numbers')} onRetry={() => void numbers.refetch()} />
      ) : (
        <Loading what={t('the numbers')} />
      )}
      {leaving && <ReleaseNumber number={leaving} onClose={() => setLeaving(null)} />}
    </main>
  );
}

interface NumberRowProps {
  number: PhoneNumber;
  agents: readonly Agent[];
  onRelease: () => void;
}

function NumberRow({ number, agents, onRelease }: NumberRowProps) {
  const mayManage = useMay()('numbers.manage');
  const { text, tone } = numberStanding(number);
  return (
    <li>
      <div class="row-text">
        <span class="phone-number">{number.number}</span>
        <span class="quiet small">{numberFacts(number)}</span>
        {number.caller_verification && <span class="quiet small">{t('Shows a caller id')}</span>}
      </div>
      <div class="number-agent">
        {mayManage ? (
          <AgentChoice number={number} agents={agents} />
        ) : number.agent_id ? (
          <a href={`/agents/${number.agent_id}`}>{number.agent_name}</a>
        ) : (
          <span class="quiet">{t('Nobody answers')}</span>
        )}
      </div>
      <div class="number-state">
        <span class="chip" data-tone={tone}>
          {text}
        </span>
        <span class="small">{feeText(number)}</span>
        {number.paid_until !== null && (
          <span class="quiet small">{t('Renews on {{date}}', { date: dateText(number.paid_until) })}</span>
        )}
        {number.past_due_since !== null && (
          <span class="error small">
            {t('Since {{date}}. It is released after 7 days. Add credits.', { date: dateText(number.past_due_since) })}
          </span>
        )}
      </div>
      {mayManage && (
        <button
          type="button"
          class="plain"
          aria-label={t('Release {{name}}', { name: number.number })}
          onClick={onRelease}
        >
          {t('Release')}
        </button>
      )}
    </li>
  );
}

/** Who answers the number; a choice counts at once, and can be taken back. */
function AgentChoice({ number, agents }: Omit<NumberRowProps, 'onRelease'>) {
  const client = useQueryClient();
  const connecting = useMutation({
    mutationFn: (agentId: string) =>
      agentId === ''
        ? ok(disconnect(number.number))
        : ok(connect(number.number, { agent_id: agentId }, {}, { fetch: fetchWithin(CARRIER_TIMEOUT_MS) })),
    onSuccess: (changed, agentId) => {
      const before = number.agent_id ?? '';
      client.setQueryData<PhoneNumber[]>(['numbers'], (all) =>
        all?.map((each) => (each.number === changed.number ? changed : each)),
      );
      void client.invalidateQueries({ queryKey: ['agents'] });
      if (agentId === before) return;
      const text =
        agentId === ''
          ? t('Nobody answers {{number}} now.', { number: number.number })
          : t('{{name}} answers {{number}} now.', { name: changed.agent_name, number: number.number });
      toast(text, { undo: () => connecting.mutate(before) });
    },
    onError: (error) => toast(changeProblemText(error), { tone: 'error' }),
  });
  const chosen = connecting.isPending ? connecting.variables : (number.agent_id ?? '');
  const isListed = agents.some(({ id }) => id === number.agent_id);
  return (
    <select
      aria-label={t('Who answers {{number}}', { number: number.number })}
      value={chosen}
      disabled={connecting.isPending}
      onChange={(event) => connecting.mutate(event.currentTarget.value)}
    >
      <option value="">{t('Nobody answers')}</option>
      {number.agent_id !== null && !isListed && <option value={number.agent_id}>{number.agent_name}</option>}
      {agents.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

function ReleaseNumber({ number, onClose }: { number: PhoneNumber; onClose: () => void }) {
  const client = useQueryClient();
  const releasing = useMutation({
    mutationFn: () => ok(release(number.number)),
    onSuccess: async () => {
      toast(t('{{name}} was released.', { name: number.number }));
      await client.invalidateQueries({ queryKey: ['numbers'] });
      void client.invalidateQueries({ queryKey: ['caller-ids'] });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={t('Release {{name}}?', { name: number.number })}
      action={t('Release')}
      busy={releasing.isPending}
      error={releasing.isError ? changeProblemText(releasing.error) : undefined}
      onConfirm={() => releasing.mutate()}
      onClose={onClose}
    >
      <p>
        {t(
          'The workspace gives the number up at once, without a refund. Calls on it are no longer answered, and somebody else may get it.',
        )}
      </p>
    </ConfirmDialog>
  );
}
