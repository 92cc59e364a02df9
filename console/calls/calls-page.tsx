import { ok } from '@oazapfts/runtime';
import { useInfiniteQuery, useQuery } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type CallSummary, getAgents, getCalls } from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { SearchIcon } from '../icons.tsx';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { useVirtualRows } from '../ui/use-virtual-rows.ts';
import { filtersIn, STATUS_CHOICES, withFilter } from './call-filters.ts';
import { CallRow, COLUMNS, ROW_HEIGHT_PX } from './call-row.tsx';
import './calls.css';

const PAGE_SIZE = 100;
/** New calls come and live ones change. */
const REFRESH_MS = 5_000;
const TYPING_PAUSE_MS = 300;

/** Every call of the workspace, newest first; the filters are in the address. */
export function CallsPage() {
  const { path, query, route } = useLocation();
  const filters = filtersIn(query);
  const agents = useQuery({
    queryKey: ['agents'],
    queryFn: ({ signal }) => ok(getAgents({}, { signal })),
  });
  const calls = useInfiniteQuery({
    queryKey: ['calls', filters],
    queryFn: ({ signal, pageParam }) =>
      ok(getCalls({ ...filters, limit: PAGE_SIZE, ...(pageParam && { after: pageParam }) }, { signal })),
    initialPageParam: '',
    getNextPageParam: ({ items }) => (items.length < PAGE_SIZE ? undefined : items.at(-1)?.id),
    // Only the first page is read again: who scrolls down reads what was.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : REFRESH_MS),
  });
  const set = (name: string, value: string) => route(withFilter(path, query, name, value), true);
  const rows = calls.data?.pages.flatMap(({ items }) => items) ?? [];
  const first = calls.data?.pages[0];

  return (
    <main class="wide-page">
      <div class="page-head">
        <Heading title="Calls" />
        <span class="quiet" role="status">
          {first && countText(first)}
        </span>
      </div>
      <search class="filters" aria-label="Filters">
        <SearchField value={query.q ?? ''} onChange={(value) => set('q', value)} />
        <Choice name="Status" value={query.status ?? ''} onChange={(value) => set('status', value)}>
          {STATUS_CHOICES.map(({ name, label }) => ({ value: name, label }))}
        </Choice>
        <Choice name="Agent" value={query.agent ?? ''} onChange={(value) => set('agent', value)}>
          {(agents.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        </Choice>
        <Choice name="Direction" value={query.direction ?? ''} onChange={(value) => set('direction', value)}>
          {[
            { value: 'inbound', label: 'Incoming' },
            { value: 'outbound', label: 'Outgoing' },
          ]}
        </Choice>
        <Choice name="Channel" value={query.channel ?? ''} onChange={(value) => set('channel', value)}>
          {[
            { value: 'phone', label: 'Phone' },
            { value: 'web', label: 'Browser' },
          ]}
        </Choice>
        <Day name="From" value={query.since ?? ''} onChange={(value) => set('since', value)} />
        <Day name="Until" value={query.until ?? ''} onChange={(value) => set('until', value)} />
        {Object.keys(filters).length > 0 && (
          <button type="button" class="plain" onClick={() => route(path, true)}>
            Clear all
          </button>
        )}
      </search>
      {calls.isPending ? (
        <Loading what="the calls" />
      ) : calls.isError && rows.length === 0 ? (
        <Problem error={calls.error} what="the calls" onRetry={() => void calls.refetch()} />
      ) : rows.length === 0 ? (
        <Nothing title={Object.keys(filters).length > 0 ? 'No call fits these filters.' : 'There are no calls yet.'}>
          {Object.keys(filters).length === 0 && <a href="/agents">Talk to an agent to see the first one here.</a>}
        </Nothing>
      ) : (
        <CallList
          calls={rows}
          more={calls.hasNextPage}
          onMore={() => {
            if (!calls.isFetchingNextPage) void calls.fetchNextPage();
          }}
        />
      )}
    </main>
  );
}

const countText = ({ total, total_is_estimate }: { total: number; total_is_estimate?: boolean }): string =>
  `${total_is_estimate ? 'about ' : ''}${total.toLocaleString()} ${total === 1 ? 'call' : 'calls'}`;

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
        {COLUMNS.map(({ name, title }) => (
          <span key={name} data-cell={name}>
            {title}
          </span>
        ))}
      </div>
      <ol
        class="call-rows"
        aria-label="Calls"
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

/** What is typed counts after a pause, so that not every letter is a request. */
function SearchField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (
    <div class="search">
      <SearchIcon />
      <input
        type="search"
        aria-label="Search in names, numbers and summaries"
        placeholder="Search"
        defaultValue={value}
        onInput={(event) => {
          const typed = event.currentTarget.value.trim();
          clearTimeout(timer);
          timer = setTimeout(() => onChange(typed), TYPING_PAUSE_MS);
        }}
      />
    </div>
  );
}

interface ChoiceProps {
  name: string;
  value: string;
  onChange: (value: string) => void;
  children: readonly { value: string; label: string }[];
}

function Choice({ name, value, onChange, children }: ChoiceProps) {
  return (
    <label class="filter">
      <span>{name}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">Any</option>
        {children.map((each) => (
          <option key={each.value} value={each.value}>
            {each.label}
          </option>
        ))}
      </select>
    </label>
  );
}

function Day({ name, value, onChange }: Omit<ChoiceProps, 'children'>) {
  return (
    <label class="filter">
      <span>{name}</span>
      <input type="date" value={value} onChange={(event) => onChange(event.currentTarget.value)} />
    </label>
  );
}
