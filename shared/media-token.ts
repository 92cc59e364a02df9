import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { commaSeparated } from './comma-separated.ts';
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
const MIN_SECRET_CHARACTERS = 16;

/** The setting: several secrets with commas, of which the first signs and all are accepted, so that it can be replaced. */
export const mediaTokenSecrets = z
  .string()
  .refine(
    (text) => text !== '' && text.split(',').every((secret) => secret.trim().length >= MIN_SECRET_CHARACTERS),
    `needs at least ${MIN_SECRET_CHARACTERS} characters, the same in media and control`,
  );

/** Of the call itself, or of a person who takes part in it: neither is taken for the other. */
export type TokenPurpose = 'media' | 'participant';

/** @param secrets see `mediaTokenSecrets`. */
export function signMediaToken(
  secrets: string,
  callId: string,
  expiresAtMs: number,
  purpose: TokenPurpose = 'media',
): string {
  const body = `${callId}.${Math.ceil(expiresAtMs / 1000).toString(36)}.${randomBytes(8).toString('hex')}`;
  return `${body}.${signature(commaSeparated(secrets)[0]!, body, purpose)}`;
}

/**
 * The token's content, or why it is rejected.
 *
 * @param secrets see `mediaTokenSecrets`.
 */
export function readMediaToken(
  secrets: string,
  text: string,
  wallMs: number,
  purpose: TokenPurpose = 'media',
): MediaToken | 'malformed' | 'forged' | 'expired' {
  const parts = text.split('.');
  if (text.length > 200 || parts.length !== 4) return 'malformed';
  const [callId, expiry, nonce, signed] = parts as [string, string, string, string];
  if (!ID_PATTERN.test(callId) || !NONCE_PATTERN.test(nonce)) return 'malformed';
  const given = Buffer.from(signed);
  const signedWith = (secret: string) => {
    const expected = Buffer.from(signature(secret, `${callId}.${expiry}.${nonce}`, purpose));
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  if (!commaSeparated(secrets).some(signedWith)) return 'forged';
  const expiresAtMs = Number.parseInt(expiry, 36) * 1000;
  if (!(expiresAtMs > wallMs)) return 'expired';
  return { call_id: callId, expires_at_ms: expiresAtMs, nonce };
}

function signature(secret: string, body: string, purpose: TokenPurpose): string {
  return createHmac('sha256', secret).update(`${purpose} ${body}`).digest('base64url');
}
