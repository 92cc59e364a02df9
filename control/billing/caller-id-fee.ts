import type { Transaction } from '../db/connect.ts';
import { findRate } from './rate-overrides.ts';

export interface Fee {
  /** For 30 days, in the workspace's smallest unit. */
  fee_paise: number;
  currency: string;
}

/** What a shown caller id costs: nothing where the plan includes it, or while the service's team has set no fee. */
export async function callerIdFee(tx: Transaction, workspaceId: string): Promise<Fee> {
  const [row] = await tx<{ currency: 'INR' | 'USD'; included: boolean }[]>`
    select w.currency, p.includes_caller_verification as included
    from workspaces w join plans p on p.id = w.plan_id where w.id = ${workspaceId}`;
  const currency = row?.currency ?? 'INR';
  if (row?.included) return { fee_paise: 0, currency };
  const rate = await findRate(tx, { component: 'caller_id', provider: '', model: '', currency });
  return { fee_paise: Math.ceil(rate?.rate_paise ?? 0), currency };
}
