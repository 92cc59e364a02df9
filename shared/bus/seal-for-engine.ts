import { createPublicKey, diffieHellman, generateKeyPairSync, hkdfSync } from 'node:crypto';
import { decrypt, encrypt } from '../aes-gcm.ts';

/**
 * Seals a text for the engine that asked for it, so that nobody else who reads the bus can: X25519 (RFC 7748) between a key pair of the
 * request and one of the reply, HKDF-SHA-256 (RFC 5869), AES-256-GCM. It does not prove who asked; the bus's own access rules do.
 */

const PUBLIC_KEY = { type: 'spki', format: 'der' } as const;
/** An X25519 key as SubjectPublicKeyInfo (RFC 8410). */
const PUBLIC_KEY_BYTES = 44;

/** The key pair of one request. */
export interface RequestKey {
  publicKey: Uint8Array;
  /** Returns null when it was sealed for another key or context, or changed. */
  open(sealed: Uint8Array, context: string): string | null;
}

export function createRequestKey(): RequestKey {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  const own = publicKey.export(PUBLIC_KEY);
  return {
    publicKey: own,
    open(sealed, context) {
      const bytes = Buffer.from(sealed);
      try {
        const other = bytes.subarray(0, PUBLIC_KEY_BYTES);
        const secret = diffieHellman({ privateKey, publicKey: createPublicKey({ key: other, ...PUBLIC_KEY }) });
        const key = keyOf(secret, own, other);
        return decrypt(key, bytes.subarray(PUBLIC_KEY_BYTES), context)?.toString('utf8') ?? null;
      } catch {
        return null;
      }
    },
  };
}

/**
 * @param context what the text belongs to, such as a call's id: it is opened for the same one only
 * @throws Error when it is not the public key of a `RequestKey`
 */
export function sealForRequest(publicKey: Uint8Array, text: string, context: string): Uint8Array {
  const pair = generateKeyPairSync('x25519');
  const own = pair.publicKey.export(PUBLIC_KEY);
  const recipient = createPublicKey({ key: Buffer.from(publicKey), ...PUBLIC_KEY });
  const secret = diffieHellman({ privateKey: pair.privateKey, publicKey: recipient });
  return Buffer.concat([own, encrypt(keyOf(secret, publicKey, own), Buffer.from(text), context)]);
}

const keyOf = (secret: Buffer, recipient: Uint8Array, sender: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, Buffer.concat([recipient, sender]), 'antiphon request', 32));
