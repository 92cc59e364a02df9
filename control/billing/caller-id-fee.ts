import type { Transaction } from '../db/connect.ts';
import { spendCredits } from './ledger.ts';
import { findRate } from './rate-overrides.ts';

export interface Fee {
  /** For 30 days, in the workspace's smallest unit. */
  fee_paise: number;
  currency: string;
}

/** The fee of a shown caller id: 0 where the plan includes it, or while the operator has set none. */
export async function callerIdFee(tx: Transaction, workspaceId: string): Promise<Fee> {
  const [row] = await tx<{ currency: 'INR' | 'USD'; included: boolean }[]>`
    select w.currency, p.includes_caller_verification as included
    from workspaces w join plans p on p.id = w.plan_id where w.id = ${workspaceId}`;
  const currency = row?.currency ?? 'INR';
  if (row?.included) return { fee_paise: 0, currency };
  const rate = await findRate(tx, { component: 'caller_id', provider: '', model: '', currency });
  return { fee_paise: Math.ceil(rate?.rate_paise ?? 0), currency };
}

const CYCLE_MS = 30 * 86_400_000;

/**
 * Charges the fee of the first 30 days when a request is approved; null when the credits do not cover it. The same request is
 * charged once.
 */
export async function chargeCallerId(
  tx: Transaction,
  { workspace_id, id, display_name }: { workspace_id: string; id: string; display_name: string },
  atMs: number,
): Promise<(Fee & { paid_until: Date | null }) | null> {
  const fee = await callerIdFee(tx, workspace_id);
  if (fee.fee_paise === 0) return { ...fee, paid_until: null };
  const row = await spendCredits(tx, {
    ...{ workspace_id, kind: 'caller_id', amount_paise: -fee.fee_paise, note: `caller id ${display_name}` },
    ...{ by_name: '', at_ms: atMs, key: `caller_id:${id}` },
  });
  return row && { ...fee, paid_until: new Date(atMs + CYCLE_MS) };
}
