import { ok } from '@oazapfts/runtime';
import { useInfiniteQuery, useQuery } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { withFilter } from '../calls/call-filters.ts';
import { getWebhooks, getWebhooksDeliveries, getWebhooksEvents, type WebhookDelivery } from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { t } from '../texts/texts.ts';
import { timeText } from '../ui/format.ts';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { deliveryFiltersIn } from './delivery-filters.ts';
import { WebhookTabs } from './webhook-tabs.tsx';
import { answerText, DELIVERY_STATUSES, deliveryStatus, endpointName, receiverText } from './webhook-texts.ts';
import './webhooks.css';

const PAGE_SIZE = 50;
const REFRESH_MS = 5_000;

/** What was sent in the last 30 days, newest first; the filters are in the address. */
export function DeliveriesPage() {
  const { path, query, route } = useLocation();
  const endpoints = useQuery({ queryKey: ['webhooks'], queryFn: ({ signal }) => ok(getWebhooks({}, { signal })) });
  const events = useQuery({
    queryKey: ['webhook-events'],
    queryFn: ({ signal }) => ok(getWebhooksEvents({}, { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const types = ['ping', ...(events.data ?? []).map(({ type }) => type)];
  const filters = deliveryFiltersIn(query, types);
  const filtered = Object.keys(filters).length > 0;
  const deliveries = useInfiniteQuery({
    queryKey: ['webhook-deliveries', filters],
    queryFn: ({ signal, pageParam }) =>
      ok(getWebhooksDeliveries({ ...filters, limit: PAGE_SIZE, skip: pageParam }, { signal })),
    initialPageParam: 0,
    getNextPageParam: ({ items }, pages) => (items.length < PAGE_SIZE ? undefined : pages.length * PAGE_SIZE),
    // Until the events are there, the filter of the address cannot be read.
    enabled: !query.event || events.data !== undefined,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : REFRESH_MS),
  });
  const rows = deliveries.data?.pages.flatMap(({ items }) => items) ?? [];
  const first = deliveries.data?.pages[0];
  const set = (name: string, value: string) => route(withFilter(path, query, name, value), true);
  return (
    <main class="wide-page">
      <div class="page-head">
        <Heading title={t('Deliveries')} />
        <span class="quiet" role="status">
          {first &&
            (first.total_is_estimate
              ? t('More than {{count}} in 30 days', { count: first.total })
              : t('{{count}} in 30 days', { count: first.total }))}
        </span>
      </div>
      <WebhookTabs />
      <search class="filters" aria-label={t('Filters')}>
        <Choice name={t('Endpoint')} value={query.endpoint ?? ''} onChange={(value) => set('endpoint', value)}>
          {[
            ...(endpoints.data ?? []).map((endpoint) => ({ value: endpoint.id, label: endpointName(endpoint) })),
            { value: 'agent', label: t('URLs of agents') },
            { value: 'campaign', label: t('URLs of batches') },
          ]}
        </Choice>
        <Choice name={t('Event')} value={query.event ?? ''} onChange={(value) => set('event', value)}>
          {types.map((type) => ({ value: type, label: type }))}
        </Choice>
        <Choice name={t('Status')} value={query.status ?? ''} onChange={(value) => set('status', value)}>
          {DELIVERY_STATUSES.map((status) => ({ value: status, label: deliveryStatus(status).text }))}
        </Choice>
        <label class="filter">
          <span>{t('Id of the call')}</span>
          <input
            type="text"
            value={query.call ?? ''}
            onChange={(event) => set('call', event.currentTarget.value.trim())}
          />
        </label>
        {filtered && (
          <button type="button" class="plain" onClick={() => route(path, true)}>
            {t('Clear all')}
          </button>
        )}
      </search>
      {deliveries.isPending ? (
        <Loading what={t('the deliveries')} />
      ) : deliveries.isError && rows.length === 0 ? (
        <Problem error={deliveries.error} what={t('the deliveries')} onRetry={() => void deliveries.refetch()} />
      ) : rows.length === 0 ? (
        <Nothing title={filtered ? t('No delivery fits these filters.') : t('Nothing was sent yet.')}>
          {!filtered && <a href="/webhooks">{t('Send a test to an endpoint to see it here.')}</a>}
        </Nothing>
      ) : (
        <ul class="deliveries" aria-label={t('Deliveries')}>
          {rows.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} />
          ))}
        </ul>
      )}
      {deliveries.hasNextPage && (
        <button type="button" class="secondary show-more" onClick={() => void deliveries.fetchNextPage()}>
          {t('Show more')}
        </button>
      )}
    </main>
  );
}

function DeliveryRow({ delivery }: { delivery: WebhookDelivery }) {
  const { id, event_type, endpoint_id, url, status, created_at } = delivery;
  const { text, tone } = deliveryStatus(status);
  return (
    <li class="delivery-row">
      <time class="quiet small" dateTime={created_at}>
        {timeText(created_at, Date.now())}
      </time>
      <span class="delivery-name">
        <a href={`/webhooks/deliveries/${id}`}>{event_type}</a>
        <span class="quiet small">{receiverText(endpoint_id, url)}</span>
      </span>
      <span class="chip" data-tone={tone}>
        {text}
      </span>
      <span class="quiet small delivery-answer">{answerText(delivery)}</span>
    </li>
  );
}

interface ChoiceProps {
  name: string;
  value: string;
  onChange: (value: string) => void;
  children: readonly { value: string; label: string }[];
}

function Choice({ name, value, onChange, children }: ChoiceProps) {
  return (
    <label class="filter">
      <span>{name}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{t('Any')}</option>
        {children.map((each) => (
          <option key={each.value} value={each.value}>
            {each.label}
          </option>
        ))}
      </select>
    </label>
  );
}
