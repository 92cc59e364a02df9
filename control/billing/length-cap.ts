import type { AnySql } from '../db/connect.ts';
import { type EstimateInput, estimatePrice } from './price-estimate.ts';
import { planSecondsOf, type WalletRow, walletOf } from './wallet.ts';
import { pricingOf } from './workspace-pricing.ts';

export interface CallToCap extends Omit<EstimateInput, 'pricing'> {
  workspace_id: string;
}

/** Where a minute costs nothing; longer than any call. */
const UNLIMITED_SECONDS = 1_000_000;

/**
 * Whole seconds that a call can be paid for from now on: by included minutes, then by credits at the agent's estimated price of a
 * minute or the plan's, whichever is higher. Below 1 there are no credits. Parallel calls each count all of them.
 */
export async function lengthCapSeconds(sql: AnySql, { workspace_id, ...call }: CallToCap): Promise<number> {
  const pricing = await pricingOf(sql, workspace_id);
  return secondsPaidFor(await walletOf(sql, workspace_id), estimatePrice({ ...call, pricing }));
}

export function secondsPaidFor(
  wallet: WalletRow,
  estimate: { total_paise_per_minute: number; plan_minutes_multiplier: number },
): number {
  const credits = Math.max(0, wallet.paid_paise + wallet.free_paise);
  // The multiplier has four decimals.
  const multiplier = Math.round(estimate.plan_minutes_multiplier * 10_000);
  const included = Math.floor((planSecondsOf(wallet) * 10_000) / multiplier);
  const { total_paise_per_minute: price } = estimate;
  const bought = price > 0 ? Math.floor((credits * 60) / price) : credits > 0 ? UNLIMITED_SECONDS : 0;
  return Math.min(UNLIMITED_SECONDS, included + bought);
}
