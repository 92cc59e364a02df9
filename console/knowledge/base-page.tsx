import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { useMay } from '../data/session.ts';
import {
  type KnowledgeBaseWithSources,
  getAgents as readAgents,
  getKnowledgeBasesKbId as readBase,
} from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { BackIcon } from '../icons.tsx';
import { t } from '../texts/texts.ts';
import { timeText } from '../ui/format.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { AddSources } from './add-sources.tsx';
import { BaseDialog, DeleteBase } from './base-dialogs.tsx';
import { baseStanding, isProcessing } from './knowledge-texts.ts';
import { SearchPanel } from './search-panel.tsx';
import { SourceList } from './source-list.tsx';
import './knowledge.css';

const PROCESSING_REFRESH_MS = 2_000;

/** One knowledge base: its sources, and what agents would find in it. */
export function BasePage() {
  const { kb_id = '' } = useRoute().params;
  const base = useQuery({
    queryKey: ['knowledge-base', kb_id],
    queryFn: ({ signal }) => ok(readBase(kb_id, {}, { signal })),
    refetchInterval: ({ state }) => (state.data && isProcessing(state.data) ? PROCESSING_REFRESH_MS : false),
  });
  return (
    <main class="wide-page">
      <a class="back" href="/knowledge">
        <BackIcon /> {t('All knowledge bases')}
      </a>
      {base.data ? (
        <Base base={base.data} />
      ) : base.isError ? (
        <>
          <Heading title={t('Knowledge')} />
          <Problem error={base.error} what={t('this knowledge base')} onRetry={() => void base.refetch()} />
        </>
      ) : (
        <Loading what={t('this knowledge base')} />
      )}
    </main>
  );
}

function Base({ base }: { base: KnowledgeBaseWithSources }) {
  const mayEdit = useMay()('agents.edit');
  const { route } = useLocation();
  const [open, setOpen] = useState<'name' | 'delete' | null>(null);
  const { text, tone } = baseStanding(base.status);
  return (
    <>
      <div class="page-head">
        <Heading title={base.name} />
        <span class="chip" data-tone={tone} role="status">
          {text}
        </span>
        {mayEdit && (
          <div class="buttons head-action">
            <button type="button" class="secondary" onClick={() => setOpen('name')}>
              {t('Rename')}
            </button>
            <button type="button" class="danger" onClick={() => setOpen('delete')}>
              {t('Delete')}
            </button>
          </div>
        )}
      </div>
      {base.description !== '' && <p class="base-description">{base.description}</p>}
      <dl class="facts">
        <div>
          <dt>{t('Characters')}</dt>
          <dd>{base.characters.toLocaleString()}</dd>
        </div>
        <div>
          <dt>{t('How agents use it')}</dt>
          <dd>{base.inline ? t('Whole in the prompt, or by search') : t('By search')}</dd>
        </div>
        <div>
          <dt>{t('Used by')}</dt>
          <dd>
            <UsingAgents ids={base.agent_ids} />
          </dd>
        </div>
        <div>
          <dt>{t('Made')}</dt>
          <dd>
            {timeText(base.created_at, Date.now())}
            {base.created_by !== '' && `, ${base.created_by}`}
          </dd>
        </div>
      </dl>
      <div class="base-columns">
        <section class="panel" aria-labelledby="sources-title">
          <h2 id="sources-title">{t('Sources')}</h2>
          {mayEdit && <AddSources baseId={base.id} />}
          <SourceList baseId={base.id} sources={base.sources} />
        </section>
        <SearchPanel baseId={base.id} />
      </div>
      {open === 'name' && <BaseDialog base={base} onClose={() => setOpen(null)} onSaved={() => setOpen(null)} />}
      {open === 'delete' && (
        <DeleteBase
          base={base}
          onClose={() => setOpen(null)}
          onDeleted={() => {
            route('/knowledge', true);
            toast(t('{{name}} was deleted.', { name: base.name }));
          }}
        />
      )}
    </>
  );
}

function UsingAgents({ ids }: { ids: readonly string[] }) {
  const agents = useQuery({
    queryKey: ['agents'],
    queryFn: ({ signal }) => ok(readAgents({}, { signal })),
    enabled: ids.length > 0,
  });
  if (ids.length === 0) return <>{t('No agent yet')}</>;
  return (
    <>
      {ids.map((id, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <a href={`/agents/${id}`}>{agents.data?.find((agent) => agent.id === id)?.name ?? t('an agent')}</a>
        </span>
      ))}
    </>
  );
}
