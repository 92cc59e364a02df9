import { createHmac, randomInt } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'whsec_';
const SECRET_CHARACTERS = 43;

/** `whsec_` and 43 characters of base62, 256 bits. */
export function newWebhookSecret(): string {
  return PREFIX + Array.from({ length: SECRET_CHARACTERS }, () => BASE62[randomInt(BASE62.length)]).join('');
}

/** What may be shown of a secret: its first and last four characters. */
export function secretHint(secret: string): string {
  const random = secret.slice(PREFIX.length);
  return `${PREFIX}${random.slice(0, 4)}…${random.slice(-4)}`;
}

/**
 * The header `X-Svc-Signature`: `t=<unix seconds>,v1=<hex>`, where v1 is the HMAC-SHA256 of `<t>.<body>` under the whole
 * secret, its prefix included. It is the scheme of Stripe's webhooks (docs.stripe.com/webhooks, "Verify manually"), so
 * that their libraries can check it.
 */
export function signatureHeader(secret: string, body: string, wallMs: number): string {
  const t = Math.floor(wallMs / 1_000);
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  return `t=${t},v1=${v1}`;
}
