import { maskNumber } from '../../shared/phone.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { requestErasure } from '../calls/retention/erase-calls.ts';
import type { Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { removeExports } from './manage-exports.ts';

export interface RequestedErasure {
  /** With the person, of now. */
  calls: number;
  /** Of these; they are erased when they are over. */
  going_on: number;
  exports_removed: number;
}

interface Who {
  workspace_id: string;
  actor: Actor;
}

/**
 * Requests the erasure of all calls with one person, who is known by their number in E.164. Control carries it out within minutes. The
 * archives of the workspace go at once, because the calls are in them.
 */
export async function eraseCallsWith(
  tx: Transaction,
  { workspace_id, actor }: Who,
  number: string,
  at_ms: number,
): Promise<RequestedErasure> {
  const target = { kind: 'workspace', id: workspace_id, name: '' };
  const data = { number: maskNumber(number) };
  await writeAudit(tx, { workspace_id, actor, action: 'calls.erased', target, data, at_ms });
  const exports_removed = await removeExports(tx, workspace_id, at_ms);
  const requested = await requestErasure(tx, workspace_id, number, at_ms);
  return { ...requested, exports_removed };
}
