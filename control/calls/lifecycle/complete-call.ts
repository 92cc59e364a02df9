import { isOver } from '../../../shared/call.ts';
import type { Transaction } from '../../db/connect.ts';
import { hasAfterCallJob } from '../after-call/after-call-jobs.ts';
import type { CallRow } from '../call-row.ts';
import { completedCallData } from '../events/completed-event.ts';
import { type NewEvent, writeEvents } from '../events/timeline.ts';
import { hasUnchargedTransfer } from '../transfers/transfer-row.ts';
import type { CallChange } from './call-state-machine.ts';
import { moveFinishedCall } from './move-finished-calls.ts';

/**
 * Completes a connected call: its record is final, and `call.completed` carries all of it. A call with a transfer whose legs are
 * not charged yet stays as it is; `completeTransferredCall` completes it after that.
 */
export async function completeCall(tx: Transaction, call: CallRow, nowMs: number): Promise<void> {
  if (await hasUnchargedTransfer(tx, call.id)) return;
  // Written when the row is moved.
  const last = completedColumns(call, nowMs);
  Object.assign(call, last);
  await writeEvents(tx, call, [completedEvent(call, nowMs)]);
  await moveFinishedCall(tx, call, last);
}

/** Columns that change when a call is completed; one that failed keeps its status. */
export const completedColumns = ({ status }: CallRow, nowMs: number): CallChange & { status?: 'completed' } => ({
  completed_at: new Date(nowMs),
  ...(status === 'ended' ? { status: 'completed' } : {}),
});

/** `call.completed` of a call with all of its columns. */
export function completedEvent(call: CallRow, nowMs: number): NewEvent {
  const data = completedCallData(call);
  return { type: 'call.completed', level: 'info', message: 'call completed', latency_ms: null, data, at_ms: nowMs };
}

/** Completes a call that waited for its transfer only; the caller has settled or charged one. */
export async function completeTransferredCall(tx: Transaction, call: CallRow, nowMs: number): Promise<void> {
  if (!isOver(call.status) || call.started_at === null || call.completed_at !== null) return;
  if (!(await hasAfterCallJob(tx, call.id))) await completeCall(tx, call, nowMs);
}
