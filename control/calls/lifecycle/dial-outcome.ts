import { isOver } from '../../../shared/call.ts';
import { maskNumber } from '../../../shared/phone.ts';
import type { CarrierCallRef } from '../../carriers/callback.ts';
import type { DialOutcome } from '../../carriers/dial.ts';
import type { Sql, Transaction } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';
import { writeEvents } from '../events/timeline.ts';
import { lockCall } from '../store.ts';
import { type CallChange, changeCall, endUnconnected } from './call-state-machine.ts';

type DialRefusal = Extract<DialOutcome, { accepted: false }>;

/**
 * Writes the carrier's response to the dial request: `call.placed`, or the end. Returns the call when a hang-up was requested
 * while it was being dialled; the caller then hangs up at the carrier.
 */
export async function writeDialOutcome(
  sql: Sql,
  workspaceId: string,
  callId: string,
  outcome: DialOutcome,
  nowMs: number,
): Promise<CallRow | null> {
  return sql.begin(async (tx) => {
    const call = await lockCall(tx, workspaceId, callId);
    if (!call) return null;
    if (!outcome.accepted) {
      await refuseDial(tx, call, outcome, nowMs);
      return null;
    }
    const { provider_call_id, provider_request_id } = outcome;
    await markPlaced(tx, call, { provider_call_id, provider_request_id }, nowMs);
    const hangupRequested = call.status === 'ringing' && call.hangup_requested_reason !== '';
    return hangupRequested || isOver(call.status) ? call : null;
  });
}

/**
 * Records that the carrier accepted the call, and the carrier's ids. The response to the dial request, a status callback and the
 * opened stream can come in any order: the first of them writes `call.placed`.
 */
export async function markPlaced(tx: Transaction, call: CallRow, ids: CarrierCallRef, nowMs: number): Promise<void> {
  const change: CallChange = {};
  if (call.provider_call_id === '' && ids.provider_call_id !== '') change.provider_call_id = ids.provider_call_id;
  if (call.provider_request_id === '' && ids.provider_request_id !== '') {
    change.provider_request_id = ids.provider_request_id;
  }
  const first = call.direction === 'outbound' && call.placed_at === null && call.status === 'ringing';
  if (first) change.placed_at = new Date(nowMs);
  if (Object.keys(change).length > 0) await changeCall(tx, call, change);
  if (!first) return;
  await writeEvents(tx, call, [
    {
      type: 'call.placed',
      level: 'info',
      message: `${call.provider} is calling ${maskNumber(call.to_number)}`,
      latency_ms: null,
      data: { provider: call.provider },
      at_ms: nowMs,
    },
  ]);
}

/** Ends a call that the carrier refused to dial, or that no carrier could be asked to dial. */
export async function refuseDial(
  tx: Transaction,
  call: CallRow,
  { reason, by: hangup_by = 'carrier' }: DialRefusal,
  nowMs: number,
): Promise<boolean> {
  const hangup_reason = `dial refused: ${reason}`;
  const end = { status: 'failed', hangup_by, hangup_reason, level: 'error', message: hangup_reason } as const;
  return endUnconnected(tx, call, end, nowMs);
}
