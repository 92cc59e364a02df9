import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useRoute } from 'preact-iso';
import { type Currency, money } from '../billing/money.ts';
import { type Batch, getBatchesBatchId } from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { BackIcon } from '../icons.tsx';
import { t, tn } from '../texts/texts.ts';
import { Fact } from '../ui/fact.tsx';
import { timeText } from '../ui/format.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { BatchActions } from './batch-actions.tsx';
import { BatchContacts } from './batch-contacts.tsx';
import { batchStatus, CONTACT_STATUSES, contactStatus, isMoving, pausedText } from './batch-texts.ts';
import { ProgressBar } from './progress-bar.tsx';
import './batches.css';

const REFRESH_MS = 3_000;

/** One batch: how far it is, what came of each contact, and what can be done with it. */
export function BatchPage() {
  const { batch_id = '' } = useRoute().params;
  const batch = useQuery({
    queryKey: ['batch', batch_id],
    queryFn: ({ signal }) => ok(getBatchesBatchId(batch_id, {}, { signal })),
    refetchInterval: ({ state }) => (state.data && isMoving(state.data) ? REFRESH_MS : false),
  });
  return (
    <main class="wide-page">
      <a class="back" href="/batches">
        <BackIcon /> {t('All batches')}
      </a>
      {batch.data ? (
        <BatchRecord batch={batch.data} />
      ) : batch.isError ? (
        <>
          <Heading title={t('Batch')} />
          <Problem error={batch.error} what={t('this batch')} onRetry={() => void batch.refetch()} />
        </>
      ) : (
        <>
          <Heading title={t('Batch')} />
          <Loading what={t('the batch')} />
        </>
      )}
    </main>
  );
}

function BatchRecord({ batch }: { batch: Batch }) {
  const { text, tone } = batchStatus(batch.status);
  const paused = pausedText(batch.paused_reason);
  return (
    <>
      <div class="page-head">
        <Heading title={batch.name} />
        <span class="chip" data-tone={tone}>
          {text}
        </span>
      </div>
      <BatchActions batch={batch} />
      {paused !== '' && batch.status === 'paused' && <p class="notice urgent">{paused}</p>}
      <section class="panel" aria-labelledby="progress-title">
        <div class="page-head">
          <h2 id="progress-title">{t('Progress')}</h2>
          <span class="quiet" role="status">
            {tn('{{percent}} % of {{count}} contact', '{{percent}} % of {{count}} contacts', batch.total, {
              percent: batch.progress,
            })}
          </span>
        </div>
        <ProgressBar batch={batch} />
        <ul class="outcomes">
          {CONTACT_STATUSES.filter((status) => batch.counts[status] > 0).map((status) => (
            <li key={status}>
              <a href={`/batches/${batch.id}?status=${status}`} data-status={status}>
                <span>{contactStatus(status)}</span> <strong>{batch.counts[status].toLocaleString()}</strong>
              </a>
            </li>
          ))}
        </ul>
      </section>
      <BatchFacts batch={batch} />
      <BatchContacts batch={batch} />
    </>
  );
}

function BatchFacts({ batch }: { batch: Batch }) {
  const now = Date.now();
  const time = (at: string) => timeText(at, now);
  return (
    <dl class="facts">
      <Fact name={t('Agent')}>
        <a href={`/agents/${batch.agent_id}`}>{batch.agent_name}</a>
      </Fact>
      <Fact name={t('Calls')}>
        <a href={`/calls?batch=${batch.id}`}>{t('Show its calls')}</a>
      </Fact>
      <Fact name={t('Cost')}>{money(batch.cost_paise, batch.currency as Currency)}</Fact>
      {batch.scheduled_at && <Fact name={t('Scheduled for')}>{time(batch.scheduled_at)}</Fact>}
      {batch.started_at && <Fact name={t('Began')}>{time(batch.started_at)}</Fact>}
      {batch.completed_at && <Fact name={t('Ended')}>{time(batch.completed_at)}</Fact>}
      <Fact name={t('Calls to each person')}>
        {batch.max_attempts === 1
          ? t('One')
          : t('At most {{count}}, {{minutes}} minutes apart, after: {{outcomes}}', {
              count: batch.max_attempts,
              minutes: batch.retry_after_minutes,
              outcomes: batch.retry_on.map(contactStatus).join(', '),
            })}
      </Fact>
      <Fact name={t('At the same time')}>{batch.concurrency ?? t('As many as there are lines')}</Fact>
      {batch.from_numbers.length > 0 && <Fact name={t('Call from')}>{batch.from_numbers.join(', ')}</Fact>}
      {batch.webhook_url !== '' && <Fact name={t('Webhook')}>{batch.webhook_url}</Fact>}
      <Fact name={t('Made by')}>{batch.created_by}</Fact>
    </dl>
  );
}
