import { ok } from '@oazapfts/runtime';
import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { sentence } from '../data/field-errors.ts';
import { changeProblemText } from '../data/problem-text.ts';
import { useMay } from '../data/session.ts';
import {
  deleteKnowledgeBasesKbIdSourcesSourceId as deleteSource,
  type KnowledgeSource,
  postKnowledgeBasesKbIdSourcesSourceIdReprocess as processAgain,
} from '../generated/api.ts';
import { serviceText } from '../texts/service-text.ts';
import { t } from '../texts/texts.ts';
import { DeleteDialog } from '../ui/delete-dialog.tsx';
import { timeText } from '../ui/format.ts';
import { Nothing } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { sourceFacts, sourceStanding } from './knowledge-texts.ts';

interface SourceListProps {
  baseId: string;
  sources: readonly KnowledgeSource[];
}

/** What is in a knowledge base, and how each stands. */
export function SourceList({ baseId, sources }: SourceListProps) {
  const [leaving, setLeaving] = useState<KnowledgeSource | null>(null);
  if (sources.length === 0) return <Nothing title={t('There is nothing in it yet.')} />;
  return (
    <>
      <ul class="rows sources" aria-label={t('Sources')}>
        {sources.map((source) => (
          <SourceRow key={source.id} baseId={baseId} source={source} onDelete={() => setLeaving(source)} />
        ))}
      </ul>
      {leaving && <DeleteSource baseId={baseId} source={leaving} onClose={() => setLeaving(null)} />}
    </>
  );
}

interface SourceRowProps {
  baseId: string;
  source: KnowledgeSource;
  onDelete: () => void;
}

function SourceRow({ baseId, source, onDelete }: SourceRowProps) {
  const mayEdit = useMay()('agents.edit');
  const client = useQueryClient();
  const { text, tone } = sourceStanding(source.status);
  const again = useMutation({
    mutationFn: () => ok(processAgain(baseId, source.id)),
    onSuccess: () => client.invalidateQueries({ queryKey: ['knowledge-base', baseId] }),
    onError: (error) => toast(changeProblemText(error), { tone: 'error' }),
  });
  const isSettled = source.status === 'ready' || source.status === 'failed';
  return (
    <li>
      <div class="row-text">
        <span class="source-name">
          {source.url === '' ? (
            source.name
          ) : (
            <a href={source.url} target="_blank" rel="noreferrer noopener">
              {source.name}
            </a>
          )}
        </span>
        <span class="quiet small">
          {sourceFacts(source)} · {timeText(source.updated_at, Date.now())}
        </span>
        {source.error !== '' && <span class="error small">{sentence(serviceText(source.error))}</span>}
      </div>
      <span class="chip" data-tone={tone}>
        {text}
      </span>
      {mayEdit && (
        <div class="source-buttons">
          {isSettled && (
            <button
              type="button"
              class="plain"
              aria-label={t('Process again: {{name}}', { name: source.name })}
              aria-disabled={again.isPending}
              onClick={() => !again.isPending && again.mutate()}
            >
              {t('Process again')}
            </button>
          )}
          <button
            type="button"
            class="plain"
            aria-label={t('Delete {{name}}', { name: source.name })}
            onClick={onDelete}
          >
            {t('Delete')}
          </button>
        </div>
      )}
    </li>
  );
}

function DeleteSource({ baseId, source, onClose }: { baseId: string; source: KnowledgeSource; onClose: () => void }) {
  const client = useQueryClient();
  return (
    <DeleteDialog
      name={source.name}
      send={() => ok(deleteSource(baseId, source.id))}
      onDeleted={async () => {
        await client.invalidateQueries({ queryKey: ['knowledge-base', baseId] });
        void client.invalidateQueries({ queryKey: ['knowledge-bases'] });
        onClose();
      }}
      onClose={onClose}
    >
      <p>{t('Agents no longer find what is in it. This cannot be undone.')}</p>
    </DeleteDialog>
  );
}
