import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import type { InputHTMLAttributes } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { getAgents, getBatches } from '../generated/api.ts';
import { SearchIcon } from '../icons.tsx';
import { t } from '../texts/texts.ts';
import { FilterChoice, FilterDay } from '../ui/filters.tsx';
import {
  answerChoices,
  type Choice,
  channelChoices,
  directionChoices,
  lengthChoices,
  statusChoices,
} from './call-filters.ts';

const TYPING_PAUSE_MS = 300;
/** The newest; a link from a batch names any. */
const LISTED_BATCHES = 100;

interface FilterBarProps {
  query: Readonly<Record<string, string>>;
  set: (name: string, value: string) => void;
  /** Null: nothing is filtered. */
  onClear: (() => void) | null;
}

/** The filters of the list; those that are used seldom appear on demand. */
export function FilterBar({ query, set, onClear }: FilterBarProps) {
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => ok(getAgents({}, { signal })) });
  const batches = useQuery({
    queryKey: ['batches', 'for-calls'],
    queryFn: ({ signal }) => ok(getBatches({ limit: LISTED_BATCHES }, { signal })),
  });
  const seldom = ['batch', 'answered_by', 'min_duration', 'number', 'direction', 'channel'];
  const [more, setMore] = useState(() => seldom.some((name) => query[name]));
  // What is typed counts after a pause; clearing empties the fields.
  const [cleared, setCleared] = useState(0);
  const choice = (name: string, label: string, choices: readonly Choice[]) => (
    <FilterChoice name={label} value={query[name] ?? ''} options={choices} onChange={(value) => set(name, value)} />
  );
  return (
    <search class="filters" aria-label={t('Filters')} key={cleared}>
      <div class="search">
        <SearchIcon />
        <Typed
          type="search"
          aria-label={t('Search in summaries and transcripts')}
          placeholder={t('Search')}
          value={query.q ?? ''}
          onChange={(value) => set('q', value)}
        />
      </div>
      {choice('status', t('Status'), statusChoices())}
      {choice('agent', t('Agent'), namesOf(agents.data))}
      <FilterDay name={t('Since')} value={query.since ?? ''} onChange={(value) => set('since', value)} />
      <FilterDay name={t('Until')} value={query.until ?? ''} onChange={(value) => set('until', value)} />
      {more && (
        <>
          {choice('direction', t('Direction'), directionChoices())}
          {choice('channel', t('Channel'), channelChoices())}
          {choice('batch', t('Batch'), withChosen(namesOf(batches.data?.items), query.batch))}
          {choice('answered_by', t('Answered by'), answerChoices())}
          {choice('min_duration', t('Length'), lengthChoices())}
          <div class="filter">
            <span aria-hidden="true">{t('Number')}</span>
            <Typed
              type="tel"
              aria-label={t('Number')}
              placeholder={t('last 4 digits or all')}
              value={query.number ?? ''}
              onChange={(value) => set('number', value)}
            />
          </div>
        </>
      )}
      <button type="button" class="plain" aria-expanded={more} onClick={() => setMore(!more)}>
        {more ? t('Fewer filters') : t('More filters')}
      </button>
      {onClear && (
        <button
          type="button"
          class="plain"
          onClick={() => {
            setCleared(cleared + 1);
            onClear();
          }}
        >
          {t('Clear all')}
        </button>
      )}
    </search>
  );
}

const namesOf = (records: readonly { id: string; name: string }[] = []): Choice[] =>
  records.map(({ id, name }) => ({ value: id, label: name }));

/** A batch that is not among those listed is still shown as chosen. */
const withChosen = (choices: Choice[], chosen: string | undefined): Choice[] =>
  !chosen || choices.some(({ value }) => value === chosen)
    ? choices
    : [{ value: chosen, label: t('An earlier batch') }, ...choices];

interface TypedProps {
  type: 'search' | 'tel';
  'aria-label'?: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
}

/** What is typed counts after a pause, so that not every letter is a request. */
function Typed({ value, onChange, ...attributes }: TypedProps) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <input
      {...(attributes as InputHTMLAttributes<HTMLInputElement>)}
      autocomplete="off"
      defaultValue={value}
      onInput={(event) => {
        const typed = event.currentTarget.value.trim();
        clearTimeout(timer.current);
        timer.current = setTimeout(() => latest.current(typed), TYPING_PAUSE_MS);
      }}
    />
  );
}
