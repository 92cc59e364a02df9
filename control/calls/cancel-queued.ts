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
