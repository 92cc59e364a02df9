import { isOver } from '../../../shared/call.ts';
import type { DialOutcome } from '../../carriers/dial.ts';
import type { Sql } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';
import { lockCall } from '../store.ts';
import { markPlaced, refuseDial } from './mark-placed.ts';

/**
 * Writes what the carrier answered to the dial request: `call.placed`, or the end. Returns the call when it is not
 * wanted any more, because somebody hung up while it was dialled: the caller ends it at the carrier.
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
      await refuseDial(tx, call, outcome.reason, nowMs);
      return null;
    }
    const { provider_call_id, provider_request_id } = outcome;
    await markPlaced(tx, call, { provider_call_id, provider_request_id }, nowMs);
    const orderedToEnd = call.status === 'ringing' && call.hangup_requested_reason !== '';
    return orderedToEnd || isOver(call.status) ? call : null;
  });
}
