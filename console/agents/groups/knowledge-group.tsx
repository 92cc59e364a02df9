import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { getKnowledgeBases, type KnowledgeBase } from '../../generated/api.ts';
import { t, tn } from '../../texts/texts.ts';
import { CheckField } from '../../ui/fields.tsx';
import { Loading, Nothing, Problem } from '../../ui/states.tsx';
import { Section, Setting } from '../setting.tsx';
import type { Editor } from '../use-draft.ts';

/** What the agent may look into. */
export function KnowledgeGroup({ editor }: { editor: Editor }) {
  const bases = useQuery({
    queryKey: ['editor', 'knowledge-bases'],
    queryFn: ({ signal }) => ok(getKnowledgeBases({}, { signal })),
  });
  const chosen = editor.draft.knowledge_base_ids;
  const toggle = (id: string, on: boolean) =>
    editor.set('knowledge_base_ids', on ? [...chosen, id] : chosen.filter((each) => each !== id));
  return (
    <>
      <Section
        title={t('Knowledge bases')}
        hint={t('At most ten. The agent answers from their texts, pages and files.')}
      >
        {bases.isPending ? (
          <Loading what={t('the knowledge bases')} />
        ) : bases.isError ? (
          <Problem error={bases.error} what={t('the knowledge bases')} onRetry={() => void bases.refetch()} />
        ) : bases.data.length === 0 ? (
          <Nothing title={t('There are no knowledge bases yet.')}>
            <a href="/knowledge">{t('Make one with texts, pages or files')}</a>
          </Nothing>
        ) : (
          bases.data.map((base) => (
            <CheckField
              key={base.id}
              label={base.name}
              hint={aboutBase(base)}
              checked={chosen.includes(base.id)}
              onChange={(on) => toggle(base.id, on)}
            />
          ))
        )}
        {editor.errors.knowledge_base_ids && <p class="error">{editor.errors.knowledge_base_ids}</p>}
      </Section>
      {chosen.length > 0 && (
        <Section title={t('Use')}>
          <Setting editor={editor} path="knowledge_mode" />
        </Section>
      )}
    </>
  );
}

function aboutBase({ description, source_count, inline, status }: KnowledgeBase): string {
  const state =
    status === 'empty'
      ? t('nothing in it yet')
      : status === 'processing'
        ? t('still being read')
        : status === 'failed'
          ? t('could not be read')
          : inline
            ? t('small enough to stand in the prompt')
            : t('searched when needed');
  return [description, tn('{{count}} source', '{{count}} sources', source_count), state].filter(Boolean).join(' · ');
}
