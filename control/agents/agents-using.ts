import type { AnySql } from '../db/connect.ts';
import { agentsWithBases, findKnowledgeBaseIds } from './store.ts';

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
