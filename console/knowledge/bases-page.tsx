import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useMay } from '../data/session.ts';
import { type KnowledgeBase, getKnowledgeBases as readBases } from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { t, tn } from '../texts/texts.ts';
import { timeText } from '../ui/format.ts';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { BaseDialog } from './base-dialogs.tsx';
import { baseStanding, isProcessing } from './knowledge-texts.ts';
import './knowledge.css';

const PROCESSING_REFRESH_MS = 3_000;

/** All knowledge bases of the workspace. */
export function BasesPage() {
  const may = useMay();
  const { route } = useLocation();
  const [making, setMaking] = useState(false);
  const bases = useQuery({
    queryKey: ['knowledge-bases'],
    queryFn: ({ signal }) => ok(readBases({}, { signal })),
    refetchInterval: ({ state }) => (state.data?.some(isProcessing) ? PROCESSING_REFRESH_MS : false),
  });
  return (
    <main class="wide-page">
      <div class="page-head">
        <Heading title={t('Knowledge')} />
        {may('agents.edit') && (
          <button type="button" class="primary head-action" onClick={() => setMaking(true)}>
            {t('New knowledge base')}
          </button>
        )}
      </div>
      <p class="quiet">{t('Documents, web pages and texts that agents look into while they talk.')}</p>
      {bases.data ? (
        bases.data.length === 0 ? (
          <Nothing title={t('There is no knowledge base yet.')}>
            {t('Make one, put documents in, and choose it in the settings of an agent.')}
          </Nothing>
        ) : (
          <ul class="base-list">
            {bases.data.map((base) => (
              <BaseCard key={base.id} base={base} />
            ))}
          </ul>
        )
      ) : bases.isError ? (
        <Problem error={bases.error} what={t('the knowledge bases')} onRetry={() => void bases.refetch()} />
      ) : (
        <Loading what={t('the knowledge bases')} />
      )}
      {making && <BaseDialog onClose={() => setMaking(false)} onSaved={({ id }) => route(`/knowledge/${id}`)} />}
    </main>
  );
}

function BaseCard({ base }: { base: KnowledgeBase }) {
  const { text, tone } = baseStanding(base.status);
  return (
    <li class="card base-card">
      <div class="base-card-head">
        <h2>
          <a href={`/knowledge/${base.id}`}>{base.name}</a>
        </h2>
        <span class="chip" data-tone={tone}>
          {text}
        </span>
      </div>
      {base.description !== '' && <p class="base-description">{base.description}</p>}
      <p class="quiet small">
        {[
          tn('{{count}} source', '{{count}} sources', base.source_count),
          tn('{{count}} character', '{{count}} characters', base.characters),
          base.agent_ids.length === 0
            ? t('used by no agent')
            : tn('used by {{count}} agent', 'used by {{count}} agents', base.agent_ids.length),
        ].join(' · ')}
      </p>
      <p class="quiet small">{t('Changed {{time}}', { time: timeText(base.updated_at, Date.now()) })}</p>
    </li>
  );
}
