import type { AnySql } from '../db/connect.ts';
import type { Currency } from './rates.ts';

/** Credits that are bought at once. */
export interface Pack {
  id: string;
  name: string;
  /** Bought, and what they cost before tax. */
  amount_paise: number;
  /** Free credits on top. */
  bonus_paise: number;
  currency: Currency;
  popular: boolean;
}

/** Those in the currency of the workspace, the smallest first. */
export async function listPacks(sql: AnySql, workspaceId: string): Promise<Pack[]> {
  return sql<Pack[]>`
    select p.id, p.name, p.amount_paise, p.bonus_paise, p.currency, p.popular
    from packs p join workspaces w on w.currency = p.currency where w.id = ${workspaceId} order by p.position, p.id`;
}
