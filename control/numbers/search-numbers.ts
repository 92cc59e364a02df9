import type { AnySql } from '../db/connect.ts';
import type { SearchHit, SearchTerms } from '../workspaces/search.ts';

/**
 * The workspace's numbers that contain the digits, or are answered by an agent of that name; newest first. The index of
 * its numbers by agent finds them.
 */
export async function searchNumbers(
  sql: AnySql,
  workspaceId: string,
  { pattern, digits }: SearchTerms,
  limit: number,
): Promise<SearchHit[]> {
  return sql<SearchHit[]>`
    select n.number as id, n.number as title, coalesce(a.name, '') as subtitle, n.created_at as at
    from numbers n left join agents a on a.workspace_id = n.workspace_id and a.id = n.agent_id
    where n.workspace_id = ${workspaceId} and n.status <> 'released'
      and (a.name ilike ${pattern} or (${digits} <> '' and n.number like ${`%${digits}%`}))
    order by n.created_at desc, n.number limit ${limit}`;
}
