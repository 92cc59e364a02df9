import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { getWebhooks, type WebhookEndpointWithSecret } from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { t } from '../texts/texts.ts';
import { ShownOnce } from '../ui/copy.tsx';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { DefaultSecret } from './default-secret.tsx';
import { EndpointCard } from './endpoint-card.tsx';
import { EndpointDialog } from './endpoint-dialog.tsx';
import { WebhookTabs } from './webhook-tabs.tsx';
import './webhooks.css';

/** The endpoints that get the events of the workspace's calls. */
export function WebhooksPage() {
  const endpoints = useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => ok(getWebhooks({}, { signal })),
  });
  const [making, setMaking] = useState(false);
  const [secret, setSecret] = useState<WebhookEndpointWithSecret | null>(null);
  return (
    <main class="wide-page">
      <div class="page-head">
        <Heading title={t('Webhooks')} />
        <button type="button" class="primary head-button" onClick={() => setMaking(true)}>
          {t('New endpoint')}
        </button>
      </div>
      <WebhookTabs />
      {secret && (
        <ShownOnce
          title={t('The secret of {{url}}.', { url: secret.url })}
          secret={secret.secret}
          onStored={() => setSecret(null)}
        />
      )}
      {endpoints.data ? (
        endpoints.data.length === 0 ? (
          <Nothing title={t('There are no endpoints yet.')}>
            {t('An endpoint is a URL of your server. The service sends it every event of your calls, signed.')}
          </Nothing>
        ) : (
          <ul class="endpoints" aria-label={t('Endpoints')}>
            {endpoints.data.map((endpoint) => (
              <EndpointCard key={endpoint.id} endpoint={endpoint} onSecret={setSecret} />
            ))}
          </ul>
        )
      ) : endpoints.isError ? (
        <Problem error={endpoints.error} what={t('the endpoints')} onRetry={() => void endpoints.refetch()} />
      ) : (
        <Loading what={t('the endpoints')} />
      )}
      <DefaultSecret />
      {making && (
        <EndpointDialog
          endpoint={null}
          onClose={() => setMaking(false)}
          onSaved={(made) => {
            setMaking(false);
            if ('secret' in made) setSecret(made);
          }}
        />
      )}
    </main>
  );
}
