import { ok } from '@oazapfts/runtime';
import { useInfiniteQuery, useQuery } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { type Currency, money } from '../billing/money.ts';
import { withFilter } from '../calls/call-filters.ts';
import { useMay } from '../data/session.ts';
import { type Batch, getAgents, getBatches } from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { t, tn } from '../texts/texts.ts';
import { timeText } from '../ui/format.ts';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { BatchTabs } from './batch-tabs.tsx';
import { BATCH_STATUSES, batchStatus, isMoving } from './batch-texts.ts';
import { ProgressBar } from './progress-bar.tsx';
import './batches.css';

const PAGE_SIZE = 50;
const REFRESH_MS = 4_000;

/** Every batch of the workspace, newest first; the filters are in the address. */
export function BatchesPage() {
  const { path, query, route } = useLocation();
  const may = useMay();
  const status = BATCH_STATUSES.find((each) => each === query.status);
  const filters = { ...(status && { status: [status] }), ...(query.agent && { agentId: query.agent }) };
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => ok(getAgents({}, { signal })) });
  const batches = useInfiniteQuery({
    queryKey: ['batches', filters],
    queryFn: ({ signal, pageParam }) => ok(getBatches({ ...filters, limit: PAGE_SIZE, skip: pageParam }, { signal })),
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => (pages.length * PAGE_SIZE < total ? pages.length * PAGE_SIZE : undefined),
    refetchInterval: ({ state }) => (state.data?.pages.some(({ items }) => items.some(isMoving)) ? REFRESH_MS : false),
  });
  const rows = batches.data?.pages.flatMap(({ items }) => items) ?? [];
  const filtered = Object.keys(filters).length > 0;
  const set = (name: string, value: string) => route(withFilter(path, query, name, value), true);

  return (
    <main class="wide-page">
      <div class="page-head">
        <Heading title={t('Batches')} />
        {may('calls.place') && (
          <a class="primary head-button" href="/batches/new">
            {t('New batch')}
          </a>
        )}
      </div>
      <BatchTabs />
      {(filtered || rows.length > 0) && (
        <search class="filters" aria-label={t('Filters')}>
          <label class="filter">
            <span>{t('Status')}</span>
            <select value={status ?? ''} onChange={(event) => set('status', event.currentTarget.value)}>
              <option value="">{t('Any')}</option>
              {BATCH_STATUSES.map((each) => (
                <option key={each} value={each}>
                  {batchStatus(each).text}
                </option>
              ))}
            </select>
          </label>
          <label class="filter">
            <span>{t('Agent')}</span>
            <select value={query.agent ?? ''} onChange={(event) => set('agent', event.currentTarget.value)}>
              <option value="">{t('Any')}</option>
              {(agents.data ?? []).map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </search>
      )}
      {batches.isPending ? (
        <Loading what={t('the batches')} />
      ) : batches.isError && rows.length === 0 ? (
        <Problem error={batches.error} what={t('the batches')} onRetry={() => void batches.refetch()} />
      ) : rows.length === 0 ? (
        <Nothing title={filtered ? t('No batch fits these filters.') : t('There are no batches yet.')}>
          {filtered
            ? t('Choose others above.')
            : t('A batch calls everybody on a list: you send a file with their numbers, and an agent talks to each.')}
        </Nothing>
      ) : (
        <ul class="batch-list" aria-label={t('Batches')}>
          {rows.map((batch) => (
            <BatchRow key={batch.id} batch={batch} />
          ))}
        </ul>
      )}
      {batches.hasNextPage && (
        <button type="button" class="secondary show-more" onClick={() => void batches.fetchNextPage()}>
          {t('Show more')}
        </button>
      )}
    </main>
  );
}

function BatchRow({ batch }: { batch: Batch }) {
  const { text, tone } = batchStatus(batch.status);
  const when =
    batch.status === 'scheduled' && batch.scheduled_at
      ? t('Starts {{time}}', { time: timeText(batch.scheduled_at, Date.now()) })
      : timeText(batch.started_at ?? batch.created_at, Date.now());
  return (
    <li class="batch-row">
      <div class="batch-name">
        <a href={`/batches/${batch.id}`}>{batch.name}</a>
        <span class="quiet small">{batch.agent_name}</span>
      </div>
      <span class="chip" data-tone={tone}>
        {text}
      </span>
      <div class="batch-progress">
        <ProgressBar batch={batch} />
        <span class="quiet small">
          {tn('{{percent}} % of {{count}} contact', '{{percent}} % of {{count}} contacts', batch.total, {
            percent: batch.progress,
          })}
        </span>
      </div>
      <span class="quiet small">{when}</span>
      <span class="batch-cost">{batch.cost_paise > 0 ? money(batch.cost_paise, batch.currency as Currency) : '–'}</span>
    </li>
  );
}
