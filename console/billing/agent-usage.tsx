import { ok } from '@oazapfts/runtime';
import { useQueries } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { type Agent, getObservabilitySummary as readSummary } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { type Currency, money } from './money.ts';
import { daysAround } from './usage-texts.ts';

/** Each agent is a request of its own. */
const MOST_AGENTS = 20;

interface AgentUsageProps {
  agents: readonly Pick<Agent, 'id' | 'name'>[];
  month: string;
  timezone: string;
  currency: Currency;
}

/** What the calls of each agent cost in the month. */
export function AgentUsage({ agents, month, timezone, currency }: AgentUsageProps) {
  const { path } = useLocation();
  const shown = agents.slice(0, MOST_AGENTS);
  const totals = useQueries({
    queries: shown.map(({ id }) => ({
      queryKey: ['billing', 'usage', month, id, 'total'],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        ok(readSummary({ agentId: id, ...daysAround(month), bucket: 'day', timezone }, { signal })),
    })),
  });
  const rows = shown
    .map((agent, at) => ({ ...agent, totals: totals[at]?.data?.totals }))
    .toSorted((a, b) => (b.totals?.cost_paise ?? 0) - (a.totals?.cost_paise ?? 0));
  return (
    <section class="card" aria-labelledby="agent-usage-title">
      <h2 id="agent-usage-title">{t('By agent')}</h2>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{t('Agent')}</th>
            <th scope="col" class="number">
              {t('Connected calls')}
            </th>
            <th scope="col" class="number">
              {t('Cost')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, name, totals }) => (
            <tr key={id}>
              <td>
                <a href={`${path}?month=${month}&agent=${id}`}>{name}</a>
              </td>
              <td class="number">{totals ? totals.connected.toLocaleString() : '…'}</td>
              <td class="number">{totals ? money(totals.cost_paise, currency) : '…'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {agents.length > MOST_AGENTS && (
        <p class="quiet small">
          {t('These are {{shown}} of {{all}} agents; choose another one above.', {
            shown: MOST_AGENTS,
            all: agents.length,
          })}
        </p>
      )}
    </section>
  );
}
