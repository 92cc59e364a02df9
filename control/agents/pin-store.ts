import type { AnySql, Transaction } from '../db/connect.ts';

/** The SQL of pinned agents, per member and workspace. */

/** Newest first. */
export async function listPins(sql: AnySql, workspaceId: string, userId: string): Promise<string[]> {
  const rows = await sql<{ agent_id: string }[]>`
    select agent_id from agent_pins where workspace_id = ${workspaceId} and user_id = ${userId}
    order by pinned_at desc, agent_id desc
  `;
  return rows.map(({ agent_id }) => agent_id);
}

/** False when it was pinned already. */
export async function insertPin(
  tx: Transaction,
  workspaceId: string,
  userId: string,
  agentId: string,
  at: Date,
): Promise<boolean> {
  const rows = await tx`
    insert into agent_pins (workspace_id, user_id, agent_id, pinned_at)
    values (${workspaceId}, ${userId}, ${agentId}, ${at}) on conflict do nothing returning agent_id
  `;
  return rows.length > 0;
}

/** False when it was not pinned. */
export async function deletePin(
  tx: Transaction,
  workspaceId: string,
  userId: string,
  agentId: string,
): Promise<boolean> {
  const rows = await tx`
    delete from agent_pins where workspace_id = ${workspaceId} and user_id = ${userId} and agent_id = ${agentId}
    returning agent_id
  `;
  return rows.length > 0;
}
