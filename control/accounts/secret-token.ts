import { createHash, randomBytes } from 'node:crypto';

/** Secret tokens: a prefix for their kind, and 43 characters of base64url (32 random bytes). */
export type TokenPrefix = 'svcs_' | 'svco_' | 'svcr_' | 'svcl_' | 'svcc_' | 'svcp_' | 'svcd_' | '';

export function newToken(prefix: TokenPrefix): string {
  return prefix + randomBytes(32).toString('base64url');
}

export function looksLikeToken(prefix: TokenPrefix, text: string): boolean {
  return text.startsWith(prefix) && /^[\w-]{43}$/.test(text.slice(prefix.length));
}

/** The hash that is stored and looked up. */
export const hashOfToken = (token: string): Buffer => createHash('sha256').update(token).digest();
