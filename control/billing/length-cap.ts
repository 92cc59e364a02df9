import type { AnySql } from '../db/connect.ts';
import { type EstimateInput, estimatePrice, type Pricing } from './price-estimate.ts';
import { planSecondsOf, type WalletRow, walletOf } from './wallet.ts';
import { pricingOf } from './workspace-pricing.ts';

/** What a workspace's calls are paid from, and at which prices. */
export interface MeansOfPayment {
  wallet: WalletRow;
  pricing: Pricing;
}

/** Where a minute costs nothing; longer than any call. */
const UNLIMITED_SECONDS = 1_000_000;

/**
 * Whole seconds that a call can be paid for from now on: by included minutes, then by credits at the agent's estimated price of a
 * minute or the plan's, whichever is higher. Below 1 there are no credits. Parallel calls each count all of them.
 */
export function lengthCapSeconds({ wallet, pricing }: MeansOfPayment, call: Omit<EstimateInput, 'pricing'>): number {
  return secondsPaidFor(wallet, estimatePrice({ ...call, pricing }));
}

export async function meansOfPayment(sql: AnySql, workspaceId: string): Promise<MeansOfPayment> {
  const [wallet, pricing] = await Promise.all([walletOf(sql, workspaceId), pricingOf(sql, workspaceId)]);
  return { wallet, pricing };
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
