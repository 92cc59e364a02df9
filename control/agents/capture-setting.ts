import type { AnySql, Fragment, Transaction } from '../db/connect.ts';

/** Whether this agent's calls are captured, as a part of a statement. */
export const isCaptured = (sql: AnySql, workspaceId: Fragment, agentId: Fragment) => sql`(
    select captured from agents where agents.workspace_id = ${workspaceId} and agents.id = ${agentId}
  )`;

/** For calls that begin from now on. Null when the workspace has no such agent. */
export async function setCaptured(
  tx: Transaction,
  workspaceId: string,
  agentId: string,
  captured: boolean,
): Promise<{ name: string } | null> {
  const [row] = await tx<{ name: string }[]>`
    update agents set captured = ${captured} where workspace_id = ${workspaceId} and id = ${agentId} returning name`;
  return row ?? null;
}
