import type { Transaction } from '../db/connect.ts';
import type { CallRow } from './call-row.ts';
import { endUnconnected } from './move.ts';

/** For a workspace that is closed, in its transaction: what waits in its queue is canceled; live calls go on. Returns how many. */
export async function cancelQueuedCalls(tx: Transaction, workspaceId: string, nowMs: number): Promise<number> {
  const calls = await tx<CallRow[]>`
    select * from calls where workspace_id = ${workspaceId} and status = 'queued'
    order by queued_at, id for no key update`;
  for (const call of calls) {
    const reason = 'workspace closed';
    const end = { hangup_by: 'service', hangup_reason: reason, level: 'warning', message: reason } as const;
    await endUnconnected(tx, call, { status: 'canceled', ...end }, nowMs);
  }
  return calls.length;
}

/** For a batch that is canceled, in its transaction: those of its calls that wait in the queue are canceled; live ones go on. */
export async function cancelQueuedCallsOfBatch(
  tx: Transaction,
  workspaceId: string,
  batchId: string,
  hangup_by: 'member' | 'service',
  nowMs: number,
): Promise<number> {
  const calls = await tx<CallRow[]>`
    select * from calls where workspace_id = ${workspaceId} and batch_id = ${batchId} and status = 'queued'
    order by queued_at, id for no key update`;
  for (const call of calls) {
    const reason = 'batch canceled';
    const end = { hangup_by, hangup_reason: reason, level: 'info', message: reason } as const;
    await endUnconnected(tx, call, { status: 'canceled', ...end }, nowMs);
  }
  return calls.length;
}
