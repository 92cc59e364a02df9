import type { AnySql, Transaction } from '../db/connect.ts';

/** Are this agent's calls to be taped? */
export async function isCaptured(sql: AnySql, workspaceId: string, agentId: string): Promise<boolean> {
  const [row] = await sql<{ captured: boolean }[]>`
    select captured from agents where workspace_id = ${workspaceId} and id = ${agentId}`;
  return row?.captured ?? false;
}

/** Of calls that begin from now on. Null when the workspace has no such agent. */
export async function setCaptured(
  tx: Transaction,
  workspaceId: string,
  agentId: string,
  tape: boolean,
): Promise<{ name: string } | null> {
  const [row] = await tx<{ name: string }[]>`
    update agents set captured = ${tape} where workspace_id = ${workspaceId} and id = ${agentId} returning name`;
  return row ?? null;
}
