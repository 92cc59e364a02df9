import type { ProviderUsage } from '../../shared/usage.ts';
import type { Transaction } from '../db/connect.ts';
import { append, type ChargeBasis, type LedgerRow, rowOfKey, writeLedger } from './ledger.ts';
import { type CostBreakdown, priceCall, type TransferLegs, withTransferLegs } from './price-call.ts';
import type { Channel } from './price-estimate.ts';
import { lockWallet, planSecondsOf } from './wallet.ts';
import { pricingForCharge, pricingOf } from './workspace-pricing.ts';

/** A connected call that has ended. */
export interface EndedCall {
  workspace_id: string;
  call_id: string;
  channel: Channel;
  /** Empty in a browser. */
  carrier: string;
  /** Whole seconds the agent was live. */
  duration_seconds: number;
  /** Usage per provider and model. */
  provider_usage: readonly ProviderUsage[];
  /** Ended by a failure of the service, and therefore free. */
  failed: boolean;
  /** Shown in the ledger. */
  note: string;
  by_name: string;
}

/** Fields of the call's record. */
export interface CallCharge {
  cost_paise: number;
  cost_breakdown: CostBreakdown;
  plan_seconds_covered: number;
}

/**
 * Charges a call in the transaction that ends it, at the present rates: one ledger row, keyed by the call, which moves the wallet
 * and uses up included seconds. A call that failed or never became live has no row. The same call again is not charged again and
 * returns the first charge.
 *
 * The legs of transfers are charged later, by `chargeTransfer`.
 */
export async function chargeCall(tx: Transaction, ended: EndedCall, nowMs: number): Promise<CallCharge> {
  const { workspace_id, call_id, failed, duration_seconds } = ended;
  const key = callKey(call_id);
  const wallet = await lockWallet(tx, workspace_id);
  // As `pricingForCharge`: the prices are read with the wallet locked.
  const [pricing, before] = await Promise.all([pricingOf(tx, workspace_id), rowOfKey(tx, { workspace_id, key })]);
  // A repeated charge covers the same seconds as the first.
  const plan_seconds = before ? before.plan_seconds : planSecondsOf(wallet);
  const { basis, ...charge } = priceCall({ ...ended, plan_seconds, pricing });
  if (before) {
    const cost_paise = -before.amount_paise || 0;
    return { ...charge, cost_paise, cost_breakdown: { ...charge.cost_breakdown, total_paise: cost_paise } };
  }
  if (failed || duration_seconds === 0) return charge;
  await append(tx, wallet, {
    workspace_id,
    kind: 'call',
    amount_paise: -charge.cost_paise || 0,
    note: ended.note,
    call_id,
    by_name: ended.by_name,
    at_ms: nowMs,
    key,
    plan_seconds: charge.cost_breakdown.plan_minutes.allowance_seconds_used,
    seconds: duration_seconds,
    basis,
  });
  return charge;
}

/** A transfer that has ended, of a call that was charged. */
export interface EndedTransfer extends TransferLegs {
  workspace_id: string;
  call_id: string;
  transfer_id: string;
  /** From the call's record. */
  charged: CallCharge;
  note: string;
}

/**
 * Charges the two legs of a transfer, which end after the engine's part of the call, sometimes by hours: a second ledger row of
 * kind `call`, keyed by the transfer, with what they add to the call's cost. Where the call's minimum was above its usage, that
 * can be less than the legs alone; a call that failed stays free and adds them to `waived_paise`. Telephony is priced at the
 * present rates, the rest of the call as it was.
 *
 * @returns the call's cost with them, for its record.
 */
export async function chargeTransfer(tx: Transaction, ended: EndedTransfer, nowMs: number): Promise<CallCharge> {
  const { workspace_id, call_id, transfer_id, charged } = ended;
  const pricing = await pricingForCharge(tx, workspace_id);
  const key = `transfer:${transfer_id}`;
  if (await rowOfKey(tx, { workspace_id, key })) return charged;
  // Null where the call was not charged: it failed, or never became live.
  const basis = await latestBasis(tx, workspace_id, call_id);
  const { basis: next, ...priced } = withTransferLegs({ ...charged, basis }, ended, pricing);
  if (next) {
    await writeLedger(tx, {
      workspace_id,
      kind: 'call',
      amount_paise: charged.cost_paise - priced.cost_paise,
      note: ended.note,
      call_id,
      by_name: '',
      at_ms: nowMs,
      key,
      basis: next,
    });
  }
  return { ...charged, ...priced };
}

const callKey = (callId: string) => `call:${callId}`;

async function latestBasis(tx: Transaction, workspaceId: string, callId: string): Promise<ChargeBasis | null> {
  const [row] = await tx<Pick<LedgerRow, 'basis'>[]>`
    select basis from ledger
    where workspace_id = ${workspaceId} and call_id = ${callId} and basis is not null order by seq desc limit 1`;
  return row?.basis ?? null;
}
