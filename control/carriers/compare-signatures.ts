import { createHmac, timingSafeEqual } from 'node:crypto';

/** base64 of the HMAC of UTF-8 text. */
export function hmacBase64(algorithm: 'sha1' | 'sha256', key: string, text: string): string {
  return createHmac(algorithm, key).update(text).digest('base64');
}

/** Compares every pair in constant time; true when any given signature equals any expected one. */
export function anySignatureMatches(given: readonly string[], expected: readonly string[]): boolean {
  let found = false;
  for (const signature of given) {
    const a = Buffer.from(signature);
    for (const other of expected) {
      const b = Buffer.from(other);
      if (a.length === b.length && timingSafeEqual(a, b)) found = true;
    }
  }
  return found;
}
