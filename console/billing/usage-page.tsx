import { ok } from '@oazapfts/runtime';
import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import {
  type CallsSummary,
  getAgents as readAgents,
  getObservabilitySummary as readSummary,
  getBillingUsage as readUsage,
} from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { Chart } from '../ui/chart.tsx';
import { Loading, Problem } from '../ui/states.tsx';
import { AgentUsage } from './agent-usage.tsx';
import { BillingHead } from './billing-head.tsx';
import { type Currency, money } from './money.ts';
import { type DayOfUsage, daysAround, dayText, minutesText, monthsBetween, monthText } from './usage-texts.ts';

/** What was used in a month, day by day: of the workspace, or of the calls of one agent. */
export function UsagePage() {
  const { path, query, route } = useLocation();
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const month = /^20\d{2}-(0[1-9]|1[0-2])$/.test(query.month ?? '') ? query.month! : thisMonth();
  const agentId = query.agent ?? '';
  const usage = useQuery({
    queryKey: ['billing', 'usage', month],
    queryFn: ({ signal }) => ok(readUsage({ month, timezone }, { signal })),
    placeholderData: keepPreviousData,
  });
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => ok(readAgents({}, { signal })) });
  const ofAgent = useQuery({
    queryKey: ['billing', 'usage', month, agentId],
    queryFn: async ({ signal }) =>
      daysOf(await ok(readSummary({ agentId, ...daysAround(month), bucket: 'day', timezone }, { signal }))),
    enabled: agentId !== '',
  });
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(query);
    if (value === '') next.delete(name);
    else next.set(name, value);
    route(next.size === 0 ? path : `${path}?${next}`, true);
  };
  const shown = agentId === '' ? usage : ofAgent;
  const days: readonly DayOfUsage[] | undefined = agentId === '' ? usage.data?.daily : ofAgent.data;
  const currency = usage.data?.currency ?? 'INR';
  return (
    <main class="list-page billing-page">
      <BillingHead title={t('Usage')} />
      <search class="filters" aria-label={t('Filters')}>
        <label class="filter">
          <span>{t('Month')}</span>
          <select value={month} onChange={(event) => set('month', event.currentTarget.value)}>
            {monthsBetween(earlier(usage.data?.first_month ?? month, month), thisMonth()).map((each) => (
              <option key={each} value={each}>
                {monthText(each)}
              </option>
            ))}
          </select>
        </label>
        <label class="filter">
          <span>{t('Agent')}</span>
          <select value={agentId} onChange={(event) => set('agent', event.currentTarget.value)}>
            <option value="">{t('All agents')}</option>
            {(agents.data ?? []).map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </search>
      {days ? (
        <UsageOfDays days={days} currency={currency} ofAgent={agentId !== ''} />
      ) : shown.isPending ? (
        <Loading what={t('the usage')} />
      ) : (
        <Problem error={shown.error} what={t('the usage')} onRetry={() => void shown.refetch()} />
      )}
      {agentId === '' && agents.data && agents.data.length > 0 && (
        <AgentUsage agents={agents.data} month={month} timezone={timezone} currency={currency} />
      )}
    </main>
  );
}

const thisMonth = (): string => {
  const now = new Date();
  return `${now.getFullYear()}-${String(now.getMonth() + 1).padStart(2, '0')}`;
};
const earlier = (one: string, other: string): string => (one < other ? one : other);

/** Of a summary of calls: what usage has of each day. */
const daysOf = ({ items }: CallsSummary): DayOfUsage[] =>
  items.map(({ day, connected, avg_duration_seconds, cost_paise }) => ({
    day,
    calls: connected,
    minutes: (connected * avg_duration_seconds) / 60,
    spent_paise: cost_paise,
  }));

interface UsageOfDaysProps {
  days: readonly DayOfUsage[];
  currency: Currency;
  ofAgent: boolean;
}

function UsageOfDays({ days, currency, ofAgent }: UsageOfDaysProps) {
  const sum = (name: 'calls' | 'minutes' | 'spent_paise') => days.reduce((total, day) => total + day[name], 0);
  return (
    <section class="card" aria-labelledby="usage-title">
      <h2 id="usage-title">{t('By day')}</h2>
      <dl class="facts">
        <div>
          <dt>{t('Spent')}</dt>
          <dd>{money(sum('spent_paise'), currency)}</dd>
        </div>
        <div>
          <dt>{t('Connected calls')}</dt>
          <dd>{sum('calls').toLocaleString()}</dd>
        </div>
        <div>
          <dt>{t('Talked')}</dt>
          <dd>{minutesText(sum('minutes'))}</dd>
        </div>
      </dl>
      <Chart
        label={t('By day')}
        points={days.map(({ day }) => dayText(day))}
        series={[
          {
            label: t('Spent'),
            values: days.map(({ spent_paise }) => spent_paise),
            color: '--accent',
            kind: 'bars',
          },
        ]}
        format={(paise) => money(Math.round(paise), currency)}
      />
      <p class="quiet small">
        {ofAgent
          ? t('What the calls of this agent cost, by the day they began.')
          : t('Credits spent on calls, written prompts and tests. Fees are in the ledger.')}
      </p>
    </section>
  );
}
