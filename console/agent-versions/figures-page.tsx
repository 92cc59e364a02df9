import { ok } from '@oazapfts/runtime';
import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useLocation, useRoute } from 'preact-iso';
import { AgentHead, useAgent } from '../agents/agent-head.tsx';
import { type Currency, money } from '../billing/money.ts';
import { endText } from '../calls/call-texts.ts';
import {
  type AgentLatency,
  type CallsSummary,
  getAgentsAgentIdLatency as readLatency,
  getObservabilitySummary as readSummary,
} from '../generated/api.ts';
import { language, t, tn } from '../texts/texts.ts';
import { Chart } from '../ui/chart.tsx';
import { latencyText, lengthText, percentText } from '../ui/format.ts';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { hasCalls, type Measured, periodOf, pointText, RANGES, type Range, rangeIn } from './figures.ts';
import './figures.css';

/** Calls go on while one looks. */
const REFRESH_MS = 60_000;

/** How an agent's calls went in a time: how many, how quickly it answered, what they cost and why they ended. */
export function FiguresPage() {
  const { agent_id = '' } = useRoute().params;
  const { query, path, route } = useLocation();
  const range = rangeIn(query);
  // Days and hours are those of the person who looks, as all times of the console.
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const agent = useAgent(agent_id);
  const summary = useQuery({
    queryKey: ['agent-summary', agent_id, range.name],
    queryFn: ({ signal }) =>
      ok(readSummary({ agentId: agent_id, timezone, ...periodOf(range, Date.now()) }, { signal })),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  const latency = useQuery({
    queryKey: ['agent-latency', agent_id, range.days],
    queryFn: ({ signal }) => ok(readLatency(agent_id, { days: range.days, timezone }, { signal })),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  const failed = [agent, summary, latency].find(({ isError, data }) => isError && !data);
  return (
    <main class="wide-page">
      {failed ? (
        <Problem error={failed.error} what={t('the figures')} onRetry={() => void failed.refetch()} />
      ) : !agent.data || !summary.data || !latency.data ? (
        <Loading what={t('the figures')} />
      ) : (
        <>
          <AgentHead agent={agent.data} />
          <RangeChoice range={range} onChange={(name) => route(`${path}?range=${name}`, true)} />
          {hasCalls(summary.data) ? (
            <Figures summary={summary.data} latency={latency.data} range={range} />
          ) : (
            <Nothing title={t('This agent had no calls in this time.')}>
              <a href={`/agents/${agent_id}/talk`}>{t('Talk to the agent')}</a>
            </Nothing>
          )}
        </>
      )}
    </main>
  );
}

const rangeText = ({ name, days }: Range): string =>
  name === '24h' ? t('24 hours') : tn('{{count}} day', '{{count}} days', days);

function RangeChoice({ range, onChange }: { range: Range; onChange: (name: string) => void }) {
  return (
    <fieldset class="choice-row" aria-label={t('Time')}>
      {RANGES.map((each) => (
        <button
          key={each.name}
          type="button"
          class="secondary"
          aria-pressed={each.name === range.name}
          onClick={() => onChange(each.name)}
        >
          {rangeText(each)}
        </button>
      ))}
    </fieldset>
  );
}

interface FiguresProps {
  summary: CallsSummary;
  latency: AgentLatency;
  range: Range;
}

function Figures({ summary, latency, range }: FiguresProps) {
  const { items, hangup_reasons } = summary;
  const currency = summary.currency as Currency;
  const points = items.map(({ day }) => pointText(day, language()));
  return (
    <>
      <Totals summary={summary} />
      <div class="figure-columns">
        <section class="panel" aria-labelledby="calls-title">
          <h2 id="calls-title">{t('Calls')}</h2>
          <Chart
            label={t('Calls')}
            points={points}
            format={countText}
            series={[
              { label: t('All'), values: items.map(({ calls }) => calls), color: '--edge', kind: 'bars' },
              {
                label: t('Answered'),
                values: items.map(({ connected }) => connected),
                color: '--accent',
                kind: 'bars',
              },
              { label: t('Failed'), values: items.map(({ failed }) => failed), color: '--danger', kind: 'bars' },
            ]}
          />
        </section>
        <section class="panel" aria-labelledby="reply-title">
          <h2 id="reply-title">{t('Time until the agent answers')}</h2>
          <Chart
            label={t('Time until the agent answers')}
            points={points}
            format={latencyText}
            series={[
              { label: t('Half within'), values: items.map((each) => each.first_audio_p50_ms), color: '--accent' },
              { label: t('95 % within'), values: items.map((each) => each.first_audio_p95_ms), color: '--warning' },
            ]}
          />
        </section>
        <section class="panel" aria-labelledby="parts-title">
          <h2 id="parts-title">{range.name === '24h' ? t('Where the time goes, today') : t('Where the time goes')}</h2>
          <Parts latency={latency} />
        </section>
        <section class="panel" aria-labelledby="cost-title">
          <h2 id="cost-title">{t('Cost')}</h2>
          <Chart
            label={t('Cost')}
            points={points}
            format={(paise) => money(Math.round(paise), currency)}
            series={[
              { label: t('Cost'), values: items.map(({ cost_paise }) => cost_paise), color: '--accent', kind: 'bars' },
            ]}
          />
        </section>
        {hangup_reasons.length > 0 && (
          <section class="panel" aria-labelledby="reasons-title">
            <h2 id="reasons-title">{t('Why calls ended')}</h2>
            <ul class="rows">
              {hangup_reasons.slice(0, 10).map(({ reason, count }) => (
                <li key={reason}>
                  <span class="row-text">{endText({ hangup_reason: reason, hangup_by: null })}</span>
                  <span class="amount">{countText(count)}</span>
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </>
  );
}

const countText = (count: number): string => count.toLocaleString(language());

function Totals({ summary: { totals, currency } }: { summary: CallsSummary }) {
  const machines = tn('{{count}} by a machine', '{{count}} by a machine', totals.voicemail);
  const facts: [name: string, value: string, more?: string][] = [
    [t('Calls'), countText(totals.calls)],
    [t('Answered'), percentText(totals.answer_rate), totals.voicemail > 0 ? machines : ''],
    [t('Average length'), lengthText(totals.avg_duration_seconds)],
    [t('Answers after'), totals.first_audio_p50_ms === null ? '–' : latencyText(totals.first_audio_p50_ms)],
    [t('Failed'), countText(totals.failed)],
    [t('Cost'), money(totals.cost_paise, currency as Currency)],
  ];
  return (
    <dl class="totals">
      {facts.map(([name, value, more]) => (
        <div key={name} class="panel">
          <dt class="quiet small">{name}</dt>
          <dd class="figure">{value}</dd>
          {more && <dd class="quiet small">{more}</dd>}
        </div>
      ))}
    </dl>
  );
}

/** How long each part of a reply took. */
function Parts({ latency }: { latency: AgentLatency }) {
  const parts: [name: string, hint: string, measured: Measured][] = [
    [t('Reply'), t('From the end of what the caller says to the first sound'), latency.first_audio_ms],
    [t('Model'), t('From the same moment to the first word of the model'), latency.llm_first_token_ms],
    [t('Welcome'), t('From the start of the call to the first sound'), latency.welcome_ms],
    [t('Tools'), t('The request to a tool'), latency.tool_ms],
  ];
  const text = (ms: number | null) => (ms === null ? '–' : latencyText(ms));
  return (
    <>
      <div class="table-scroll">
        <table class="table parts">
          <thead>
            <tr>
              <th scope="col">{t('Part')}</th>
              <th scope="col" class="number">
                {t('Half within')}
              </th>
              <th scope="col" class="number">
                {t('90 % within')}
              </th>
              <th scope="col" class="number">
                {t('95 % within')}
              </th>
            </tr>
          </thead>
          <tbody>
            {parts.map(([name, hint, { p50, p90, p95 }]) => (
              <tr key={name}>
                <td>
                  {name}
                  <div class="quiet small">{hint}</div>
                </td>
                <td class="number">{text(p50)}</td>
                <td class="number">{text(p90)}</td>
                <td class="number">{text(p95)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="quiet small">
        {tn('Measured in {{count}} reply', 'Measured in {{count}} replies', latency.turns)}
        {' · '}
        {tn('{{count}} answered call', '{{count}} answered calls', latency.calls)}
      </p>
    </>
  );
}
