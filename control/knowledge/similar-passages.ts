import type { Sql } from '../db/connect.ts';
import { findBySigns, findBySignsIndex, type SearchedBase, type StoredVector } from './search-store.ts';
import type { SignsIndex } from './signs-index.ts';
import { signsOf, similarityOf, vectorFromBytes } from './vectors.ts';

/**
 * Finds the passages that are most similar to a query, in two steps: those whose signs differ least in the database, and of
 * these the best by their whole vectors. Nothing is held in memory: every process sees what another one has just written.
 */

export interface SimilarPassage {
  source_id: string;
  number: number;
  /** Cosine similarity. */
  similarity: number;
}

export interface SimilarQuery {
  workspace_id: string;
  bases: readonly SearchedBase[];
  /** The model that made the vector; only its vectors can be compared. */
  model: string;
  vector: Float32Array;
  minSimilarity: number;
  limit: number;
}

/** Whose whole vectors are compared: with twice as many as are wanted, those of the best 20 are among them (`bench/NOTES.md`). */
const CANDIDATES = 100;

/** Returns the most similar first, none below `minSimilarity`. */
export async function similarPassages(
  sql: Sql,
  index: SignsIndex | null,
  { workspace_id, bases, model, vector, minSimilarity, limit }: SimilarQuery,
): Promise<SimilarPassage[]> {
  const searched = bases.reduce((sum, { passages }) => sum + passages, 0);
  if (searched === 0) return [];
  const ids = bases.map(({ id }) => id);
  const find = index?.serves(searched) ? findBySignsIndex : findBySigns;
  const candidates = await find(sql, { workspace_id, ids, model, signs: signsOf(vector), limit: CANDIDATES });
  return candidates
    .flatMap(({ source_id, number, embedding }: StoredVector): SimilarPassage[] => {
      const stored = vectorFromBytes(embedding);
      // From another model of the same name.
      if (stored.length !== vector.length) return [];
      const similarity = similarityOf(stored, vector);
      return similarity < minSimilarity ? [] : [{ source_id, number, similarity }];
    })
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, limit);
}
