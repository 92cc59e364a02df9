import type { AnySql, Transaction } from '../db/connect.ts';

/** Whether this agent's calls are captured. */
export async function isCaptured(sql: AnySql, workspaceId: string, agentId: string): Promise<boolean> {
  const [row] = await sql<{ captured: boolean }[]>`
    select captured from agents where workspace_id = ${workspaceId} and id = ${agentId}`;
  return row?.captured ?? false;
}

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
