import { newId } from '../../shared/ids.ts';
import type { Transaction } from '../db/connect.ts';
import { writeLedger } from './ledger.ts';
import { type Currency, priceOfTokens } from './rates.ts';
import { pricingForCharge } from './workspace-pricing.ts';

export interface WrittenPrompt {
  workspace_id: string;
  provider: string;
  model: string;
  input_tokens: number;
  output_tokens: number;
  by_name: string;
  at_ms: number;
  /** Shown in the ledger. */
  note?: string;
}

/** Charges a generated prompt at the model's price; a model without a price writes no row. Included minutes do not pay for it. */
export async function chargePrompt(
  tx: Transaction,
  prompt: WrittenPrompt,
): Promise<{ cost_paise: number; currency: Currency }> {
  const { workspace_id, by_name, at_ms, note = 'a prompt was written' } = prompt;
  const { currency, rates } = await pricingForCharge(tx, workspace_id);
  const cost_paise = priceOfTokens(prompt, rates);
  if (cost_paise > 0) {
    await writeLedger(tx, {
      ...{ workspace_id, by_name, at_ms, kind: 'composer', note },
      ...{ amount_paise: -cost_paise, key: `composer:${newId(at_ms)}` },
    });
  }
  return { cost_paise, currency };
}
