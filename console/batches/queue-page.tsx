import { ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { otherEnd, statusText } from '../calls/call-texts.ts';
import { changeProblemText } from '../data/problem-text.ts';
import { useMay } from '../data/session.ts';
import { getObservabilityLive, postCallsCallIdHangup as hangUp, type LiveCalls } from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { t, tn } from '../texts/texts.ts';
import { lengthText, timeText } from '../ui/format.ts';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { BatchTabs } from './batch-tabs.tsx';
import './batches.css';

const REFRESH_MS = 3_000;
const QUEUE_KEY = ['live-queue'];

/** The calls of this moment, and what waits behind them in the order in which it is dialled. */
export function QueuePage() {
  const live = useQuery({
    queryKey: QUEUE_KEY,
    queryFn: ({ signal }) => ok(getObservabilityLive({}, { signal })),
    refetchInterval: REFRESH_MS,
  });
  return (
    <main class="wide-page">
      <div class="page-head">
        <Heading title={t('Queue')} />
      </div>
      <BatchTabs />
      {live.data ? (
        <QueueState live={live.data} />
      ) : live.isError ? (
        <Problem error={live.error} what={t('the queue')} onRetry={() => void live.refetch()} />
      ) : (
        <Loading what={t('the queue')} />
      )}
    </main>
  );
}

function QueueState({ live }: { live: LiveCalls }) {
  const { active_calls, concurrency_limit, queued_calls, oldest_queued_at, calls, queue } = live;
  const behind = queued_calls - queue.length;
  const waitsSeconds = oldest_queued_at === null ? 0 : (Date.now() - Date.parse(oldest_queued_at)) / 1_000;
  return (
    <>
      <dl class="facts figures">
        <div>
          <dt>{t('Live now')}</dt>
          <dd class="figure">{t('{{active}} of {{limit}}', { active: active_calls, limit: concurrency_limit })}</dd>
        </div>
        <div>
          <dt>{t('Waiting')}</dt>
          <dd class="figure">{queued_calls.toLocaleString()}</dd>
        </div>
        <div>
          <dt>{t('The oldest waits for')}</dt>
          <dd class="figure">{waitsSeconds > 0 ? lengthText(waitsSeconds) : '–'}</dd>
        </div>
      </dl>
      <section class="panel" aria-labelledby="live-title">
        <h2 id="live-title">{t('Live calls')}</h2>
        {calls.length === 0 ? (
          <p class="quiet">{t('Nobody is on the phone at the moment.')}</p>
        ) : (
          <ul class="rows">
            {calls.map((call) => (
              <li key={call.id}>
                <span class="row-text">
                  <a href={`/calls/${call.id}`}>{otherEnd(call)}</a>
                  <span class="quiet small">
                    {[
                      call.agent_name,
                      call.started_at && t('since {{time}}', { time: timeText(call.started_at, Date.now()) }),
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                  </span>
                </span>
                <span class="chip" data-tone="live">
                  {statusText(call).text}
                </span>
                <EndButton callId={call.id} text={t('Hang up')} name={otherEnd(call)} />
              </li>
            ))}
          </ul>
        )}
      </section>
      <section class="panel" aria-labelledby="waiting-title">
        <h2 id="waiting-title">{t('Next calls, in the order in which they are dialled')}</h2>
        {queue.length === 0 ? (
          <Nothing title={t('No call waits for its turn.')}>
            {queued_calls === 0 &&
              t('Calls wait here when all lines are in use, or outside the calling hours of their agent.')}
          </Nothing>
        ) : (
          <ol class="rows queue">
            {queue.map((call, at) => (
              <li key={call.id}>
                <span class="queue-position" aria-hidden="true">
                  {at + 1}
                </span>
                <span class="row-text">
                  <a href={`/calls/${call.id}`}>{call.to_number}</a>
                  <span class="quiet small">
                    {waitText(call)}
                    {call.batch_id && (
                      <>
                        {' · '}
                        <a href={`/batches/${call.batch_id}`}>{call.started_by.replace(/^batch /, '')}</a>
                      </>
                    )}
                  </span>
                </span>
                <EndButton callId={call.id} text={t('Cancel')} name={call.to_number} />
              </li>
            ))}
          </ol>
        )}
        {behind > 0 && (
          <p class="quiet">
            {tn(
              '{{count}} more call waits: further behind, or for a paused agent or batch.',
              '{{count}} more calls wait: further behind, or for a paused agent or batch.',
              behind,
            )}{' '}
            <a href="/calls?status=queued">{t('Show all that wait')}</a>
          </p>
        )}
      </section>
    </>
  );
}

function waitText({ agent_name, queued_at, started_by, batch_id }: LiveCalls['queue'][number]): string {
  const time = timeText(queued_at, Date.now());
  const when = Date.parse(queued_at) > Date.now() ? t('not before {{time}}', { time }) : t('since {{time}}', { time });
  return [agent_name, when, batch_id === null ? started_by : ''].filter(Boolean).join(' · ');
}

function EndButton({ callId, text, name }: { callId: string; text: string; name: string }) {
  const may = useMay();
  const client = useQueryClient();
  const ending = useMutation({
    mutationFn: () => ok(hangUp(callId)),
    onError: (error) => toast(changeProblemText(error), { tone: 'error' }),
    onSettled: () => client.invalidateQueries({ queryKey: QUEUE_KEY }),
  });
  if (!may('calls.place')) return null;
  return (
    <button
      type="button"
      class="plain"
      aria-label={`${text}: ${name}`}
      disabled={ending.isPending}
      onClick={() => ending.mutate()}
    >
      {text}
    </button>
  );
}
