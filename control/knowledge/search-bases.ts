import type { AnySql } from '../db/connect.ts';
import type { SearchHit, SearchTerms } from '../workspaces/search.ts';

/**
 * Knowledge bases whose name or description contains the text, or whose id it is; newest first. A workspace has at most
 * 20: their own key finds them.
 */
export async function searchBases(
  sql: AnySql,
  workspaceId: string,
  { pattern, text }: SearchTerms,
  limit: number,
): Promise<SearchHit[]> {
  return sql<SearchHit[]>`
    select id, name as title, description as subtitle, updated_at as at from knowledge_bases
    where workspace_id = ${workspaceId}
      and (name ilike ${pattern} or description ilike ${pattern} or id = ${text.toLowerCase()})
    order by id desc limit ${limit}`;
}
