import type { McpServer } from '../../shared/agent.ts';
import type { AnySql } from '../db/connect.ts';
import type { SearchHit, SearchTerms } from '../workspaces/search.ts';
import { canaryBasesOf, type PlacedCallOfAgent } from './canary-store.ts';
import { agentsWithBases, findAgent, findKnowledgeBaseIds } from './store.ts';

/** Look-ups of agents for other modules. A workspace has at most 200: its primary key finds them. */

/** Returns agents whose name contains the text or whose id it is, newest first. */
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

/** Returns the ids of the agents that use these knowledge bases, by base, oldest first. */
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

/** Returns the knowledge bases of an agent; none when there is no such agent. */
export async function basesOf(sql: AnySql, workspaceId: string, agentId: string): Promise<string[]> {
  return (await findKnowledgeBaseIds(sql, workspaceId, agentId)) ?? [];
}

/** The same of a call's agent: of the running canary that the call was placed with, where there is one. */
export async function basesOfCall(sql: AnySql, call: PlacedCallOfAgent): Promise<string[]> {
  const { workspace_id, agent_id } = call;
  return (await canaryBasesOf(sql, call)) ?? (agent_id === null ? [] : basesOf(sql, workspace_id, agent_id));
}

/** How many agents have a tool of one of these names, by its name and url: one pass over the workspace's agents. */
export async function countToolUses(
  sql: AnySql,
  workspaceId: string,
  toolNames: readonly string[],
): Promise<{ name: string; url: string; agents: number }[]> {
  return sql<{ name: string; url: string; agents: number }[]>`
    select tool ->> 'name' as name, tool ->> 'url' as url, count(*)::integer as agents
    from agents, jsonb_array_elements(tools) as tool
    where workspace_id = ${workspaceId} and tool ->> 'name' = any(${[...toolNames]}) group by 1, 2`;
}

/** The MCP servers of an agent, with sealed header values; none when there is no such agent. */
export const mcpServersOf =
  (sql: AnySql) =>
  async (workspaceId: string, agentId: string): Promise<McpServer[]> =>
    (await findAgent(sql, workspaceId, agentId))?.mcp_servers ?? [];
