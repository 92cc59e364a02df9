import { ok } from '@oazapfts/runtime';
import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useEffect, useId, useState } from 'preact/hooks';
import { problemText } from '../data/problem-text.ts';
import { useMay } from '../data/session.ts';
import { getSearch as search } from '../generated/api.ts';
import { SearchIcon } from '../icons.tsx';
import { t } from '../texts/texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { followLink } from '../ui/follow-link.ts';
import { fitting, foundGroups, nextIndex, type PaletteEntry, type PaletteProps } from './palette-entries.ts';
import './palette.css';

/** The service finds nothing for less. */
const LEAST_CHARACTERS = 2;
const TYPING_MS = 150;

/** Goes to a page, an agent, a call or whatever else the service finds, by a few letters and the arrow keys. */
export function Palette({ pages, onClose, onHelp }: PaletteProps) {
  const id = useId();
  const [question, setQuestion] = useState('');
  const [at, setAt] = useState(0);
  const asked = useSettled(question.trim(), TYPING_MS);
  const may = useMay();
  const found = useQuery({
    queryKey: ['search', asked],
    queryFn: ({ signal }) => ok(search(asked, {}, { signal })),
    enabled: asked.length >= LEAST_CHARACTERS && may('agents.view'),
    placeholderData: keepPreviousData,
    retry: false,
  });

  const help: PaletteEntry = { id: 'help', text: t('Keyboard shortcuts'), detail: '?', href: '' };
  const own = pages.map(({ href, text }) => ({ id: `page${href.replaceAll('/', '-')}`, text, detail: '', href }));
  const titles = {
    ...{ agents: t('Agents'), calls: t('Calls'), batches: t('Batches'), knowledge_bases: t('Knowledge') },
    numbers: t('Numbers'),
  };
  const groups = [
    { title: t('Pages'), entries: fitting([...own, help], question) },
    ...(found.data && question.trim().length >= LEAST_CHARACTERS ? foundGroups(found.data, titles) : []),
  ].filter(({ entries }) => entries.length > 0);
  const entries = groups.flatMap((group) => group.entries);
  const chosen = entries[Math.min(at, entries.length - 1)];
  const searching = question.trim().length >= LEAST_CHARACTERS && (asked !== question.trim() || found.isFetching);

  useEffect(() => {
    if (chosen) document.getElementById(`${id}-${chosen.id}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen, id]);

  function choose({ href }: PaletteEntry) {
    onClose();
    if (href === '') onHelp();
    else followLink(href);
  }

  return (
    <Dialog title={t('Go to')} onClose={onClose}>
      <div class="search">
        <SearchIcon />
        <input
          type="text"
          role="combobox"
          aria-label={t('A page, an agent, a call or a number')}
          placeholder={t('Page, agent, call or number')}
          aria-expanded={entries.length > 0}
          aria-controls={entries.length > 0 ? `${id}-list` : undefined}
          aria-activedescendant={chosen ? `${id}-${chosen.id}` : undefined}
          aria-autocomplete="list"
          autocomplete="off"
          spellcheck={false}
          value={question}
          onInput={(event) => {
            setQuestion(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
              event.preventDefault();
              setAt(nextIndex(Math.min(at, entries.length - 1), event.key, entries.length));
            } else if (event.key === 'Enter' && !event.isComposing && chosen) {
              event.preventDefault();
              choose(chosen);
            }
          }}
        />
      </div>
      {entries.length > 0 && (
        <div class="palette-list" role="listbox" id={`${id}-list`} aria-label={t('Go to')}>
          {groups.map(({ title, entries: ofGroup }, index) => (
            // biome-ignore lint/a11y/useSemanticElements: a group of a list box
            <div key={title} role="group" aria-labelledby={`${id}-group-${index}`}>
              <div class="palette-group" id={`${id}-group-${index}`} role="presentation">
                {title}
              </div>
              {ofGroup.map((entry) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: as above
                <div
                  key={entry.id}
                  id={`${id}-${entry.id}`}
                  class="palette-entry"
                  role="option"
                  aria-selected={entry === chosen}
                  onClick={() => choose(entry)}
                >
                  <span>{entry.text}</span>
                  {entry.detail !== '' && <span class="quiet">{entry.detail}</span>}
                </div>
              ))}
            </div>
          ))}
        </div>
      )}
      <p class="quiet small" role="status">
        {searching
          ? t('Searching…')
          : found.error && question.trim().length >= LEAST_CHARACTERS
            ? problemText(found.error, t('Search'))
            : entries.length === 0
              ? t('Nothing fits.')
              : ''}
      </p>
    </Dialog>
  );
}

/** The value once it has not changed for this time. */
function useSettled<Value>(value: Value, forMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), forMs);
    return () => clearTimeout(timer);
  }, [value, forMs]);
  return settled;
}
