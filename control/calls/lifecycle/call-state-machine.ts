import {
  type CallStatus,
  type HangupBy,
  type HangupReason,
  isAllowedTransition,
  isOver,
} from '../../../shared/call.ts';
import type { EventLevel } from '../../../shared/events.ts';
import { checkRequest } from '../../alerts/request-check.ts';
import { type AnySql, type Transaction, wakeAfterCommit } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';
import { writeEvents } from '../events/timeline.ts';
import { tableOf } from '../store.ts';
import { traceEndedCall } from './call-spans.ts';
import { moveFinishedCall } from './move-finished-calls.ts';

/** Columns to change, with or without the status. */
export type CallChange = Partial<
  Omit<CallRow, 'workspace_id' | 'id' | 'status' | 'event_seq' | 'transcript' | 'finished'>
>;

/** Changes columns of a call and updates `call`. The caller holds the lock on the row. */
export async function changeCall(tx: Transaction, call: CallRow, change: CallChange): Promise<void> {
  await updateCall(tx, call, change);
}

/**
 * Moves a call to its next status, forward only. Returns false, and writes nothing, when the transition is not allowed. A
 * status that ends a live call releases its slot, wakes the dispatcher, and has the alert that calls fail looked at.
 */
export async function transitionCall(
  tx: Transaction,
  call: CallRow,
  status: CallStatus,
  change: CallChange = {},
): Promise<boolean> {
  if (!isAllowedTransition(call.status, status)) return false;
  const frees = !isOver(call.status) && call.status !== 'queued' && isOver(status);
  const checked = frees && status !== 'canceled';
  await updateCall(tx, call, { ...dialDecided(call), ...change, status }, checked);
  if (frees) await wakeDispatcher(tx, call.workspace_id);
  return true;
}

/** Columns that change with any status: a call that goes on or is over is not looked up or dialled again. */
export const dialDecided = ({ dial_state, dial_due_at }: CallRow): CallChange =>
  dial_state === '' && dial_due_at === null ? {} : { dial_state: '', dial_due_at: null };

/** Wakes the dispatcher, batches and transfers when the transaction has committed. */
export async function wakeDispatcher(tx: AnySql, workspaceId: string): Promise<void> {
  wakeAfterCommit(tx, 'dispatch', workspaceId);
}

export interface UnconnectedEnd {
  status: 'no-answer' | 'busy' | 'canceled' | 'failed';
  hangup_by: HangupBy;
  hangup_reason: HangupReason;
  level: EventLevel;
  message: string;
  data?: Record<string, unknown>;
}

/** The end of a call that did not connect: as given, unless a member requested a hang-up before. */
export function unlessRequested(call: CallRow, end: UnconnectedEnd): UnconnectedEnd {
  return call.hangup_requested_reason === '' ? end : { ...end, ...requestedEnd(call) };
}

/** The end of a call that did not connect and that a member hung up. */
export function requestedEnd({ hangup_requested_reason }: CallRow): UnconnectedEnd {
  const by = { hangup_by: 'member', hangup_reason: hangup_requested_reason || 'canceled' } as const;
  return { status: 'canceled', ...by, level: 'warning', message: 'not connected: canceled' };
}

/** Ends a call that never connected: writes the status and `call.ended`; there is no `call.completed`. */
export async function endUnconnected(
  tx: Transaction,
  call: CallRow,
  { status, hangup_by, hangup_reason, level, message, data = {} }: UnconnectedEnd,
  atMs: number,
): Promise<boolean> {
  const moved = await transitionCall(tx, call, status, { hangup_by, hangup_reason, ended_at: new Date(atMs) });
  const event = {
    type: 'call.ended',
    level,
    message,
    latency_ms: null,
    data: { ...data, hangup_by },
    at_ms: atMs,
  } as const;
  if (!moved) return false;
  await writeEvents(tx, call, [event]);
  await moveFinishedCall(tx, call);
  traceEndedCall(tx, call);
  return true;
}

/** @param checked requests a look at the alert that calls fail, in the same statement. */
async function updateCall(
  tx: Transaction,
  call: CallRow,
  change: CallChange & { status?: CallStatus },
  checked = false,
): Promise<void> {
  const { workspace_id, id } = call;
  const endedMs = (change.ended_at ?? call.ended_at)?.getTime() ?? 0;
  await tx`
    ${checked ? tx`with requested as (${checkRequest(tx, [workspace_id], 'calls', endedMs)})` : tx``}
    update ${tableOf(tx, call)} set ${tx(change as Record<string, never>)}
    where workspace_id = ${workspace_id} and id = ${id}`;
  Object.assign(call, change);
}
