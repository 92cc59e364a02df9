import type { Clock } from '../../shared/clock.ts';
import { type SafeFetch, SafeFetchError, type SafeResponse } from '../../shared/safe-fetch.ts';
import type { AnySql } from '../db/connect.ts';
import { storableText } from '../db/storable-text.ts';
import type { OutgoingDelivery } from './claim-deliveries.ts';
import { signatureHeader, type WebhookSecrets } from './webhook-secrets.ts';

const RESPONSE_TIMEOUT_MS = 10_000;
const MAX_STORED_BYTES = 4_096;
const USER_AGENT = 'Service-Webhooks/1.0';

/** A delivery ready to be sent. */
export interface DeliveryRequest {
  delivery_id: string;
  event_type: string;
  body: string;
  url: string;
  /** Null when it cannot be decrypted: nothing is sent unsigned. */
  secret: string | null;
}

/** The record of one attempt. */
export interface Attempt {
  delivered: boolean;
  /** A retry cannot help: the host resolves to an address that is not allowed. */
  non_retryable: boolean;
  url: string;
  /** When it began. */
  at: Date;
  /** Milliseconds since 1970. */
  ended_at_ms: number;
  /** Null without a response. */
  status_code: number | null;
  error: string;
  latency_ms: number;
  request_headers: Record<string, string>;
  response_headers: Record<string, string>;
  response_body: string;
}

/**
 * Sends a delivery once, signed with the present time, to an address that was checked when the connection was opened,
 * within 10 seconds. Failures are attempts as well; null when `signal` aborted it, and it is unknown whether it arrived.
 */
export async function attemptDelivery(
  { fetch, clock }: { fetch: SafeFetch; clock: Clock },
  { delivery_id, event_type, body, url, secret }: DeliveryRequest,
  signal?: AbortSignal,
): Promise<Attempt | null> {
  const begun = clock.now();
  const at = new Date(clock.wall());
  const publicHeaders = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'x-svc-event': event_type,
    'x-svc-delivery': delivery_id,
  };
  const ended = (outcome: Outcome): Attempt => ({
    non_retryable: false,
    status_code: null,
    response_headers: {},
    response_body: '',
    ...outcome,
    url,
    at,
    ended_at_ms: clock.wall(),
    latency_ms: Math.max(0, Math.round(clock.now() - begun)),
    request_headers: { ...publicHeaders, 'x-svc-signature': '***' },
  });
  if (secret === null) return ended({ delivered: false, error: 'secret not readable' });
  if (URL.parse(url)?.protocol !== 'https:') return ended({ delivered: false, error: 'invalid url' });
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...publicHeaders, 'x-svc-signature': signatureHeader(secret, body, at.getTime()) },
      body,
      timeoutMs: RESPONSE_TIMEOUT_MS,
      maxBytes: MAX_STORED_BYTES,
      ...(signal ? { signal } : {}),
    });
    return ended(outcomeOf(response));
  } catch (error) {
    if (!(error instanceof SafeFetchError)) throw error;
    if (error.kind === 'aborted') return null;
    return ended({ delivered: false, non_retryable: error.kind === 'address not allowed', error: error.kind });
  }
}

type Outcome = Pick<Attempt, 'delivered' | 'error'> & Partial<Attempt>;

/** Every 2xx is a success; a redirect is a failure and is not followed. */
function outcomeOf({ status, headers, body }: SafeResponse): Outcome {
  const delivered = status >= 200 && status < 300;
  const error = delivered ? '' : status >= 300 && status < 400 ? 'redirect' : `status ${status}`;
  return {
    delivered,
    error,
    status_code: status,
    response_headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, storableText(value)])),
    response_body: storableText(body),
  };
}

export type Receiver = { url: string; secret: string | null } | 'endpoint deleted' | 'endpoint inactive';

/** The URL and secret of a delivery, by the settings at the time of sending. */
export async function receiverOf(sql: AnySql, secrets: WebhookSecrets, outgoing: OutgoingDelivery): Promise<Receiver> {
  const { workspace_id, endpoint_id, endpoint_url, endpoint_secret } = outgoing;
  if (endpoint_id === 'agent' || endpoint_id === 'campaign') {
    const url = outgoing.configured_url;
    if (!url) return 'endpoint deleted';
    const sealed = outgoing.default_secret ?? (await secrets.ensureDefault(sql, workspace_id)).secret;
    return { url, secret: secrets.openDefault(workspace_id, sealed) };
  }
  if (endpoint_url === null || endpoint_secret === null) return 'endpoint deleted';
  if (!outgoing.endpoint_active) return 'endpoint inactive';
  return { url: endpoint_url, secret: secrets.openEndpoint(workspace_id, endpoint_id, endpoint_secret) };
}
