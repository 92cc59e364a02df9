import type { ProviderUsage } from '../../shared/usage.ts';
import type { Transaction } from '../db/connect.ts';
import type { CostBreakdown } from './cost-breakdown.ts';
import {
  type ChargeBasis,
  insertRows,
  type LedgerEntry,
  type LedgerRow,
  type NewLedgerRow,
  nextMove,
  rowOfKey,
  rowsOfKeys,
  writeLedger,
} from './ledger.ts';
import { priceCall, type TransferLegs, withTransferLegs } from './price-call.ts';
import type { Channel, Pricing } from './price-estimate.ts';
import { lockWallets, planSecondsOf, type WalletRow } from './wallet.ts';
import { pricingForCharge, pricingOfEach } from './workspace-pricing.ts';

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

export interface CallToCharge extends EndedCall {
  /** Of its row in the ledger. */
  at_ms: number;
}

/** Fields of the call's record. */
export interface CallCharge {
  cost_paise: number;
  cost_breakdown: CostBreakdown;
  plan_seconds_covered: number;
}

/** Charges one call; see `chargeCalls`. */
export async function chargeCall(tx: Transaction, ended: EndedCall, nowMs: number): Promise<CallCharge> {
  const wallets = await lockWallets(tx, [ended.workspace_id]);
  const [charge] = await chargeCalls(tx, wallets, [{ ...ended, at_ms: nowMs }]);
  return charge!;
}

/**
 * Charges calls in the transaction that ends them, at the present rates: one ledger row for each, keyed by the call, which moves the
 * wallet and uses up included seconds, those of a workspace in the given order. A call that failed or never became live has no row.
 * The same call again is not charged again and returns the first charge. As many statements as for one.
 *
 * The legs of transfers are charged later, by `chargeTransfer`.
 *
 * @param wallets of their workspaces, locked. As in `pricingForCharge`, the prices are read after that.
 */
export async function chargeCalls(
  tx: Transaction,
  wallets: ReadonlyMap<string, WalletRow>,
  ended: readonly CallToCharge[],
): Promise<CallCharge[]> {
  const [pricing, rows] = await Promise.all([
    pricingOfEach(tx, [...wallets.keys()]),
    rowsOfKeys(
      tx,
      ended.map(({ workspace_id, call_id }) => ({ workspace_id, key: callKey(call_id) })),
    ),
  ]);
  const before = new Map(rows.map((row) => [row.key, row]));
  const present = new Map(wallets);
  const written: NewLedgerRow[] = [];
  const charges = ended.map((call) => {
    const { workspace_id } = call;
    const wallet = present.get(workspace_id)!;
    const { charge, entry } = chargeOf(call, wallet, pricing.get(workspace_id), before.get(callKey(call.call_id)));
    if (entry) {
      const move = nextMove(wallet, entry);
      written.push(move.row);
      present.set(workspace_id, move.wallet);
    }
    return charge;
  });
  if (written.length > 0) await insertRows(tx, written);
  return charges;
}

/** What a call costs, and its ledger entry; null: it has none, or had one before. */
function chargeOf(
  ended: CallToCharge,
  wallet: WalletRow,
  pricing: Pricing | undefined,
  before: LedgerRow | undefined,
): { charge: CallCharge; entry: LedgerEntry | null } {
  if (!pricing) throw new Error('the workspace is gone');
  const { workspace_id, call_id, failed, duration_seconds } = ended;
  // A repeated charge covers the same seconds as the first.
  const plan_seconds = before ? before.plan_seconds : planSecondsOf(wallet);
  const { basis, ...charge } = priceCall({ ...ended, plan_seconds, pricing });
  if (before) {
    const cost_paise = -before.amount_paise || 0;
    const cost_breakdown = { ...charge.cost_breakdown, total_paise: cost_paise };
    return { charge: { ...charge, cost_paise, cost_breakdown }, entry: null };
  }
  if (failed || duration_seconds === 0) return { charge, entry: null };
  const entry: LedgerEntry = {
    workspace_id,
    kind: 'call',
    amount_paise: -charge.cost_paise || 0,
    note: ended.note,
    call_id,
    by_name: ended.by_name,
    at_ms: ended.at_ms,
    key: callKey(call_id),
    plan_seconds: charge.cost_breakdown.plan_minutes.allowance_seconds_used,
    seconds: duration_seconds,
    basis,
  };
  return { charge, entry };
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
