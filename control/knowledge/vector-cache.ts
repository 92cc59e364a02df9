import type { Sql } from '../db/connect.ts';
import { readVectors, type SearchedBase } from './search-store.ts';

/**
 * Caches the vectors of the most recently searched knowledge bases in memory: reading them for every query of a call would
 * take too long. A base whose revision changed is read again.
 */
export interface VectorCache {
  /** Starts reading the bases that are not cached. Never rejects. */
  warm(workspaceId: string, bases: readonly SearchedBase[]): void;
  /** Returns the passages most similar to the query, at most `limit`, none below `minSimilarity` (cosine). */
  nearest(
    workspaceId: string,
    bases: readonly SearchedBase[],
    query: Float32Array,
    minSimilarity: number,
    limit: number,
  ): Promise<SimilarPassage[]>;
}

export interface SimilarPassage {
  source_id: string;
  number: number;
  similarity: number;
}

interface CachedVectors {
  revision: number;
  dimensions: number;
  keys: { source_id: string; number: number }[];
  /** All vectors in one array. */
  values: Float32Array;
}

/** Further passages of a base are found by keywords only. */
const MAX_PASSAGES_PER_BASE = 5_000;
const READ_BATCH_ROWS = 250;
/** The event loop runs after each batch of comparisons. */
const COMPARE_BATCH_SIZE = 2_000;

export function createVectorCache(sql: Sql, model: string, maxBytes = 256 * 1024 * 1024): VectorCache {
  /** Least recently used first. */
  const cache = new Map<string, Promise<CachedVectors>>();
  const sizes = new Map<string, { bytes: number; revision: number }>();

  async function read(workspaceId: string, { id, revision }: SearchedBase): Promise<CachedVectors> {
    const keys: CachedVectors['keys'] = [];
    const vectors: Float32Array[] = [];
    let after = { source_id: '', number: 0 };
    while (keys.length < MAX_PASSAGES_PER_BASE) {
      const rows = await readVectors(sql, workspaceId, id, model, after, READ_BATCH_ROWS);
      for (const { source_id, number, embedding } of rows) {
        const vector = vectorFromBytes(embedding);
        // From another model of the same name: skipped.
        if (vectors[0] && vector.length !== vectors[0].length) continue;
        vectors.push(vector);
        keys.push({ source_id, number });
      }
      const last = rows.at(-1);
      if (!last || rows.length < READ_BATCH_ROWS) break;
      after = last;
    }
    const dimensions = vectors[0]?.length ?? 0;
    const values = new Float32Array(dimensions * vectors.length);
    for (const [index, vector] of vectors.entries()) values.set(vector, index * dimensions);
    return { revision, dimensions, keys, values };
  }

  function get(workspaceId: string, base: SearchedBase): Promise<CachedVectors> {
    const key = `${workspaceId} ${base.id}`;
    const known = sizes.get(key)?.revision === base.revision ? cache.get(key) : undefined;
    const vectors = known ?? read(workspaceId, base);
    cache.delete(key);
    cache.set(key, vectors);
    if (!known) {
      sizes.set(key, { bytes: 0, revision: base.revision });
      vectors.then(
        ({ values }) => {
          if (cache.get(key) !== vectors) return;
          sizes.set(key, { bytes: values.byteLength, revision: base.revision });
          evict();
        },
        () => {
          if (cache.get(key) === vectors) forget(key);
        },
      );
    }
    return vectors;
  }

  function evict(): void {
    let bytes = [...sizes.values()].reduce((sum, each) => sum + each.bytes, 0);
    for (const key of [...cache.keys()]) {
      if (bytes <= maxBytes) return;
      bytes -= sizes.get(key)?.bytes ?? 0;
      forget(key);
    }
  }

  function forget(key: string): void {
    cache.delete(key);
    sizes.delete(key);
  }

  return {
    warm(workspaceId, bases) {
      for (const base of bases) get(workspaceId, base).catch(() => {});
    },
    async nearest(workspaceId, bases, query, minSimilarity, limit) {
      const found: SimilarPassage[] = [];
      for (const base of bases) {
        const { keys, values, dimensions } = await get(workspaceId, base);
        if (dimensions !== query.length) continue;
        for (const [index, key] of keys.entries()) {
          const similarity = dot(values, index * dimensions, query);
          if (similarity >= minSimilarity) found.push({ ...key, similarity: similarity });
          if (index % COMPARE_BATCH_SIZE === COMPARE_BATCH_SIZE - 1)
            await new Promise((resolve) => setImmediate(resolve));
        }
      }
      return found.sort((a, b) => b.similarity - a.similarity).slice(0, limit);
    },
  };
}

/** The dot product, which is the cosine similarity of vectors of length 1. */
function dot(values: Float32Array, from: number, query: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < query.length; index++) sum += values[from + index]! * query[index]!;
  return sum;
}

export function vectorToBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes;
}

function vectorFromBytes(bytes: Buffer): Float32Array {
  const vector = new Float32Array(Math.floor(bytes.length / 4));
  for (let index = 0; index < vector.length; index++) vector[index] = bytes.readFloatLE(index * 4);
  return vector;
}
