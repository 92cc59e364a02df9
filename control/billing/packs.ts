import type { AnySql } from '../db/connect.ts';
import type { Currency } from './rates.ts';

/** A pack of credits for sale. */
export interface Pack {
  id: string;
  name: string;
  /** Credits, and their price before tax. */
  amount_paise: number;
  /** Free credits on top. */
  bonus_paise: number;
  currency: Currency;
  popular: boolean;
}

/** The packs in the workspace's currency, smallest first. */
export async function listPacks(sql: AnySql, workspaceId: string): Promise<Pack[]> {
  return sql<Pack[]>`
    select p.id, p.name, p.amount_paise, p.bonus_paise, p.currency, p.popular
    from packs p join workspaces w on w.currency = p.currency where w.id = ${workspaceId} order by p.position, p.id`;
}
