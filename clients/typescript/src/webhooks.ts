import type { WebhookEvent } from '../generated/operations.ts';

const TOLERANCE_SECONDS = 300;

export interface Delivery {
  /** The endpoint's secret, `whsec_…`; for the URLs of agents and campaigns the workspace's default secret. */
  secret: string;
  /** The header `X-Svc-Signature`. */
  signature: string | null | undefined;
  /** As it arrived, before any parsing. */
  body: string | Uint8Array;
  /** Unix seconds; default: now. */
  nowSeconds?: number;
}

/** The request is not from the service, or older than five minutes. */
export class WebhookSignatureError extends Error {
  override readonly name = 'WebhookSignatureError';
}

/**
 * Checks the signature of a delivery, in constant time, and returns its event.
 * @throws WebhookSignatureError
 */
export async function verifyWebhook({ secret, signature, body, nowSeconds }: Delivery): Promise<WebhookEvent> {
  const { t = '', v1 = '' } = Object.fromEntries((signature ?? '').split(',').map((part) => part.split('=', 2)));
  const ageSeconds = (nowSeconds ?? Date.now() / 1_000) - Number(t);
  if (!/^\d+$/.test(t) || Math.abs(ageSeconds) > TOLERANCE_SECONDS) {
    throw new WebhookSignatureError('the signature has no time, or one that is not now');
  }
  const encoder = new TextEncoder();
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const signed = new Uint8Array([...encoder.encode(`${t}.`), ...bytes]);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['verify']);
  if (!(await crypto.subtle.verify('HMAC', key, bytesOf(v1), signed))) {
    throw new WebhookSignatureError('the signature is not that of the secret');
  }
  return JSON.parse(new TextDecoder().decode(bytes));
}

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/[0-9a-f]{2}/gi) ?? [], (pair) => Number.parseInt(pair, 16));
