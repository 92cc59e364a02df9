import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { getWebhooksEvents } from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { t } from '../texts/texts.ts';
import { CopyButton } from '../ui/copy.tsx';
import { Loading, Problem } from '../ui/states.tsx';
import { CodeText } from './code-text.tsx';
import { exampleOf } from './event-examples.ts';
import { eventText } from './event-texts.ts';
import { WebhookTabs } from './webhook-tabs.tsx';
import './webhooks.css';

/** Every event that is sent, with an example of its body. */
export function EventsPage() {
  const events = useQuery({
    queryKey: ['webhook-events'],
    queryFn: ({ signal }) => ok(getWebhooksEvents({}, { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <main class="wide-page">
      <div class="page-head">
        <Heading title={t('Events')} />
      </div>
      <WebhookTabs />
      <p class="quiet">
        {t(
          'Each is sent as a POST with a JSON body, at least once and now and then in another order: sort by created_at, and leave out what has an X-Svc-Delivery that you had before.',
        )}
      </p>
      {events.data ? (
        <ul class="events" aria-label={t('Events')}>
          {[...events.data, { type: 'ping', description: '', lifecycle: false }].map((event) => (
            <li key={event.type}>
              <details class="card">
                <summary>
                  <code>{event.type}</code> <span class="quiet">{eventText(event.type, event.description)}</span>
                  {event.lifecycle && <span class="chip">{t('Life of a call')}</span>}
                </summary>
                <Example type={event.type} />
              </details>
            </li>
          ))}
        </ul>
      ) : events.isError ? (
        <Problem error={events.error} what={t('the events')} onRetry={() => void events.refetch()} />
      ) : (
        <Loading what={t('the events')} />
      )}
    </main>
  );
}

function Example({ type }: { type: string }) {
  const body = exampleOf(type);
  if (body === null) return <p class="quiet">{t('There is no example of this event.')}</p>;
  const text = JSON.stringify(body, null, 2);
  return (
    <>
      <CopyButton text={text}>{t('Copy the example')}</CopyButton>
      <CodeText label={t('Example of {{type}}', { type })} text={text} />
    </>
  );
}
