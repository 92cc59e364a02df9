import { isOver } from '../../../shared/call.ts';
import type { TransferStatus } from '../../../shared/transfer.ts';
import type { Transaction } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';
import { writeEvents } from '../events/timeline.ts';
import { changeCall } from '../lifecycle/call-state-machine.ts';
import { completeTransferredCall } from '../lifecycle/complete-call.ts';
import { changeTransfer, type LockedTransfer, type TransferChange, type TransferRow } from './transfer-row.ts';

export interface TransferResult {
  status: TransferStatus;
  /** The carrier's own status; empty when it sent none. */
  dial_status: string;
}

/**
 * Writes the result of a transfer once; false when it is settled already. While the agent still has the caller the engine reports
 * it on the timeline, in the order of its own events; after the call it is written here.
 */
export async function settleTransfer(
  tx: Transaction,
  { call, transfer }: LockedTransfer,
  { status, dial_status }: TransferResult,
  nowMs: number,
  change: TransferChange = {},
): Promise<boolean> {
  if (transfer.status !== null) return false;
  const state = status === 'answered' ? 'talking' : 'over';
  await changeTransfer(tx, transfer, { state, ...change, status, dial_status, settled_at: new Date(nowMs) }, nowMs);
  if (call.transfer) await changeCall(tx, call, { transfer: { ...call.transfer, status } });
  await writeTransferStatus(tx, { call, transfer }, nowMs);
  await completeTransferredCall(tx, call, nowMs);
  return true;
}

/** Writes `call.transfer_status` once, after the call has ended without the engine's report of it. */
export async function writeTransferStatus(
  tx: Transaction,
  { call, transfer }: LockedTransfer,
  nowMs: number,
): Promise<void> {
  const { status, reported } = transfer;
  if (status === null || reported || !isOver(call.status)) return;
  await writeEvents(tx, call, [
    {
      type: 'call.transfer_status',
      level: status === 'answered' ? 'info' : 'warning',
      message: `transfer to ${transfer.name}: ${status}`,
      latency_ms: null,
      data: transferStatusData(transfer, status),
      at_ms: nowMs,
    },
  ]);
  await changeTransfer(tx, transfer, { reported: true }, nowMs);
}

/** The `transfer` of the call's record when the transfer begins. */
export function transferRecord({ name, number, reason }: TransferRow, nowMs: number): NonNullable<CallRow['transfer']> {
  return { name, number, reason, status: 'ringing', at: nowMs };
}

function transferStatusData(
  { name, number, dial_status }: TransferRow,
  status: TransferStatus,
): Record<string, unknown> {
  return { status, name, number, ...(status === 'answered' ? {} : { dial_status }) };
}
