import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { getWebhooksDeliveries, type WebhookDelivery } from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { Loading, Problem } from '../ui/states.tsx';

const SHOWN = 50;
const REFRESH_MS = 5_000;

const statusTexts = (): Record<WebhookDelivery['status'], string> => ({
  pending: t('waiting'),
  delivered: t('delivered'),
  retrying: t('tried again'),
  failed: t('failed'),
});

/** The webhooks that were sent for this call; nothing when there were none. */
export function CallDeliveries({ callId, open }: { callId: string; open: boolean }) {
  const deliveries = useQuery({
    queryKey: ['deliveries', 'of-call', callId],
    queryFn: ({ signal }) => ok(getWebhooksDeliveries({ callId, limit: SHOWN }, { signal })),
    refetchInterval: open ? REFRESH_MS : false,
  });
  if (deliveries.data?.total === 0) return null;
  const texts = statusTexts();
  return (
    <section class="panel" aria-labelledby="deliveries-title">
      <h2 id="deliveries-title">{t('Webhooks sent')}</h2>
      {deliveries.data ? (
        <ul class="deliveries">
          {deliveries.data.items.map(({ id, event_type, status, attempts, last_status_code, url }) => (
            <li key={id}>
              <a href={`/webhooks/deliveries/${id}`}>{event_type}</a>
              <span class="chip" data-tone={status === 'delivered' ? 'good' : status === 'failed' ? 'bad' : 'plain'}>
                {[texts[status], last_status_code].filter(Boolean).join(' ')}
              </span>
              <span class="quiet">
                {[hostOf(url), tn('{{count}} attempt', '{{count}} attempts', attempts)].join(' · ')}
              </span>
            </li>
          ))}
          {deliveries.data.total > SHOWN && (
            <li>
              <a href={`/webhooks/deliveries?call=${callId}`}>
                {t('All {{count}} deliveries', { count: deliveries.data.total })}
              </a>
            </li>
          )}
        </ul>
      ) : deliveries.isError ? (
        <Problem error={deliveries.error} what={t('the webhooks')} onRetry={() => void deliveries.refetch()} />
      ) : (
        <Loading what={t('the webhooks')} />
      )}
    </section>
  );
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);
