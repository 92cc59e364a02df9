import type { Sql } from '../db/connect.ts';
import { readVectors, type SearchedBase } from './store.ts';

/**
 * The vectors of knowledge bases, kept in memory by what was searched last: reading them anew for every question of a call
 * would take longer than the caller waits. A base whose passages changed is read again.
 */
export interface VectorCache {
  /** Begins to read what is not there. Never rejects. */
  warm(workspaceId: string, bases: readonly SearchedBase[]): void;
  /** Passages of the bases by nearness, at most `limit`, none below `least` (cosine). */
  nearest(
    workspaceId: string,
    bases: readonly SearchedBase[],
    query: Float32Array,
    least: number,
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
  /** One vector behind the other. */
  values: Float32Array;
}

/** Beyond so many passages of one base the rest is found by words only. */
const MAX_PASSAGES_PER_BASE = 5_000;
const READ_BATCH_ROWS = 250;
/** Long bases give way to a timer or a call's event between so many. */
const COMPARE_BATCH_SIZE = 2_000;

export function createVectorCache(sql: Sql, model: string, mostBytes = 256 * 1024 * 1024): VectorCache {
  /** In the order they were used. */
  const shelf = new Map<string, Promise<CachedVectors>>();
  const sizes = new Map<string, { bytes: number; revision: number }>();

  async function read(workspaceId: string, { id, revision }: SearchedBase): Promise<CachedVectors> {
    const keys: CachedVectors['keys'] = [];
    const vectors: Float32Array[] = [];
    let after = { source_id: '', number: 0 };
    while (keys.length < MAX_PASSAGES_PER_BASE) {
      const rows = await readVectors(sql, workspaceId, id, model, after, READ_BATCH_ROWS);
      for (const { source_id, number, embedding } of rows) {
        const vector = vectorFromBytes(embedding);
        // A server that changed what its model is: as if there were none.
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
    const known = sizes.get(key)?.revision === base.revision ? shelf.get(key) : undefined;
    const kept = known ?? read(workspaceId, base);
    shelf.delete(key);
    shelf.set(key, kept);
    if (!known) {
      sizes.set(key, { bytes: 0, revision: base.revision });
      kept.then(
        ({ values }) => {
          if (shelf.get(key) !== kept) return;
          sizes.set(key, { bytes: values.byteLength, revision: base.revision });
          makeRoom();
        },
        () => {
          if (shelf.get(key) === kept) forget(key);
        },
      );
    }
    return kept;
  }

  function makeRoom(): void {
    let bytes = [...sizes.values()].reduce((sum, each) => sum + each.bytes, 0);
    for (const key of [...shelf.keys()]) {
      if (bytes <= mostBytes) return;
      bytes -= sizes.get(key)?.bytes ?? 0;
      forget(key);
    }
  }

  function forget(key: string): void {
    shelf.delete(key);
    sizes.delete(key);
  }

  return {
    warm(workspaceId, bases) {
      for (const base of bases) get(workspaceId, base).catch(() => {});
    },
    async nearest(workspaceId, bases, query, least, limit) {
      const found: SimilarPassage[] = [];
      for (const base of bases) {
        const { keys, values, dimensions } = await get(workspaceId, base);
        if (dimensions !== query.length) continue;
        for (const [index, key] of keys.entries()) {
          const nearness = dot(values, index * dimensions, query);
          if (nearness >= least) found.push({ ...key, similarity: nearness });
          if (index % COMPARE_BATCH_SIZE === COMPARE_BATCH_SIZE - 1)
            await new Promise((resolve) => setImmediate(resolve));
        }
      }
      return found.sort((a, b) => b.similarity - a.similarity).slice(0, limit);
    },
  };
}

/** Both of length 1, so this is the cosine of the angle between them. */
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
