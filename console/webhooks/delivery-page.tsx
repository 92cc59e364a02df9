import { ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useRoute } from 'preact-iso';
import { changeProblemText } from '../data/problem-text.ts';
import {
  getWebhooksDeliveriesDeliveryId as readDelivery,
  postWebhooksDeliveriesDeliveryIdRetry as retryDelivery,
  type WebhookDeliveryWithBodies,
} from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { BackIcon } from '../icons.tsx';
import { t } from '../texts/texts.ts';
import { CopyButton } from '../ui/copy.tsx';
import { Fact } from '../ui/fact.tsx';
import { latencyText, timeText } from '../ui/format.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { CodeText } from './code-text.tsx';
import { answerText, deliveryStatus, isOpen, readable, receiverText } from './webhook-texts.ts';
import './webhooks.css';

const REFRESH_MS = 3_000;

/** One delivery: what was sent, what came back, and one more attempt. */
export function DeliveryPage() {
  const { delivery_id = '' } = useRoute().params;
  const delivery = useQuery({
    queryKey: ['webhook-delivery', delivery_id],
    queryFn: ({ signal }) => ok(readDelivery(delivery_id, {}, { signal })),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? REFRESH_MS : false),
  });
  return (
    <main class="wide-page">
      <a class="back" href="/webhooks/deliveries">
        <BackIcon /> {t('All deliveries')}
      </a>
      {delivery.data ? (
        <Delivery delivery={delivery.data} />
      ) : (
        <>
          <Heading title={t('Delivery')} />
          {delivery.isError ? (
            <Problem error={delivery.error} what={t('this delivery')} onRetry={() => void delivery.refetch()} />
          ) : (
            <Loading what={t('the delivery')} />
          )}
        </>
      )}
    </main>
  );
}

function Delivery({ delivery }: { delivery: WebhookDeliveryWithBodies }) {
  const client = useQueryClient();
  const { id, event_type, event_id, endpoint_id, url, call_id, status, attempts } = delivery;
  const retrying = useMutation({
    mutationFn: () => ok(retryDelivery(id)),
    onSuccess: (sent) => {
      client.setQueryData(['webhook-delivery', id], sent);
      void client.invalidateQueries({ queryKey: ['webhook-deliveries'] });
    },
  });
  const { text, tone } = deliveryStatus(status);
  const now = Date.now();
  return (
    <>
      <div class="page-head">
        <Heading title={event_type} />
        <span class="chip" data-tone={tone}>
          {text}
        </span>
        <button
          type="button"
          class="secondary head-button"
          aria-disabled={retrying.isPending}
          onClick={() => !retrying.isPending && retrying.mutate()}
        >
          {retrying.isPending ? t('Sending …') : t('Send once more now')}
        </button>
      </div>
      <p class="error" role="alert">
        {retrying.isError && changeProblemText(retrying.error)}
      </p>
      <dl class="facts">
        <Fact name={t('To')}>{url || receiverText(endpoint_id, url)}</Fact>
        <Fact name={t('Answer')}>{answerText(delivery)}</Fact>
        <Fact name={t('Attempts')}>{attempts}</Fact>
        <Fact name={t('Took')}>{delivery.last_latency_ms === null ? '–' : latencyText(delivery.last_latency_ms)}</Fact>
        <Fact name={t('Made')}>{timeText(delivery.created_at, now)}</Fact>
        {delivery.last_attempt_at && <Fact name={t('Last attempt')}>{timeText(delivery.last_attempt_at, now)}</Fact>}
        {delivery.next_attempt_at && <Fact name={t('Next attempt')}>{timeText(delivery.next_attempt_at, now)}</Fact>}
        {call_id !== '' && (
          <Fact name={t('Call')}>
            <a href={`/calls/${call_id}`}>{t('Show the call')}</a>
          </Fact>
        )}
        <Fact name={t('Event')}>
          <code>{event_id}</code>
        </Fact>
      </dl>
      <div class="exchange">
        <section class="panel" aria-labelledby="request-title">
          <div class="page-head">
            <h2 id="request-title">{t('Sent')}</h2>
            <CopyButton text={delivery.request_body}>{t('Copy the body')}</CopyButton>
          </div>
          <Headers headers={delivery.request_headers} />
          {delivery.request_body === '' ? (
            <p class="quiet">{t('The body was deleted with its call.')}</p>
          ) : (
            <CodeText label={t('Body that was sent')} text={readable(delivery.request_body)} />
          )}
        </section>
        <section class="panel" aria-labelledby="response-title">
          <h2 id="response-title">{t('Answered')}</h2>
          <p class="quiet small">{t('The answer to the last attempt; of its body the first 4,096 bytes.')}</p>
          <Headers headers={delivery.response_headers} />
          {delivery.response_body === '' ? (
            <p class="quiet">{t('There is no body.')}</p>
          ) : (
            <CodeText label={t('Body of the answer')} text={readable(delivery.response_body)} />
          )}
        </section>
      </div>
    </>
  );
}

function Headers({ headers }: { headers: Readonly<Record<string, string>> }) {
  const entries = Object.entries(headers);
  if (entries.length === 0) return null;
  return (
    <dl class="headers">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
