import type { Clock, Timer } from '../../shared/clock.ts';
import { queryTerms } from '../../shared/knowledge-terms.ts';
import type { Logger } from '../../shared/log.ts';
import type { Sql } from '../db/connect.ts';
import type { Embedder } from './embedder.ts';
import { combineScores, keywordScores, termsOf } from './rank.ts';
import { basesToSearch, findByKeywords, type SearchedBase, textsOf } from './store.ts';
import { createVectorCache, type SimilarPassage } from './vector-cache.ts';

/** Searches knowledge bases by words, and by meaning beside it where a provider of embeddings is set. */
export type SearchKnowledge = (asked: KnowledgeQuery) => Promise<KnowledgeResults>;

export interface KnowledgeQuery {
  workspace_id: string;
  /** Those that are not the workspace's count as empty. */
  knowledge_base_ids: readonly string[];
  query: string;
  limit: number;
  /** Time for the provider and for comparing; where it is too short the search is by words. */
  semantic_timeout_ms: number;
}

export interface KnowledgeResults {
  /** Best first. */
  items: KnowledgeHit[];
  /** Passages that fit at all. */
  hits: number;
  /** The provider's part, beside which the search by words runs; 0 without a provider. */
  embed_ms: number;
  /** All the rest. */
  search_ms: number;
}

export interface KnowledgeHit {
  source_id: string;
  source_name: string;
  text: string;
  /** 0 to 1. */
  score: number;
  keyword_match: boolean;
}

export interface SearchDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  embedder: Embedder | null;
}

const MAX_QUERY_WORDS = 24;
/** Of those that hold any of the words; the best are among the first. */
const MAX_KEYWORD_CANDIDATES = 300;
const MAX_SEMANTIC_CANDIDATES = 50;
/** Texts on different things are seldom nearer than this, whatever the model. */
const MIN_SIMILARITY = 0.25;

interface Candidate {
  source_id: string;
  number: number;
  keywordScore: number;
  similarity: number;
  closeness: number;
}

export function createSearch({ sql, clock, log, embedder }: SearchDeps): SearchKnowledge {
  const shelf = embedder ? createVectorCache(sql, embedder.model) : null;

  async function byWords(workspaceId: string, bases: readonly SearchedBase[], query: string) {
    const terms = termsOf(queryTerms(query).slice(0, MAX_QUERY_WORDS));
    if (terms.length === 0) return { found: 0, candidates: [] };
    const ids = bases.map(({ id }) => id);
    const queries = terms.map((term) => term.query);
    const rows = await findByKeywords(sql, workspaceId, ids, queries, MAX_KEYWORD_CANDIDATES);
    const hits = rows.map((row) => ({ key: keyOf(row), matched: row.matched.map((nth) => nth - 1) }));
    const total = bases.reduce((sum, base) => sum + base.passages, 0);
    const found = rows[0]?.found ?? 0;
    const scores = keywordScores(terms, hits, found, total);
    const candidates = rows.map(({ source_id, number, closeness }): Candidate => {
      return {
        source_id,
        number,
        closeness,
        keywordScore: scores.get(keyOf({ source_id, number })) ?? 0,
        similarity: 0,
      };
    });
    return { found, candidates };
  }

  /**
   * Passages near in meaning; none when the provider or the reading of the vectors takes longer than it may. What was begun
   * goes on: vectors that were read are there for the next question.
   */
  async function byMeaning(
    workspaceId: string,
    reading: Promise<readonly SearchedBase[]>,
    query: string,
    withinMs: number,
  ): Promise<{ near: SimilarPassage[]; embedMs: number }> {
    if (!embedder || !shelf) return { near: [], embedMs: 0 };
    const startMs = clock.now();
    let embedMs: number | null = null;
    const finding = (async () => {
      const { vectors, error } = await embedder.embed([query], withinMs);
      embedMs = clock.now() - startMs;
      if (vectors !== null)
        return shelf.nearest(workspaceId, await reading, vectors[0]!, MIN_SIMILARITY, MAX_SEMANTIC_CANDIDATES);
      log.warn({ error }, 'a question could not be embedded; searched by words only');
      return [];
    })();
    let timer: Timer | null = null;
    const late = new Promise<SimilarPassage[]>((resolve) => {
      timer = clock.after(withinMs, () => resolve([]));
    });
    // Begun beside the provider's work: a base that is not in memory yet takes longest.
    reading.then((bases) => shelf.warm(workspaceId, bases)).catch(() => {});
    finding.catch(() => {});
    try {
      const near = await Promise.race([finding, late]);
      return { near, embedMs: embedMs ?? clock.now() - startMs };
    } finally {
      (timer as Timer | null)?.cancel();
    }
  }

  return async ({ workspace_id, knowledge_base_ids, query, limit, semantic_timeout_ms: meaning_within_ms }) => {
    const startMs = clock.now();
    const reading = basesToSearch(sql, workspace_id, knowledge_base_ids);
    let wordsMs = 0;
    const [words, { near, embedMs }] = await Promise.all([
      reading
        .then((bases) => byWords(workspace_id, bases, query))
        .finally(() => {
          wordsMs = clock.now() - startMs;
        }),
      byMeaning(workspace_id, reading, query, meaning_within_ms),
    ]);
    const bothMs = Math.max(wordsMs, clock.now() - startMs - embedMs);
    const afterMs = clock.now();
    const candidates = new Map(words.candidates.map((each) => [keyOf(each), each]));
    for (const { source_id, number, similarity: nearness } of near) {
      const key = keyOf({ source_id, number });
      const known = candidates.get(key);
      if (known) known.similarity = nearness;
      else candidates.set(key, { source_id, number, keywordScore: 0, similarity: nearness, closeness: 0 });
    }
    const best = [...candidates.values()]
      .map((each) => ({ ...each, score: combineScores(each.keywordScore, each.similarity) }))
      .sort((a, b) => b.score - a.score || b.closeness - a.closeness || a.number - b.number)
      .slice(0, limit);
    const texts = new Map(
      best.length === 0 ? [] : (await textsOf(sql, workspace_id, best)).map((each) => [keyOf(each), each]),
    );
    const items = best.flatMap((each): KnowledgeHit[] => {
      const text = texts.get(keyOf(each));
      // Deleted in between.
      if (!text) return [];
      const { source_id, source_name } = text;
      return [
        { source_id, source_name, text: text.text, score: rounded(each.score), keyword_match: each.keywordScore > 0 },
      ];
    });
    return {
      items,
      hits: words.found + (candidates.size - words.candidates.length),
      embed_ms: tenth(embedMs),
      search_ms: tenth(bothMs + clock.now() - afterMs),
    };
  };
}

const keyOf = ({ source_id, number }: { source_id: string; number: number }) => `${source_id} ${number}`;
const rounded = (score: number) => Math.round(score * 1_000) / 1_000;
const tenth = (ms: number) => Math.round(ms * 10) / 10;
