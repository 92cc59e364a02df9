import type { ProviderUsage } from '../../shared/usage.ts';
import type { Transaction } from '../db/connect.ts';
import { writeLedger } from './ledger.ts';
import { priceOfUsage } from './price-call.ts';
import { type Currency, priceOfTokens } from './rates.ts';
import { pricingForCharge } from './workspace-pricing.ts';

export interface TestCharge {
  workspace_id: string;
  /** Idempotency key: the same run is charged once. */
  run_id: string;
  tokensUsed: readonly { provider: string; model: string; input_tokens: number; output_tokens: number }[];
  /** Of transcribers and synthesizers, when it was run aloud. */
  speechUsed: readonly ProviderUsage[];
  by_name: string;
  at_ms: number;
}

/**
 * Charges a run of an agent test: the tokens of the agent, the caller and the judge, each at its model's price, and what was
 * transcribed and synthesized. There is no carrier and no price of a minute; included minutes do not pay for it. Models without
 * a price write no row.
 */
export async function chargeTest(
  tx: Transaction,
  { workspace_id, run_id, tokensUsed, speechUsed, by_name, at_ms }: TestCharge,
): Promise<{ cost_paise: number; currency: Currency }> {
  const { currency, rates } = await pricingForCharge(tx, workspace_id);
  const tokens = tokensUsed.reduce((sum, used) => sum + priceOfTokens(used, rates), 0);
  const cost_paise = tokens + priceOfUsage(speechUsed, rates);
  if (cost_paise > 0) {
    await writeLedger(tx, {
      ...{ workspace_id, by_name, at_ms, kind: 'test', note: 'an agent test was run' },
      ...{ amount_paise: -cost_paise, key: `test:${run_id}` },
    });
  }
  return { cost_paise, currency };
}
