import type { Clock } from '../../shared/clock.ts';
import { queryTerms } from '../../shared/knowledge-terms.ts';
import type { Logger } from '../../shared/log.ts';
import { withTimeout } from '../../shared/with-timeout.ts';
import type { Sql } from '../db/connect.ts';
import type { Embedder } from './embedder.ts';
import { combineScores, keywordScores, termsOf } from './rank.ts';
import { basesToSearch, findByKeywords, type SearchedBase, textsOf } from './search-store.ts';
import type { SignsIndex } from './signs-index.ts';
import { type SimilarPassage, similarPassages } from './similar-passages.ts';

/** Searches knowledge bases by keywords and, with an embeddings provider, by meaning. */
export type SearchKnowledge = (query: KnowledgeQuery) => Promise<KnowledgeResults>;

export interface KnowledgeQuery {
  workspace_id: string;
  /** Bases of other workspaces are ignored. */
  knowledge_base_ids: readonly string[];
  query: string;
  limit: number;
  /** Time for the embeddings provider and the comparison; beyond it the search is by keywords only. */
  semantic_timeout_ms: number;
}

export interface KnowledgeResults {
  /** Best first. */
  items: KnowledgeHit[];
  /** Passages that match at all. */
  hits: number;
  /** The provider's part, in parallel with the keyword search; 0 without a provider. */
  embed_ms: number;
  /** Everything else. */
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
  /** Default: none. */
  signsIndex?: SignsIndex;
}

const MAX_QUERY_WORDS = 24;
/** Of the passages with any of the words, those with the best text rank. */
const MAX_KEYWORD_CANDIDATES = 300;
const MAX_SEMANTIC_CANDIDATES = 50;
/** Texts on different subjects are rarely more similar than this, with any model. */
const MIN_SIMILARITY = 0.25;

interface Candidate {
  source_id: string;
  number: number;
  keywordScore: number;
  similarity: number;
  text_rank: number;
}

export function createSearch({ sql, clock, log, embedder, signsIndex }: SearchDeps): SearchKnowledge {
  async function searchByKeywords(workspaceId: string, bases: readonly SearchedBase[], query: string) {
    const terms = termsOf(queryTerms(query).slice(0, MAX_QUERY_WORDS));
    if (terms.length === 0) return { found: 0, candidates: [] };
    const ids = bases.map(({ id }) => id);
    const queries = terms.map((term) => term.query);
    const rows = await findByKeywords(sql, workspaceId, ids, queries, MAX_KEYWORD_CANDIDATES);
    const hits = rows.map((row) => ({ key: keyOf(row), matched: row.matched.map((nth) => nth - 1) }));
    const total = bases.reduce((sum, base) => sum + base.passages, 0);
    const found = rows[0]?.found ?? 0;
    const scores = keywordScores(terms, hits, found, total);
    const candidates = rows.map(({ source_id, number, text_rank }): Candidate => {
      return {
        source_id,
        number,
        text_rank,
        keywordScore: scores.get(keyOf({ source_id, number })) ?? 0,
        similarity: 0,
      };
    });
    return { found, candidates };
  }

  /** Returns passages of similar meaning; none when the provider or the comparison takes too long. */
  async function searchByMeaning(
    workspaceId: string,
    reading: Promise<readonly SearchedBase[]>,
    query: string,
    timeoutMs: number,
  ): Promise<{ similar: SimilarPassage[]; embedMs: number }> {
    if (!embedder) return { similar: [], embedMs: 0 };
    const startMs = clock.now();
    let embedMs: number | null = null;
    const finding = (async (): Promise<SimilarPassage[]> => {
      const { vectors, error } = await embedder.embed([query], timeoutMs);
      embedMs = clock.now() - startMs;
      if (vectors !== null) {
        return similarPassages(sql, signsIndex ?? null, {
          ...{ workspace_id: workspaceId, bases: await reading, model: embedder.model, vector: vectors[0]! },
          ...{ minSimilarity: MIN_SIMILARITY, limit: MAX_SEMANTIC_CANDIDATES },
        });
      }
      log.warn({ error }, 'embedding a query failed; searched by keywords only');
      return [];
    })();
    const similar = await withTimeout(finding, timeoutMs, clock, () => []);
    return { similar, embedMs: embedMs ?? clock.now() - startMs };
  }

  return async ({ workspace_id, knowledge_base_ids, query, limit, semantic_timeout_ms }) => {
    const startMs = clock.now();
    const reading = basesToSearch(sql, workspace_id, knowledge_base_ids);
    let keywordsMs = 0;
    const [keywords, { similar, embedMs }] = await Promise.all([
      reading
        .then((bases) => searchByKeywords(workspace_id, bases, query))
        .finally(() => {
          keywordsMs = clock.now() - startMs;
        }),
      searchByMeaning(workspace_id, reading, query, semantic_timeout_ms),
    ]);
    const bothMs = Math.max(keywordsMs, clock.now() - startMs - embedMs);
    const afterMs = clock.now();
    const candidates = new Map(keywords.candidates.map((each) => [keyOf(each), each]));
    for (const { source_id, number, similarity } of similar) {
      const key = keyOf({ source_id, number });
      const known = candidates.get(key);
      if (known) known.similarity = similarity;
      else candidates.set(key, { source_id, number, keywordScore: 0, similarity, text_rank: 0 });
    }
    const best = [...candidates.values()]
      .map((each) => ({ ...each, score: combineScores(each.keywordScore, each.similarity) }))
      .sort((a, b) => b.score - a.score || b.text_rank - a.text_rank || a.number - b.number)
      .slice(0, limit);
    const texts = new Map(
      best.length === 0 ? [] : (await textsOf(sql, workspace_id, best)).map((each) => [keyOf(each), each]),
    );
    const items = best.flatMap((each): KnowledgeHit[] => {
      const text = texts.get(keyOf(each));
      // Deleted meanwhile.
      if (!text) return [];
      const { source_id, source_name } = text;
      return [
        { source_id, source_name, text: text.text, score: rounded(each.score), keyword_match: each.keywordScore > 0 },
      ];
    });
    return {
      items,
      hits: keywords.found + (candidates.size - keywords.candidates.length),
      embed_ms: tenth(embedMs),
      search_ms: tenth(bothMs + clock.now() - afterMs),
    };
  };
}

const keyOf = ({ source_id, number }: { source_id: string; number: number }) => `${source_id} ${number}`;
const rounded = (score: number) => Math.round(score * 1_000) / 1_000;
const tenth = (ms: number) => Math.round(ms * 10) / 10;
