import { writeAudit } from '../audit/write-audit.ts';
import type { Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { type CallerIdRow, type CallerIdStatus, type CallerIdUpdate, releaseNumbers, updateRequest } from './store.ts';

const RESERVING_STATUSES: readonly CallerIdStatus[] = ['submitted', 'in_review', 'active'];

/**
 * Changes the status of a locked request, releases its numbers when it is over, and writes an audit event. The caller has
 * checked that the transition is allowed.
 */
export async function transitionCallerId(
  tx: Transaction,
  row: CallerIdRow,
  to: Partial<CallerIdUpdate> & Pick<CallerIdUpdate, 'status'>,
  actor: Actor,
  at_ms: number,
): Promise<CallerIdRow> {
  const moved = await updateRequest(tx, row.workspace_id, row.id, { ...row, ...to });
  if (!RESERVING_STATUSES.includes(moved.status)) await releaseNumbers(tx, row.workspace_id, row.id);
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
