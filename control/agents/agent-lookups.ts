import type { AnySql } from '../db/connect.ts';
import type { SearchHit, SearchTerms } from '../workspaces/search.ts';
import { agentsWithBases, findKnowledgeBaseIds } from './store.ts';

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

/** The agents that use these knowledge bases, by base and oldest first. */
export async function agentsUsing(
  sql: AnySql,
  workspaceId: string,
  baseIds: readonly string[],
): Promise<Map<string, string[]>> {
  const using = new Map(baseIds.map((id) => [id, [] as string[]]));
  if (baseIds.length === 0) return using;
  for (const agent of await agentsWithBases(sql, workspaceId, baseIds)) {
    for (const base of new Set(agent.knowledge_base_ids)) using.get(base)?.push(agent.id);
  }
  return using;
}

/** The knowledge bases of an agent; none when the agent is gone. */
export async function basesOf(sql: AnySql, workspaceId: string, agentId: string): Promise<string[]> {
  return (await findKnowledgeBaseIds(sql, workspaceId, agentId)) ?? [];
}
