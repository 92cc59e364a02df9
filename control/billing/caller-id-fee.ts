import type { Transaction } from '../db/connect.ts';
import { feeRateOf } from './fee-rates.ts';
import { listRates } from './rate-overrides.ts';
import type { Currency } from './rates.ts';
import { feeKey } from './renewals/renew.ts';
import { cycleEndAfter } from './renewals/renewal-policy.ts';
import { startRenewal } from './renewals/renewals.ts';
import { takeFee } from './take-fee.ts';

export interface CallerIdFee {
  /** For 30 days, in the workspace's smallest unit. */
  fee_paise: number;
  currency: Currency;
}

/** The fee of a shown caller id: 0 where the plan includes it, or while the operator has set none. */
export async function callerIdFee(tx: Transaction, workspaceId: string): Promise<CallerIdFee> {
  const [row] = await tx<{ currency: Currency; included: boolean }[]>`
    select w.currency, p.includes_caller_verification as included
    from workspaces w join plans p on p.id = w.plan_id where w.id = ${workspaceId}`;
  const currency = row?.currency ?? 'INR';
  if (row?.included) return { fee_paise: 0, currency };
  const fee = feeRateOf(await listRates(tx), { component: 'caller_id', provider: '', model: '' }, currency);
  return { fee_paise: fee ?? 0, currency };
}

/** What the ledger and the invoice say. */
export const callerIdFeeText = (displayName: string): string => `caller id ${displayName}, 30 days`;

/**
 * Charges the fee of the first 30 days when a request is approved, and renews it from then on; null when the credits do not cover
 * it. The same request is charged once. The caller holds the workspace's lock.
 */
export async function chargeCallerId(
  tx: Transaction,
  { workspace_id, id, display_name }: { workspace_id: string; id: string; display_name: string },
  atMs: number,
): Promise<(CallerIdFee & { paid_until: Date | null }) | null> {
  const fee = await callerIdFee(tx, workspace_id);
  const subject = { workspace_id, kind: 'caller_id', subject_id: id } as const;
  const cycle_end = cycleEndAfter(atMs);
  const taken = await takeFee(tx, {
    ...{ workspace_id, kind: 'caller_id', amount_paise: fee.fee_paise, description: callerIdFeeText(display_name) },
    ...{ by_name: '', key: feeKey(subject, new Date(atMs)), at_ms: atMs },
  });
  if (!taken) return null;
  await startRenewal(tx, { ...subject, cycle_end });
  return { ...fee, paid_until: fee.fee_paise > 0 ? cycle_end : null };
}
