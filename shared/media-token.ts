import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { ID_PATTERN } from './ids.ts';

/**
 * The token with which a carrier opens a call's media stream. It is part of the path (proxies log queries), names the call,
 * expires, and can be used once. Media checks signature and age; control, when the session is opened, checks that it was not
 * used before, at any engine.
 *
 * Shape: `<call id, 32 hex>.<expiry, seconds since 1970, base 36>.<nonce, 16 hex>.<HMAC-SHA256, base64url>`.
 */
export interface MediaToken {
  call_id: string;
  /** Milliseconds since 1970. */
  expires_at_ms: number;
  /** Stored by control, which rejects a second use. */
  nonce: string;
}

const NONCE_PATTERN = /^[a-f0-9]{16}$/;

export function signMediaToken(secret: string, callId: string, expiresAtMs: number): string {
  const body = `${callId}.${Math.ceil(expiresAtMs / 1000).toString(36)}.${randomBytes(8).toString('hex')}`;
  return `${body}.${signature(secret, body)}`;
}

/** The token's content, or why it is rejected. */
export function readMediaToken(
  secret: string,
  text: string,
  wallMs: number,
): MediaToken | 'malformed' | 'forged' | 'expired' {
  const parts = text.split('.');
  if (text.length > 200 || parts.length !== 4) return 'malformed';
  const [callId, expiry, nonce, signed] = parts as [string, string, string, string];
  if (!ID_PATTERN.test(callId) || !NONCE_PATTERN.test(nonce)) return 'malformed';
  const expected = Buffer.from(signature(secret, `${callId}.${expiry}.${nonce}`));
  const given = Buffer.from(signed);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'forged';
  const expiresAtMs = Number.parseInt(expiry, 36) * 1000;
  if (!(expiresAtMs > wallMs)) return 'expired';
  return { call_id: callId, expires_at_ms: expiresAtMs, nonce };
}

function signature(secret: string, body: string): string {
  return createHmac('sha256', secret).update(`media ${body}`).digest('base64url');
}
