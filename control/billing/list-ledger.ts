import type { Sql } from '../db/connect.ts';
import type { LedgerRow } from './ledger.ts';

export interface LedgerItem
  extends Omit<LedgerRow, 'workspace_id' | 'seq' | 'key' | 'plan_seconds' | 'seconds' | 'basis'> {
  funded: 'paid' | 'free';
}

/** Newest first: in the order in which the wallet moved, which is no order of times alone. */
export async function listLedger(
  sql: Sql,
  workspaceId: string,
  { limit, skip }: { limit: number; skip: number },
): Promise<{ items: LedgerItem[]; total: number }> {
  const [rows, [wallet]] = await Promise.all([
    sql<LedgerRow[]>`
      select * from ledger where workspace_id = ${workspaceId} order by seq desc limit ${limit} offset ${skip}`,
    // Rows are numbered without a gap.
    sql<{ seq: number }[]>`select seq from wallets where workspace_id = ${workspaceId}`,
  ]);
  const items = rows.map((row) => ({ ...row, funded: row.paid_paise === 0 ? ('free' as const) : ('paid' as const) }));
  return { items, total: wallet?.seq ?? 0 };
}
