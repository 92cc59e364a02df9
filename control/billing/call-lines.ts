import type { AnySql } from '../db/connect.ts';
import { findRate } from './rate-overrides.ts';
import type { Currency } from './rates.ts';

/** For 30 days, where the operator has set no other price. */
const LINE_PAISE: Record<Currency, number> = { INR: 60_000, USD: 700 };

/** Concurrent calls of a workspace in all. */
const MAX_CONCURRENT_CALLS = 100;

/** Extra call lines of a workspace. */
export interface CallLines {
  extra_lines: number;
  price_per_line_paise: number;
  lines_paid_until: Date | null;
  next_charge_paise: number;
  lines_past_due_since: Date | null;
  concurrency_limit: number;
  can_add: number;
  currency: Currency;
}

/** Reads the extra call lines. They cannot be bought yet: existing ones were granted and are not charged. */
export async function callLines(sql: AnySql, workspaceId: string): Promise<CallLines> {
  const [row] = await sql<{ extra_lines: number; concurrency_limit: number; currency: Currency }[]>`
    select extra_lines, concurrency_limit, currency from workspaces where id = ${workspaceId}`;
  if (!row) throw new Error('the workspace is gone');
  const { currency } = row;
  const rate = await findRate(sql, { component: 'line', provider: '', model: '', currency });
  return {
    ...row,
    price_per_line_paise: Math.ceil(rate?.rate_paise ?? LINE_PAISE[currency]),
    lines_paid_until: null,
    next_charge_paise: 0,
    lines_past_due_since: null,
    can_add: MAX_CONCURRENT_CALLS - row.concurrency_limit,
  };
}
