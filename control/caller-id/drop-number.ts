import { maskNumber } from '../../shared/phone.ts';
import { SERVICE, writeAudit } from '../audit/write-audit.ts';
import { stopRenewal } from '../billing/renewals/renewals.ts';
import type { Transaction } from '../db/connect.ts';
import { transitionCallerId } from './caller-id-transitions.ts';
import { lockRequest, removeNumber, requestOfNumber } from './store.ts';

/**
 * Takes a number that the workspace has no more out of its caller-id request. A request of this number alone ends: it is
 * withdrawn, or removed where it was active. The workspace's lock is taken already.
 */
export async function dropNumber(tx: Transaction, workspace_id: string, number: string, at_ms: number): Promise<void> {
  const id = await requestOfNumber(tx, workspace_id, number);
  const row = id === null ? null : await lockRequest(tx, workspace_id, id);
  if (!row) return;
  if (row.numbers.length > 1) {
    await removeNumber(tx, row, number);
    await writeAudit(tx, {
      ...{ workspace_id, actor: SERVICE, action: 'caller_id.number_released', at_ms },
      target: { kind: 'caller_id_request', id: row.id, name: row.display_name },
      data: { number: maskNumber(number) },
    });
    return;
  }
  await stopRenewal(tx, { workspace_id, kind: 'caller_id', subject_id: row.id });
  const status = row.status === 'active' ? 'removed' : 'withdrawn';
  await transitionCallerId(tx, row, { status }, SERVICE, at_ms);
}
