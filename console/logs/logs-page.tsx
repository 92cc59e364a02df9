import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { getLogs as readLogs, type ServerLog } from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { locale, t } from '../texts/texts.ts';
import { Fact } from '../ui/fact.tsx';
import { FilterChoice, FilterDay, FilterText } from '../ui/filters.tsx';
import { latencyText } from '../ui/format.ts';
import { Pager } from '../ui/pager.tsx';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { addressWith, dayStart, logFiltersIn } from './log-filters.ts';
import { LogTabs } from './log-tabs.tsx';
import './logs.css';

const PAGE_SIZE = 100;
const REFRESH_MS = 10_000;

/** What the service did for this workspace: a line for each request, call and delivery that is worth one. */
export function LogsPage() {
  const { path, query, route } = useLocation();
  const filters = logFiltersIn(query);
  const page = Math.max(0, Number(query.page ?? 0) || 0);
  const logs = useQuery({
    queryKey: ['logs', filters, page],
    queryFn: ({ signal }) =>
      ok(
        readLogs(
          {
            ...{ q: filters.q, requestId: filters.request_id, callId: filters.call_id },
            ...(filters.level && { level: [filters.level as ServerLog['level']] }),
            ...(filters.source && { source: filters.source as ServerLog['source'] }),
            ...{ since: dayStart(filters.since), until: dayStart(filters.until, 1) },
            ...{ limit: PAGE_SIZE, skip: page * PAGE_SIZE },
          },
          { signal },
        ),
      ),
    refetchInterval: page === 0 ? REFRESH_MS : false,
  });
  const set = (name: string) => (value: string) => route(addressWith(path, query, name, value), true);
  return (
    <main class="wide-page">
      <Heading title={t('Logs')} />
      <LogTabs />
      <search class="filters" aria-label={t('Filters')}>
        <FilterText name={t('Words of the line')} value={filters.q ?? ''} onChange={set('q')} />
        <FilterChoice name={t('Level')} value={filters.level ?? ''} onChange={set('level')} options={levels()} />
        <FilterChoice name={t('Source')} value={filters.source ?? ''} onChange={set('source')} options={sources()} />
        <FilterDay name={t('Since')} value={filters.since ?? ''} onChange={set('since')} />
        <FilterDay name={t('Until')} value={filters.until ?? ''} onChange={set('until')} />
        {Object.keys(filters).length > 0 && (
          <button type="button" class="plain" onClick={() => route(path, true)}>
            {t('Clear all')}
          </button>
        )}
      </search>
      {logs.isPending ? (
        <Loading what={t('the logs')} />
      ) : logs.isError ? (
        <Problem error={logs.error} what={t('the logs')} onRetry={() => void logs.refetch()} />
      ) : logs.data.items.length === 0 ? (
        <Nothing
          title={Object.keys(filters).length > 0 ? t('No line fits these filters.') : t('There are no lines yet.')}
        />
      ) : (
        <>
          <ol class="log-lines" aria-label={t('Logs')}>
            {logs.data.items.map((line) => (
              <LogLine key={line.id} line={line} />
            ))}
          </ol>
          <Pager
            page={page}
            pageSize={PAGE_SIZE}
            total={logs.data.total}
            isMinimum={logs.data.total_is_estimate}
            hrefOf={(to) => addressWith(path, { ...query }, 'page', String(to))}
          />
        </>
      )}
    </main>
  );
}

const levels = () => [
  { value: 'error', label: t('Errors') },
  { value: 'warning', label: t('Warnings') },
  { value: 'info', label: t('Information') },
];

const levelTexts = (): Record<ServerLog['level'], string> => ({
  error: t('Error'),
  warning: t('Warning'),
  info: t('Information'),
});

const sources = () => [
  { value: 'api', label: 'API' },
  { value: 'call', label: t('Calls') },
  { value: 'webhook', label: t('Webhooks') },
  { value: 'batch', label: t('Batches') },
  { value: 'test', label: t('Tests') },
  { value: 'job', label: t('Background work') },
];

function LogLine({ line }: { line: ServerLog }) {
  const { at, level, source, message, duration_ms, call_id, agent_id, request_id, data } = line;
  const facts = Object.keys(data).length > 0;
  return (
    <li data-level={level}>
      <details>
        <summary>
          <time dateTime={at} class="quiet">
            {new Date(at).toLocaleString(locale(), { dateStyle: 'short', timeStyle: 'medium' })}
          </time>
          <span class="log-level">{levelTexts()[level]}</span>
          <span class="log-message">
            {message}
            {duration_ms !== null && <span class="quiet"> {latencyText(duration_ms)}</span>}
          </span>
        </summary>
        <dl class="facts">
          <Fact name={t('Source')}>{sources().find(({ value }) => value === source)?.label ?? source}</Fact>
          {call_id && (
            <Fact name={t('Call')}>
              <a href={`/calls/${call_id}`}>{call_id}</a>
            </Fact>
          )}
          {agent_id && (
            <Fact name={t('Agent')}>
              <a href={`/agents/${agent_id}`}>{agent_id}</a>
            </Fact>
          )}
          {request_id && (
            <Fact name={t('Request')}>
              <a href={`/logs?request_id=${encodeURIComponent(request_id)}`}>{request_id}</a>
            </Fact>
          )}
        </dl>
        {facts && <pre class="log-data">{JSON.stringify(data, null, 2)}</pre>}
      </details>
    </li>
  );
}
