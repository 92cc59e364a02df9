import type { Clock } from '../../shared/clock.ts';
import { type SafeFetch, SafeFetchError, type SafeResponse } from '../../shared/safe-fetch.ts';
import { signatureHeader } from './webhook-signature.ts';

const RESPONSE_TIMEOUT_MS = 10_000;
const MAX_STORED_BYTES = 4_096;
const USER_AGENT = 'Service-Webhooks/1.0';

/** What is sent, and where to. */
export interface DeliveryRequest {
  delivery_id: string;
  event_type: string;
  body: string;
  url: string;
  /** Null when it cannot be read: nothing is sent unsigned. */
  secret: string | null;
}

/** One attempt, as it is written down. */
export interface Attempt {
  delivered: boolean;
  /** Another attempt could not help: the host leads to an address that is not allowed. */
  non_retryable: boolean;
  url: string;
  /** When it began. */
  at: Date;
  /** When it was over, in milliseconds since 1970. */
  ended_at_ms: number;
  /** Null when nothing answered. */
  status_code: number | null;
  error: string;
  latency_ms: number;
  request_headers: Record<string, string>;
  response_headers: Record<string, string>;
  response_body: string;
}

/**
 * Sends once: signed now, over a connection of its own to an address checked with the same look-up, 10 seconds for all of
 * it. Every ending is an answer; null only when `signal` ended it, and then nobody knows whether it arrived.
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

/** Any 2xx will do; a redirect is a failure, and is not followed. */
function outcomeOf({ status, headers, body }: SafeResponse): Outcome {
  const delivered = status >= 200 && status < 300;
  const error = delivered ? '' : status >= 300 && status < 400 ? 'redirect' : `status ${status}`;
  return {
    delivered,
    error,
    status_code: status,
    response_headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, storable(value)])),
    response_body: storable(body),
  };
}

/** PostgreSQL's text holds no U+0000. */
const storable = (text: string) => text.replaceAll('\0', '').toWellFormed();
