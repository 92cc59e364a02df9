import type { AnySql, Transaction } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';
import { writeSameEvent } from '../events/timeline.ts';
import type { UnconnectedEnd } from '../lifecycle/call-state-machine.ts';
import { moveFinishedCalls } from '../lifecycle/move-finished-calls.ts';
import { inQueue } from './queues.ts';

/** The fields needed to end a queued call. */
export type QueuedCall = Pick<CallRow, 'workspace_id' | 'id' | 'agent_id' | 'batch_id' | 'event_seq'>;

export const queuedCallColumns = (sql: AnySql) => sql`workspace_id, id, agent_id, batch_id, event_seq`;

/** The end of a call that never left the queue; the event's message is the reason. */
export type QueuedCallEnd = Pick<UnconnectedEnd, 'hangup_by' | 'hangup_reason' | 'level'> & {
  status: 'canceled' | 'failed';
};

/**
 * Ends queued calls as `endUnconnected` ends one: status, `call.ended`, deliveries. A thousand calls of one agent take as many
 * statements as one. The caller holds the locks on the rows.
 */
export async function endQueuedCalls(
  tx: Transaction,
  calls: readonly QueuedCall[],
  { status, hangup_by, hangup_reason, level }: QueuedCallEnd,
  nowMs: number,
): Promise<void> {
  for (const [workspace_id, ofWorkspace] of Map.groupBy(calls, (call) => call.workspace_id)) {
    const ids = ofWorkspace.map(({ id }) => id);
    await tx`
      update live_calls set status = ${status}, hangup_by = ${hangup_by}, hangup_reason = ${hangup_reason},
        ended_at = ${new Date(nowMs)}, event_seq = event_seq + 1
      where workspace_id = ${workspace_id} and id = any(${ids}) and status = 'queued'`;
    const event = { level, message: hangup_reason, latency_ms: null, data: { hangup_by }, at_ms: nowMs };
    await writeSameEvent(tx, workspace_id, ofWorkspace, { type: 'call.ended', ...event });
    await moveFinishedCalls(tx, ids);
  }
}

/** All queued calls of a workspace, those of an agent, or those of a batch. */
export interface QueueScope {
  workspace_id: string;
  agent_id: string | null;
  batch_id: string | null;
}

/**
 * Locks at most `limit` queued calls until the end of the transaction, and waits for locked ones. Fewer than `limit` means that
 * there are no others.
 */
export async function lockQueuedCalls(tx: Transaction, scope: QueueScope, limit: number): Promise<QueuedCall[]> {
  const { workspace_id, agent_id, batch_id } = scope;
  const lock = (where: ReturnType<typeof inQueue>, count: number) => tx<QueuedCall[]>`
    select ${queuedCallColumns(tx)} from live_calls where ${where}
    order by coalesce(batch_id, agent_id), queued_at, id limit ${count} for no key update`;
  if (batch_id !== null) return lock(inQueue(tx, workspace_id, batch_id), limit);
  if (agent_id === null) return lock(tx`workspace_id = ${workspace_id} and status = 'queued'`, limit);
  const calls: QueuedCall[] = [...(await lock(inQueue(tx, workspace_id, agent_id), limit))];
  if (calls.length === limit) return calls;
  for (const { id } of await batchesWithQueuedCalls(tx, workspace_id, agent_id)) {
    calls.push(...(await lock(inQueue(tx, workspace_id, id), limit - calls.length)));
    if (calls.length === limit) break;
  }
  return calls;
}

/** Canceled batches end their calls themselves. */
function batchesWithQueuedCalls(tx: Transaction, workspaceId: string, agentId: string) {
  return tx<{ id: string }[]>`
    select id from batches
    where workspace_id = ${workspaceId} and agent_id = ${agentId} and status in ('scheduled', 'running', 'paused')
      and exists (select 1 from live_calls where ${inQueue(tx, workspaceId, tx`batches.id`)})
    order by id`;
}
