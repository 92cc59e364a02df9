import { writeLedger } from '../../control/billing/ledger.ts';
import { openWallet } from '../../control/billing/wallet.ts';
import type { Sql } from '../../control/db/connect.ts';
import { newId } from '../../shared/ids.ts';

/** More than any test spends: 100,000 rupees. */
export const PLENTY_PAISE = 10_000_000;

/** Adds paid credits, as a top-up does. */
export async function giveCredits(sql: Sql, workspace_id: string, amount_paise: number): Promise<void> {
  await sql.begin((tx) =>
    writeLedger(tx, {
      ...{ workspace_id, amount_paise, kind: 'topup', note: 'for the test', by_name: 'tests' },
      ...{ at_ms: Date.now(), key: `test:${newId()}` },
    }),
  );
}

/** Opens the wallet of a workspace that a test inserted directly. */
export async function giveWallet(sql: Sql, workspace_id: string, credits_paise = PLENTY_PAISE): Promise<void> {
  await sql.begin((tx) => openWallet(tx, { workspace_id, at_ms: Date.now() }));
  if (credits_paise !== 0) await giveCredits(sql, workspace_id, credits_paise);
}
