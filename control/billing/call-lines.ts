import type { AnySql } from '../db/connect.ts';
import { findRate } from './rate-overrides.ts';
import type { Currency } from './rates.ts';
import { findRenewal, type RenewalKey } from './renewals/renewals.ts';

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

/** All lines of a workspace are renewed together. */
export const linesRenewalKey = (workspace_id: string) =>
  ({ workspace_id, kind: 'lines', subject_id: 'all' }) as const satisfies RenewalKey;

export async function callLines(sql: AnySql, workspaceId: string): Promise<CallLines> {
  const [row] = await sql<{ extra_lines: number; concurrency_limit: number; currency: Currency }[]>`
    select extra_lines, concurrency_limit, currency from workspaces where id = ${workspaceId}`;
  if (!row) throw new Error('the workspace is gone');
  const { currency, extra_lines } = row;
  const rate = await findRate(sql, { component: 'line', provider: '', model: '', currency });
  const price_per_line_paise = Math.ceil(rate?.rate_paise ?? LINE_PAISE[currency]);
  const renewal = await findRenewal(sql, linesRenewalKey(workspaceId));
  const lines_past_due_since = renewal?.past_due_since ?? null;
  return {
    ...row,
    price_per_line_paise,
    lines_paid_until: lines_past_due_since ? null : (renewal?.cycle_end ?? null),
    next_charge_paise: extra_lines * price_per_line_paise,
    lines_past_due_since,
    can_add: MAX_CONCURRENT_CALLS - row.concurrency_limit,
  };
}

/** `1 line`, `3 lines`. */
export const linesText = (count: number): string => `${count} ${count === 1 ? 'line' : 'lines'}`;
