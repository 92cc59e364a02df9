import { ok } from '@oazapfts/runtime';
import { useInfiniteQuery } from '@tanstack/preact-query';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useMay } from '../data/session.ts';
import { type CallSummary, getCalls } from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { t, tn } from '../texts/texts.ts';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { useVirtualRows } from '../ui/use-virtual-rows.ts';
import { filtersIn, withFilter } from './call-filters.ts';
import { CallRow, columns, ROW_HEIGHT_PX } from './call-row.tsx';
import { ExportButton } from './export-button.tsx';
import { FilterBar } from './filter-bar.tsx';
import { NewCallDialog } from './new-call-dialog.tsx';
import './calls.css';

const PAGE_SIZE = 100;
/** New calls come and live ones change. */
const REFRESH_MS = 5_000;
/** The days of the filters are those of the person, as the times of the list are. */
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Every call of the workspace, newest first; the filters are in the address. */
export function CallsPage() {
  const { path, query, route } = useLocation();
  const mayPlace = useMay()('calls.place');
  const [calling, setCalling] = useState(false);
  const chosen = filtersIn(query);
  const filtered = Object.keys(chosen).length > 0;
  const filters = { ...chosen, timezone: ZONE };
  const calls = useInfiniteQuery({
    queryKey: ['calls', chosen],
    queryFn: ({ signal, pageParam }) =>
      ok(getCalls({ ...filters, limit: PAGE_SIZE, ...(pageParam && { after: pageParam }) }, { signal })),
    initialPageParam: '',
    // Pages that were read are not compared with themselves when another one comes.
    structuralSharing: false,
    getNextPageParam: ({ items }) => (items.length < PAGE_SIZE ? undefined : items.at(-1)?.id),
    // Only the first page is read again: who scrolls down reads what was.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : REFRESH_MS),
  });
  const rows = useMemo(() => calls.data?.pages.flatMap(({ items }) => items) ?? [], [calls.data]);
  const first = calls.data?.pages[0];

  return (
    <main class="wide-page">
      <div class="page-head">
        <Heading title={t('Calls')} />
        <span class="quiet" role="status">
          {first && countText(first)}
        </span>
        <div class="head-buttons">
          {rows.length > 0 && <ExportButton filters={filters} total={first?.total ?? 0} />}
          {mayPlace && (
            <button type="button" class="primary" onClick={() => setCalling(true)}>
              {t('Call a number')}
            </button>
          )}
        </div>
      </div>
      <FilterBar
        query={query}
        set={(name, value) => route(withFilter(path, query, name, value), true)}
        onClear={filtered ? () => route(path, true) : null}
      />
      {calls.isPending ? (
        <Loading what={t('the calls')} />
      ) : calls.isError && rows.length === 0 ? (
        <Problem error={calls.error} what={t('the calls')} onRetry={() => void calls.refetch()} />
      ) : rows.length === 0 ? (
        <Nothing title={filtered ? t('No call fits these filters.') : t('There are no calls yet.')}>
          {!filtered && <a href="/agents">{t('Talk to an agent to see the first one here.')}</a>}
        </Nothing>
      ) : (
        <CallList
          calls={rows}
          more={calls.hasNextPage}
          onMore={() => {
            if (!calls.isFetchingNextPage && !calls.isFetchNextPageError) void calls.fetchNextPage();
          }}
        />
      )}
      {calls.isFetchNextPageError && (
        <Problem error={calls.error} what={t('older calls')} onRetry={() => void calls.fetchNextPage()} />
      )}
      {calling && <NewCallDialog onClose={() => setCalling(false)} />}
    </main>
  );
}

function countText({ total, total_is_estimate }: { total: number; total_is_estimate?: boolean }): string {
  const count = tn('{{count}} call', '{{count}} calls', total);
  return total_is_estimate ? t('about {{count}}', { count }) : count;
}

interface CallListProps {
  calls: readonly CallSummary[];
  /** Older ones can be read. */
  more: boolean;
  onMore: () => void;
}

function CallList({ calls, more, onMore }: CallListProps) {
  const { list, rows, heightPx } = useVirtualRows(calls.length, ROW_HEIGHT_PX);
  const lastDrawn = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more && lastDrawn > calls.length - PAGE_SIZE / 2) onMore();
  });
  return (
    <div class="call-list">
      <div class="call-row call-titles" aria-hidden="true">
        {columns().map(({ name, title }) => (
          <span key={name} data-cell={name}>
            {title}
          </span>
        ))}
      </div>
      <ol
        class="call-rows"
        aria-label={t('Calls')}
        ref={list as { current: HTMLOListElement | null }}
        style={{ height: `${heightPx}px` }}
      >
        {rows.map(({ index, start }) => (
          <CallRow key={calls[index]!.id} call={calls[index]!} topPx={start - (list.current?.offsetTop ?? 0)} />
        ))}
      </ol>
    </div>
  );
}
