import type { AnySql, Transaction } from '../db/connect.ts';
import type { LockedWorkspace } from '../workspaces/lock-workspace.ts';

/** The slot is the call row: live calls are counted, there is no counter to leak. */
export async function hasFreeSlot(tx: Transaction, workspace: LockedWorkspace): Promise<boolean> {
  return (await countLiveCalls(tx, workspace.id)) < workspace.concurrency_limit;
}

export async function countLiveCalls(sql: AnySql, workspaceId: string): Promise<number> {
  const [row] = await sql<{ live: number }[]>`
    select count(*)::integer as live from calls
    where workspace_id = ${workspaceId} and status in ('ringing', 'in-progress')`;
  return row!.live;
}

export async function countQueuedCalls(sql: AnySql, workspaceId: string): Promise<number> {
  const [row] = await sql<{ queued: number }[]>`
    select count(*)::integer as queued from calls where workspace_id = ${workspaceId} and status = 'queued'`;
  return row!.queued;
}
