import { randomFillSync } from 'node:crypto';

/**
 * Request ids look like every other id (see shared/ids.ts): a UUID of version 7 as 32 hex characters. Every request needs one, and
 * asking for a few random bytes costs as much as asking for many: they are drawn for 400 ids at once.
 */
export function createRequestIds(wall: () => number): () => string {
  const RANDOM_BYTES = 10;
  const drawn = Buffer.alloc(400 * RANDOM_BYTES);
  const id = Buffer.alloc(16);
  let used = drawn.length;
  return () => {
    if (used === drawn.length) {
      randomFillSync(drawn);
      used = 0;
    }
    id.writeUIntBE(wall(), 0, 6);
    drawn.copy(id, 6, used, used + RANDOM_BYTES);
    used += RANDOM_BYTES;
    id[6] = 0x70 | (id[6]! & 0x0f);
    id[8] = 0x80 | (id[8]! & 0x3f);
    return id.toString('hex');
  };
}
