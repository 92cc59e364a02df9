import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { type Currency, money } from '../billing/money.ts';
import { useMay, useSession } from '../data/session.ts';
import {
  type CallsSummary,
  getObservabilityLive as readLive,
  getObservabilitySummary as readSummary,
} from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { language, t, tn } from '../texts/texts.ts';
import { Chart } from '../ui/chart.tsx';
import { latencyText, percentText } from '../ui/format.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { AttentionList } from './attention-list.tsx';
import { FirstSteps } from './first-steps-list.tsx';
import { LiveCalls } from './live-calls.tsx';
import { countedBy, PERIODS, periodIn, periodText, pointText } from './periods.ts';
import './home.css';

const LIVE_MS = 3_000;
const FIGURES_MS = 60_000;

/** How the workspace is doing: what goes on now, figures over time, what to look at, and what to do first. */
export function HomePage() {
  const { me } = useSession();
  const may = useMay();
  const { query } = useLocation();
  const period = periodIn(query.period);
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const summary = useQuery({
    queryKey: ['summary', period],
    queryFn: ({ signal }) => ok(readSummary({ ...countedBy(period, Date.now()), timezone }, { signal })),
    refetchInterval: FIGURES_MS,
  });
  const live = useQuery({
    queryKey: ['live'],
    queryFn: ({ signal }) => ok(readLive({}, { signal })),
    refetchInterval: LIVE_MS,
  });
  return (
    <main class="wide-page">
      <div class="page-head">
        <Heading title={me.workspace?.name ?? t('Home')} />
        <nav class="periods" aria-label={t('Period of the figures')}>
          {PERIODS.map((each) => (
            <a key={each} href={`/?period=${each}`} aria-current={each === period ? 'true' : undefined}>
              {periodText(each)}
            </a>
          ))}
        </nav>
      </div>
      <FirstSteps />
      <AttentionList />
      {summary.data ? (
        <Figures summary={summary.data}>
          {live.data && <LiveCalls live={live.data} mayHangUp={may('calls.place')} />}
        </Figures>
      ) : summary.isError ? (
        <Problem error={summary.error} what={t('the figures')} onRetry={() => void summary.refetch()} />
      ) : (
        <Loading what={t('the figures')} />
      )}
    </main>
  );
}

interface FiguresProps {
  summary: CallsSummary;
  /** Stands before the charts. */
  children: ComponentChildren;
}

function Figures({ summary: { totals, items, currency }, children }: FiguresProps) {
  const amount = (paise: number) => money(paise, currency as Currency);
  const latency = (ms: number | null) => (ms === null ? '–' : latencyText(ms));
  return (
    <>
      <dl class="home-figures">
        <Figure name={t('Calls')} value={totals.calls.toLocaleString(language())}>
          {tn('{{count}} failed', '{{count}} failed', totals.failed)}
        </Figure>
        <Figure name={t('Answered')} value={totals.calls === 0 ? '–' : percentText(totals.answer_rate)}>
          {tn('{{count}} mailbox', '{{count}} mailboxes', totals.voicemail)}
        </Figure>
        <Figure name={t('Reply after')} value={latency(totals.first_audio_p50_ms)}>
          {totals.first_audio_p95_ms !== null &&
            t('95 % within {{time}}', { time: latency(totals.first_audio_p95_ms) })}
        </Figure>
        <Figure name={t('Cost')} value={amount(totals.cost_paise)}>
          {totals.connected > 0 &&
            t('{{amount}} a call', { amount: amount(Math.round(totals.cost_paise / totals.connected)) })}
        </Figure>
      </dl>
      <div class="charts">
        {children}
        {totals.calls > 0 && <Charts items={items} amount={amount} />}
      </div>
    </>
  );
}

function Charts({ items, amount }: Pick<CallsSummary, 'items'> & { amount: (paise: number) => string }) {
  const points = items.map(({ day }) => pointText(day, language()));
  return (
    <>
      <section class="panel">
        <h2>{t('Calls over time')}</h2>
        <Chart
          label={t('Calls over time')}
          points={points}
          series={[
            { label: t('All'), values: items.map(({ calls }) => calls), color: '--edge', kind: 'bars' },
            {
              label: t('Connected'),
              values: items.map(({ connected }) => connected),
              color: '--accent',
              kind: 'bars',
            },
          ]}
          format={(value) => value.toLocaleString(language())}
        />
      </section>
      <section class="panel">
        <h2>{t('Cost over time')}</h2>
        <Chart
          label={t('Cost over time')}
          points={points}
          series={[
            { label: t('Cost'), values: items.map(({ cost_paise }) => cost_paise), color: '--accent', kind: 'bars' },
          ]}
          format={(value) => amount(Math.round(value))}
        />
      </section>
      <section class="panel">
        <h2>{t('Time until the reply')}</h2>
        {items.some(({ first_audio_p50_ms }) => first_audio_p50_ms !== null) ? (
          <Chart
            label={t('Time until the reply')}
            points={points}
            series={[
              {
                label: t('Median'),
                values: items.map(({ first_audio_p50_ms }) => first_audio_p50_ms),
                color: '--accent',
              },
              {
                label: t('95th percentile'),
                values: items.map(({ first_audio_p95_ms }) => first_audio_p95_ms),
                color: '--edge',
              },
            ]}
            format={latencyText}
          />
        ) : (
          <p class="quiet">{t('There are no measured replies.')}</p>
        )}
      </section>
    </>
  );
}

function Figure({ name, value, children }: { name: string; value: string; children: ComponentChildren }) {
  return (
    <div class="card">
      <dt class="quiet">{name}</dt>
      <dd>
        <span class="figure">{value}</span>
        <span class="quiet small">{children}</span>
      </dd>
    </div>
  );
}
