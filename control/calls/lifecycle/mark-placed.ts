import { maskNumber } from '../../../shared/phone.ts';
import type { CarrierCallRef } from '../../carriers/callback.ts';
import type { Transaction } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';
import { writeEvents } from '../events/timeline.ts';
import { type CallChange, changeCall, endUnconnected } from './call-state-machine.ts';

/**
 * The carrier took the dial request: it said so, or it tells news of the call already. Whichever comes first writes
 * `call.placed`, so the timeline is in order however fast the other side is. Ids once known are kept.
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

/** The carrier, or the lack of one, refused to dial. */
export async function refuseDial(
  tx: Transaction,
  call: CallRow,
  carrierReason: string,
  nowMs: number,
): Promise<boolean> {
  const reason = `dial refused: ${carrierReason}`;
  return endUnconnected(
    tx,
    call,
    { status: 'failed', hangup_by: 'carrier', hangup_reason: reason, level: 'error', message: reason },
    nowMs,
  );
}
