import type { Transaction } from '../db/connect.ts';
import { writeLedger } from './ledger.ts';
import { priceOfTokens } from './rates.ts';
import { pricingForCharge } from './workspace-pricing.ts';

export interface AnalysisRun {
  workspace_id: string;
  call_id: string;
  /** Idempotency key: the same run is charged once. */
  run_id: string;
  provider: string;
  model: string;
  input_tokens: number;
  output_tokens: number;
  at_ms: number;
}

/**
 * Charges one run of a call's analytics at the model's price, as a ledger row beside the call's. Included minutes do not pay for
 * it. A model without a price writes no row.
 *
 * @returns its cost, in the workspace's smallest unit.
 */
export async function chargeAnalysis(tx: Transaction, run: AnalysisRun): Promise<number> {
  const { workspace_id, call_id, run_id, at_ms } = run;
  const { rates } = await pricingForCharge(tx, workspace_id);
  const cost_paise = priceOfTokens(run, rates);
  if (cost_paise === 0) return 0;
  const key = `analysis:${run_id}`;
  const note = 'post-call analytics';
  const row = await writeLedger(tx, {
    ...{ workspace_id, call_id, key, note, at_ms },
    kind: 'call',
    amount_paise: -cost_paise,
    by_name: '',
  });
  return -row.amount_paise;
}
