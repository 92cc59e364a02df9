import type { Transaction } from '../db/connect.ts';
import { writeLedger } from './ledger.ts';
import { openWallet } from './wallet.ts';

/** 250 rupees: every workspace starts in rupees. */
export const WELCOME_PAISE = 25_000;

/** Opens the wallet of a new workspace with its welcome credits, in the transaction that creates the workspace. */
export async function openWelcomeWallet(tx: Transaction, workspace_id: string, at_ms: number): Promise<void> {
  await openWallet(tx, { workspace_id, at_ms });
  await writeLedger(tx, {
    workspace_id,
    kind: 'grant',
    amount_paise: WELCOME_PAISE,
    note: 'welcome credits',
    by_name: '',
    at_ms,
    key: 'welcome',
  });
}
