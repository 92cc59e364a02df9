import { LRUCache } from 'lru-cache';

/**
 * Serialized responses, stored with the version of the data they were made of. A caller passes the current version and gets null
 * when another one is stored, so a response is never stale, however long it has been here.
 */
export interface ResponseCache {
  /** Whether it may pay to look the current version up. */
  has(name: string): boolean;
  get(name: string, version: string): string | null;
  set(name: string, version: string, json: string): void;
}

const MAX_ENTRY_SHARE = 0.1;

/**
 * @param maxCharacters of all responses together; one that would take a tenth of them is not stored.
 * @param maxAgeMs after which a response is dropped, asked for or not
 */
export function createResponseCache(maxCharacters: number, { maxAgeMs }: { maxAgeMs?: number } = {}): ResponseCache {
  const cache = new LRUCache<string, { version: string; json: string }>({
    ...(maxAgeMs === undefined ? {} : { ttl: maxAgeMs, ttlAutopurge: true }),
    maxSize: maxCharacters,
    maxEntrySize: Math.floor(maxCharacters * MAX_ENTRY_SHARE),
    sizeCalculation: ({ version, json }, name) => name.length + version.length + json.length,
  });
  return {
    has: (name) => cache.has(name),
    get(name, version) {
      const entry = cache.get(name);
      if (entry?.version === version) return entry.json;
      cache.delete(name);
      return null;
    },
    set: (name, version, json) => void cache.set(name, { version, json }),
  };
}
