import { isOver } from '../../../shared/call.ts';
import type { Clock } from '../../../shared/clock.ts';
import { chargeTransfer } from '../../billing/charge-call.ts';
import type { CostBreakdown } from '../../billing/cost-breakdown.ts';
import type { Sql, Transaction } from '../../db/connect.ts';
import { beginItem, eachInTurn, type ItemRunner, type JobItem } from '../../db/item-runner.ts';
import { changeCall } from '../lifecycle/call-state-machine.ts';
import { completeTransferredCall } from '../lifecycle/complete-call.ts';
import { changeTransfer, type LockedTransfer, lockTransfer, type TransferRow } from './transfer-row.ts';

/** How long the report of a leg's end is waited for, after the other leg's end or the end of the transfer. */
const EVENT_TIMEOUT_MS = 60_000;
const BATCH_SIZE = 100;

/**
 * Charges the legs of finished transfers. They can last for hours after the agent's part of the call, and the carrier reports
 * their ends separately: each transfer is charged once, when both ends are known or the wait for a missing one is over. A caller
 * who never left the agent costs nothing extra. The call is completed after it, so that `call.completed` has its final cost.
 */
export async function chargeTransfers(
  { sql, clock }: { sql: Sql; clock: Clock },
  items: Pick<ItemRunner, 'run' | 'excluded'> = eachInTurn,
): Promise<void> {
  const nowMs = clock.wall();
  const { ids, workspace_ids } = items.excluded();
  const before = new Date(nowMs - EVENT_TIMEOUT_MS);
  const due = await sql<JobItem[]>`
    select transfers.id, transfers.workspace_id from transfers join calls on calls.id = transfers.call_id
    where transfers.charged_at is null and transfers.caller_left_at is not null and transfers.status is not null
      and calls.ended_at is not null and (
        (caller_ended_at is not null and (bridged_at is null or target_ended_at is not null or caller_ended_at < ${before}))
        or target_ended_at < ${before}
        or (transfers.state = 'over' and state_at < ${before})
      ) and transfers.id <> all(${ids}) and transfers.workspace_id <> all(${workspace_ids})
    order by settled_at limit ${BATCH_SIZE}`;
  await items.run(due, ({ id }) =>
    beginItem(sql, async (tx) => {
      const held = await lockTransfer(tx, id);
      if (held) await chargeLegs(tx, held, clock.wall());
    }),
  );
}

async function chargeLegs(tx: Transaction, { call, transfer }: LockedTransfer, nowMs: number): Promise<void> {
  if (transfer.charged_at !== null || !isOver(call.status)) return;
  await changeTransfer(tx, transfer, { charged_at: new Date(nowMs) }, nowMs);
  // A call from before billing existed has no breakdown.
  if (Object.keys(call.cost_breakdown).length > 0) await addLegs(tx, { call, transfer }, nowMs);
  await completeTransferredCall(tx, call, nowMs);
}

async function addLegs(tx: Transaction, { call, transfer }: LockedTransfer, nowMs: number): Promise<void> {
  const { cost_paise, plan_seconds_covered } = call;
  const cost_breakdown = call.cost_breakdown as CostBreakdown;
  const charged = await chargeTransfer(
    tx,
    {
      ...{ workspace_id: call.workspace_id, call_id: call.id, transfer_id: transfer.id, carrier: transfer.provider },
      ...legSeconds(transfer),
      charged: { cost_paise, cost_breakdown, plan_seconds_covered },
      note: `transfer to ${transfer.name}`,
    },
    nowMs,
  );
  await changeCall(tx, call, { cost_paise: charged.cost_paise, cost_breakdown: { ...charged.cost_breakdown } });
}

/**
 * Whole seconds of each leg: the caller's from leaving the agent, ringing included; the target's from the bridge. Where the
 * carrier did not report an end, the other leg's end is used, and without that the last known time.
 */
export function legSeconds(
  transfer: Pick<TransferRow, 'caller_left_at' | 'bridged_at' | 'target_ended_at' | 'caller_ended_at' | 'settled_at'>,
): { target_seconds: number; caller_seconds: number } {
  const { caller_left_at, bridged_at, target_ended_at, caller_ended_at, settled_at } = transfer;
  const callerEnd = caller_ended_at ?? target_ended_at ?? settled_at;
  const personEnd = target_ended_at && caller_ended_at ? earlier(target_ended_at, caller_ended_at) : callerEnd;
  return {
    target_seconds: secondsBetween(bridged_at, personEnd),
    caller_seconds: secondsBetween(caller_left_at, callerEnd),
  };
}

const earlier = (a: Date, b: Date) => (a < b ? a : b);

function secondsBetween(from: Date | null, to: Date | null): number {
  return from && to ? Math.max(0, Math.ceil((to.getTime() - from.getTime()) / 1_000)) : 0;
}
