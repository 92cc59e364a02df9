import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** AES-256-GCM (NIST SP 800-38D), bound to a context: what the bytes belong to. */

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** By which the result of `encrypt` is longer. */
export const OVERHEAD_BYTES = IV_BYTES + TAG_BYTES;

/** @param key of 32 bytes. @returns initialization vector, tag and ciphertext. */
export function encrypt(key: Uint8Array, bytes: Uint8Array, context: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(context));
  const encrypted = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
}

/** Null when the key or the context is another one, or the bytes were changed. */
export function decrypt(key: Uint8Array, encrypted: Uint8Array, context: string): Buffer | null {
  if (encrypted.length < OVERHEAD_BYTES) return null;
  try {
    const iv = encrypted.subarray(0, IV_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(context)).setAuthTag(encrypted.subarray(IV_BYTES, OVERHEAD_BYTES));
    return Buffer.concat([decipher.update(encrypted.subarray(OVERHEAD_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}
