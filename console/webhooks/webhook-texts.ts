import type { Tone } from '../calls/call-texts.ts';
import type { WebhookDelivery, WebhookEndpoint } from '../generated/api.ts';
import { t } from '../texts/texts.ts';

/** What the pages write about endpoints and deliveries. */

export type DeliveryStatus = WebhookDelivery['status'];

export const DELIVERY_STATUSES: readonly DeliveryStatus[] = ['pending', 'delivered', 'retrying', 'failed'];

export function deliveryStatus(status: DeliveryStatus): { text: string; tone: Tone } {
  const texts: Record<DeliveryStatus, { text: string; tone: Tone }> = {
    pending: { text: t('Waiting'), tone: 'plain' },
    delivered: { text: t('Delivered'), tone: 'good' },
    retrying: { text: t('Sent again later'), tone: 'live' },
    failed: { text: t('Failed'), tone: 'bad' },
  };
  return texts[status] ?? { text: status, tone: 'plain' };
}

type LastAttempt = Pick<WebhookDelivery, 'last_status_code' | 'last_error' | 'last_attempt_at'>;

/** What came of the last attempt, such as `Answered 200` or `Nothing answered in time`. */
export function answerText({ last_status_code, last_error, last_attempt_at }: LastAttempt): string {
  if (last_attempt_at === null && last_error === '') return t('Not sent yet');
  if (last_error === 'redirect')
    return t('Answered {{code}}: a redirect is not followed', { code: String(last_status_code ?? '') });
  if (last_status_code !== null) return t('Answered {{code}}', { code: String(last_status_code) });
  const texts: Record<string, string> = {
    timeout: t('No answer within 10 seconds'),
    'connection refused': t('The connection was refused'),
    'connection broken': t('The connection broke'),
    'certificate not valid': t('The certificate is not valid'),
    'host not found': t('There is no such host'),
    'address not allowed': t('The address is not on the public internet'),
    'invalid url': t('The URL is not valid'),
    'endpoint deleted': t('The endpoint was deleted'),
    'endpoint inactive': t('The endpoint was switched off'),
    'secret not readable': t('The secret could not be read'),
  };
  return texts[last_error] ?? last_error;
}

/** Whom it was for: the endpoint's host, or whose setting has the URL. */
export function receiverText(endpointId: string, url: string): string {
  if (endpointId === 'agent') return t('{{host}} (of the agent)', { host: hostOf(url) });
  if (endpointId === 'campaign') return t('{{host}} (of the batch)', { host: hostOf(url) });
  return hostOf(url);
}

export const endpointName = ({ description, url }: Pick<WebhookEndpoint, 'description' | 'url'>): string =>
  description || url.replace(/^https:\/\//, '');

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

/** JSON with a line for each field; other text as it is. */
export function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Whether more will happen to it without anybody's doing. */
export const isOpen = ({ status }: Pick<WebhookDelivery, 'status'>): boolean =>
  status === 'pending' || status === 'retrying';
