import { randomFillSync } from 'node:crypto';

/**
 * Ids are UUIDs of version 7 (RFC 9562, section 5.7) written as 32 lower-case hex characters: 48 bits of
 * milliseconds first, so ids sort by creation.
 */
export function newId(wallMs: number = Date.now()): string {
  const bytes = randomFillSync(Buffer.allocUnsafe(16));
  bytes.writeUIntBE(wallMs, 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return bytes.toString('hex');
}

/** The moment an id was made, in milliseconds since 1970. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 12), 16);
}

/** An id in the API. */
export const ID_PATTERN = /^[a-f0-9]{32}$/;
