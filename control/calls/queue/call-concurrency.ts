import type { AnySql, Transaction } from '../../db/connect.ts';
import type { LockedWorkspace } from '../../workspaces/lock-workspace.ts';

/**
 * Whether the workspace has a free slot. Slots are counted as live calls, so no counter can leak. Called under the workspace's lock
 * (`lockWorkspace`): a live call written in the same transaction takes the slot.
 */
export async function hasFreeSlot(tx: Transaction, workspace: LockedWorkspace): Promise<boolean> {
  return (await countLiveCalls(tx, workspace.id)) < workspace.concurrency_limit;
}

/**
 * The number of slots that batches may use: a fifth, and at least one, is reserved for other calls, unless there is only one
 * slot.
 */
export function slotsForBatches(concurrencyLimit: number): number {
  if (concurrencyLimit <= 1) return concurrencyLimit;
  return concurrencyLimit - Math.max(1, Math.ceil(concurrencyLimit / 5));
}

/** The live calls of a workspace. */
export interface LiveCalls {
  all: number;
  ofBatches: number;
  /** By the batch's id; batches without live calls are not included. */
  byBatch: ReadonlyMap<string, number>;
}

export async function liveCallsOf(sql: AnySql, workspaceId: string): Promise<LiveCalls> {
  const rows = await sql<{ batch_id: string | null; live: number }[]>`
    select batch_id, count(*)::integer as live from live_calls
    where workspace_id = ${workspaceId} and status in ('ringing', 'in-progress')
    group by batch_id`;
  const byBatch = new Map(rows.flatMap(({ batch_id, live }) => (batch_id === null ? [] : [[batch_id, live] as const])));
  const all = rows.reduce((sum, { live }) => sum + live, 0);
  const ofBatches = [...byBatch.values()].reduce((sum, live) => sum + live, 0);
  return { all, ofBatches, byBatch };
}

export async function countLiveCalls(sql: AnySql, workspaceId: string): Promise<number> {
  const [row] = await sql<{ live: number }[]>`
    select count(*)::integer as live from live_calls
    where workspace_id = ${workspaceId} and status in ('ringing', 'in-progress')`;
  return row!.live;
}

export async function countQueuedCalls(sql: AnySql, workspaceId: string): Promise<number> {
  const [row] = await sql<{ queued: number }[]>`
    select count(*)::integer as queued from live_calls where workspace_id = ${workspaceId} and status = 'queued'`;
  return row!.queued;
}
