import { z } from 'zod';
import type { AnySql, Sql } from '../db/connect.ts';
import { time } from '../http/times.ts';

/** Search over all groups; each group is searched by its own module, which lies above this one. */

export const SEARCH_GROUPS = ['agents', 'calls', 'batches', 'knowledge_bases', 'numbers'] as const;
export type SearchGroup = (typeof SEARCH_GROUPS)[number];

const hit = z
  .object({
    id: z.string().describe('as in the paths of its group'),
    title: z.string().describe('for display'),
    subtitle: z.string().describe('a second line; may be empty'),
    at: time().nullable(),
  })
  .meta({ id: 'SearchHit' });
export type SearchHit = z.output<typeof hit>;

const hits = z.array(hit).describe('newest first, at most 5');
export const searchRecord = z
  .object(Object.fromEntries(SEARCH_GROUPS.map((group) => [group, hits])) as Record<SearchGroup, typeof hits>)
  .meta({ id: 'SearchResult' });

export interface SearchTerms {
  /** As it was typed, trimmed. */
  text: string;
  /** For `ilike`: contains the text. */
  pattern: string;
  /** Of text that may be a phone number or a part of one; empty otherwise. */
  digits: string;
}

export type SearchOne = (sql: AnySql, workspaceId: string, words: SearchTerms, limit: number) => Promise<SearchHit[]>;
/** Groups that are left out find nothing. */
export type SearchSources = Partial<Record<SearchGroup, SearchOne>>;

const MAX_HITS = 5;

export async function searchAll(
  sql: Sql,
  sources: SearchSources,
  workspaceId: string,
  q: string,
): Promise<z.output<typeof searchRecord>> {
  const words = searchTermsOf(q);
  const found = await Promise.all(
    SEARCH_GROUPS.map(async (group) => {
      const nothingAsked = words.text === '';
      return [group, nothingAsked ? [] : ((await sources[group]?.(sql, workspaceId, words, MAX_HITS)) ?? [])] as const;
    }),
  );
  return Object.fromEntries(found) as z.output<typeof searchRecord>;
}

export function searchTermsOf(q: string): SearchTerms {
  const text = q.trim();
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return { text, pattern, digits: /^[\d\s()+.-]+$/.test(text) ? text.replace(/\D/g, '') : '' };
}
