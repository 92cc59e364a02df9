import { ok } from '@oazapfts/runtime';
import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { changeProblemText } from '../data/problem-text.ts';
import { type KnowledgeSearch, postKnowledgeBasesKbIdSearch as search } from '../generated/api.ts';
import { SearchIcon } from '../icons.tsx';
import { t } from '../texts/texts.ts';
import { CopyCurl } from '../ui/copy.tsx';
import { latencyText, percentText } from '../ui/format.ts';

const PASSAGES = 5;

/** Searches as an agent would during a call. */
export function SearchPanel({ baseId }: { baseId: string }) {
  const [query, setQuery] = useState('');
  const body = { query: query.trim(), limit: PASSAGES };
  const searching = useMutation({ mutationFn: () => ok(search(baseId, body)) });
  const isReady = body.query !== '' && !searching.isPending;
  return (
    <section class="panel" aria-labelledby="search-title">
      <h2 id="search-title">{t('Try a search')}</h2>
      <p class="quiet small">{t('Ask as a caller would, and see what an agent finds here.')}</p>
      <form
        class="search-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) searching.mutate();
        }}
      >
        <div class="search">
          <SearchIcon />
          <input
            type="search"
            aria-label={t('Question')}
            placeholder={t('Where can I park?')}
            maxLength={1_000}
            value={query}
            onInput={(event) => setQuery(event.currentTarget.value)}
          />
        </div>
        <div class="buttons">
          <button type="submit" class="secondary" aria-disabled={!isReady}>
            {searching.isPending ? t('One moment…') : t('Search')}
          </button>
          <CopyCurl call={(opts) => search(baseId, body, {}, opts)} />
        </div>
      </form>
      <div aria-live="polite">
        {searching.isError && <p class="error">{changeProblemText(searching.error)}</p>}
        {searching.data && <Found found={searching.data} />}
      </div>
    </section>
  );
}

function Found({ found }: { found: KnowledgeSearch }) {
  if (found.items.length === 0) return <p>{t('An agent would find nothing for this.')}</p>;
  return (
    <>
      <p class="quiet small">
        {t('Found in {{time}}, best first.', { time: latencyText(found.search_ms + found.embed_ms) })}
      </p>
      <ol class="found">
        {found.items.map((item, at) => (
          <li key={at}>
            <p class="passage">{item.text}</p>
            <p class="quiet small found-facts">
              <span>{item.source_name}</span>
              <span>{t('Score {{score}}', { score: percentText(item.score) })}</span>
              {item.keyword_match && <span class="chip">{t('has words of the question')}</span>}
            </p>
          </li>
        ))}
      </ol>
    </>
  );
}
