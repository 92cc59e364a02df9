import type { Transaction } from '../../db/connect.ts';
import { bulkCancel } from './bulk-cancel.ts';

/**
 * What waits in a queue ends with its workspace, agent or batch; live calls go on. In the transaction of that change: a thousand
 * calls with it, the rest of a longer queue in the seconds after, and none of them is dialled meanwhile. Each returns how many
 * are over already.
 */

/** For a workspace that is closed. */
export function cancelQueuedCallsOfWorkspace(tx: Transaction, workspace_id: string, nowMs: number): Promise<number> {
  const scope = { workspace_id, agent_id: null, batch_id: null };
  const end = {
    status: 'canceled',
    hangup_by: 'service',
    hangup_reason: 'workspace closed',
    level: 'warning',
  } as const;
  return bulkCancel(tx, scope, end, nowMs);
}

/** For an agent that is deleted. */
export function failQueuedCallsOfAgent(
  tx: Transaction,
  workspace_id: string,
  agent_id: string,
  nowMs: number,
): Promise<number> {
  const end = { status: 'failed', hangup_by: 'service', hangup_reason: 'agent deleted', level: 'warning' } as const;
  return bulkCancel(tx, { workspace_id, agent_id, batch_id: null }, end, nowMs);
}

/** For a batch that is canceled. */
export function cancelQueuedCallsOfBatch(
  tx: Transaction,
  workspace_id: string,
  batch_id: string,
  hangup_by: 'member' | 'service',
  nowMs: number,
): Promise<number> {
  const end = { status: 'canceled', hangup_by, hangup_reason: 'batch canceled', level: 'info' } as const;
  return bulkCancel(tx, { workspace_id, agent_id: null, batch_id }, end, nowMs);
}
