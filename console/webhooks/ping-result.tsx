import type { WebhookDeliveryWithBodies } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { latencyText } from '../ui/format.ts';
import { answerText } from './webhook-texts.ts';

/** What the receiver answered to a test. */
export function PingResult({ delivery }: { delivery: WebhookDeliveryWithBodies }) {
  const { id, status, last_latency_ms, response_body } = delivery;
  return (
    <div class={status === 'delivered' ? 'notice' : 'notice urgent'} role="status">
      <p>
        <strong>{answerText(delivery)}</strong>
        {last_latency_ms !== null && ` · ${latencyText(last_latency_ms)}`}{' '}
        <a href={`/webhooks/deliveries/${id}`}>{t('What was sent')}</a>
      </p>
      {response_body !== '' && <pre class="body-text short">{response_body}</pre>}
    </div>
  );
}
