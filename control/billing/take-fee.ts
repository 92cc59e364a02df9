import type { Transaction } from '../db/connect.ts';
import { spendCredits } from './ledger.ts';
import type { RenewalKind } from './renewals/renewals.ts';

/** A fee of 30 days, or of what is left of them. */
export interface Fee {
  workspace_id: string;
  kind: RenewalKind;
  /** In the workspace's smallest unit; 0: nothing is charged. */
  amount_paise: number;
  /** In the ledger and on the invoice. */
  description: string;
  /** The name of who bought it; empty: the service. */
  by_name: string;
  /** Idempotency key in the ledger: the same fee is taken once. */
  key: string;
  at_ms: number;
}

/** Takes a fee from the credits, with its invoice. False, and nothing is written, when they do not cover it. */
export async function takeFee(tx: Transaction, { amount_paise, description, ...fee }: Fee): Promise<boolean> {
  if (amount_paise === 0) return true;
  const row = await spendCredits(tx, { ...fee, amount_paise: -amount_paise, note: description });
  return row !== null;
}
