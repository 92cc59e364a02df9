import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { getAgents, getWorkspace } from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { BackIcon } from '../icons.tsx';
import { t } from '../texts/texts.ts';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { NewBatchForm } from './new-batch-form.tsx';
import './batches.css';

/** A new batch, in steps on one page: who calls, whom, when, and how often. */
export function NewBatchPage() {
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => ok(getAgents({}, { signal })) });
  const workspace = useQuery({ queryKey: ['workspace'], queryFn: ({ signal }) => ok(getWorkspace({}, { signal })) });
  const failed = [agents, workspace].find(({ isError, data }) => isError && !data);
  return (
    <main class="wide-page">
      <a class="back" href="/batches">
        <BackIcon /> {t('All batches')}
      </a>
      <Heading title={t('New batch')} />
      {failed ? (
        <Problem error={failed.error} what={t('the agents')} onRetry={() => void failed.refetch()} />
      ) : !agents.data || !workspace.data ? (
        <Loading what={t('the agents')} />
      ) : agents.data.length === 0 ? (
        <Nothing title={t('There is no agent that could call.')}>
          <a href="/agents">{t('Make one first')}</a>
        </Nothing>
      ) : (
        <NewBatchForm agents={agents.data} zone={workspace.data.timezone} />
      )}
    </main>
  );
}
