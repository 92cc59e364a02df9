import type { AnySql } from '../db/connect.ts';
import type { SearchHit, SearchTerms } from '../workspaces/search.ts';

/** What other rooms ask about a workspace's agents. There are at most 200: their own key finds them. */

/** Agents whose name contains the text, or whose id it is; newest first. */
export async function searchAgents(
  sql: AnySql,
  workspaceId: string,
  { pattern, text }: SearchTerms,
  limit: number,
): Promise<SearchHit[]> {
  return sql<SearchHit[]>`
    select id, name as title, status as subtitle, updated_at as at from agents
    where workspace_id = ${workspaceId} and (name ilike ${pattern} or id = ${text.toLowerCase()})
    order by id desc limit ${limit}`;
}

export async function countAgents(sql: AnySql, workspaceId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from agents where workspace_id = ${workspaceId}`;
  return row!.count;
}
