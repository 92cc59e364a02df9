import { writeAudit } from '../audit/write-audit.ts';
import type { Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { type CallerIdMove, type CallerIdRow, type CallerIdStatus, freeNumbers, moveRequest } from './store.ts';

const HOLDING: readonly CallerIdStatus[] = ['submitted', 'in_review', 'active'];

/** Moves a locked request on, frees its numbers when it is over, and writes it down. Who may move it whence is asked before. */
export async function moveCallerId(
  tx: Transaction,
  row: CallerIdRow,
  to: Partial<CallerIdMove> & Pick<CallerIdMove, 'status'>,
  actor: Actor,
  at_ms: number,
): Promise<CallerIdRow> {
  const moved = await moveRequest(tx, row.workspace_id, row.id, { ...row, ...to });
  if (!HOLDING.includes(moved.status)) await freeNumbers(tx, row.workspace_id, row.id);
  await writeAudit(tx, {
    workspace_id: row.workspace_id,
    actor,
    action: `caller_id.${moved.status}`,
    target: { kind: 'caller_id_request', id: row.id, name: row.display_name },
    changes: { status: [row.status, moved.status] },
    at_ms,
  });
  return moved;
}
