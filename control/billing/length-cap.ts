import type { AnySql, Fragment } from '../db/connect.ts';
import { type EstimateInput, estimatePrice, type Pricing } from './price-estimate.ts';
import { planSecondsOf, type WalletRow, walletAsJson } from './wallet.ts';
import { type PricingColumn, pricingAsJson, pricingFrom } from './workspace-pricing.ts';

/** What calls are paid from; of the times it matters only which are null. */
type PayingWallet = Pick<WalletRow, 'paid_paise' | 'free_paise' | 'plan_seconds_left'> & {
  plan_past_due_since: Date | string | null;
};

/** What a workspace's calls are paid from, and at which prices. */
export interface MeansOfPayment {
  wallet: PayingWallet;
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

/** The means as columns of a statement that reads the call, for `meansFromColumns`. */
export const meansColumns = (sql: AnySql, workspaceId: Fragment) => sql`
  ${walletAsJson(sql, workspaceId)} as wallet, ${pricingAsJson(sql, workspaceId)} as pricing`;

export interface MeansColumns {
  wallet: PayingWallet;
  pricing: PricingColumn;
}

export const meansFromColumns = ({ wallet, pricing }: MeansColumns): MeansOfPayment => ({
  wallet,
  pricing: pricingFrom(pricing),
});

export function secondsPaidFor(
  wallet: PayingWallet,
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
