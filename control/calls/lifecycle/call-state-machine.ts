import { type CallStatus, type HangupBy, isAllowedTransition, isOver } from '../../../shared/call.ts';
import type { EventLevel } from '../../../shared/events.ts';
import type { Transaction } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';
import { writeEvents } from '../events/timeline.ts';

/** Columns that change together with, or without, the status. Lists go through `sql.json`. */
export type CallChange = Partial<Omit<CallRow, 'workspace_id' | 'id' | 'status' | 'event_seq' | 'transcript'>>;

/** PostgreSQL's channel that wakes the dispatcher; the payload is the workspace. */
export const DISPATCH_CHANNEL = 'dispatch';

/** The caller holds the call's row. `call` is brought up to date. */
export async function changeCall(tx: Transaction, call: CallRow, change: CallChange): Promise<void> {
  await updateCall(tx, call, change);
}

/**
 * Moves a call to its next status, forward only: false, and nothing is written, when that status may not follow.
 * A status that ends a live call is the release of its slot.
 */
export async function transitionCall(
  tx: Transaction,
  call: CallRow,
  status: CallStatus,
  change: CallChange = {},
): Promise<boolean> {
  if (!isAllowedTransition(call.status, status)) return false;
  const frees = !isOver(call.status) && call.status !== 'queued' && isOver(status);
  await updateCall(tx, call, { ...change, status });
  if (frees) await wakeDispatcher(tx, call.workspace_id);
  return true;
}

/** Told to everybody when the transaction commits. */
export async function wakeDispatcher(tx: Transaction, workspaceId: string): Promise<void> {
  await tx`select pg_notify(${DISPATCH_CHANNEL}, ${workspaceId})`;
}

export interface UnconnectedEnd {
  status: 'no-answer' | 'busy' | 'canceled' | 'failed';
  hangup_by: HangupBy;
  hangup_reason: string;
  level: EventLevel;
  message: string;
  data?: Record<string, unknown>;
}

/** Ends a call that never connected: status and `call.ended`; there is no `call.completed`. */
export async function endUnconnected(
  tx: Transaction,
  call: CallRow,
  { status, hangup_by, hangup_reason, level, message, data = {} }: UnconnectedEnd,
  atMs: number,
): Promise<boolean> {
  const moved = await transitionCall(tx, call, status, { hangup_by, hangup_reason, ended_at: new Date(atMs) });
  if (moved) await writeEvents(tx, call, [{ type: 'call.ended', level, message, latency_ms: null, data, at_ms: atMs }]);
  return moved;
}

async function updateCall(tx: Transaction, call: CallRow, change: CallChange & { status?: CallStatus }): Promise<void> {
  const { workspace_id, id } = call;
  await tx`update calls set ${tx(change as Record<string, never>)} where workspace_id = ${workspace_id} and id = ${id}`;
  Object.assign(call, change);
}
