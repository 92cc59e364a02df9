import type { Transaction } from '../db/connect.ts';
import { convertPaise, exchangeRates } from './exchange-rates.ts';
import { writeConversion } from './ledger.ts';
import type { Currency } from './rates.ts';
import { lockWallet } from './wallet.ts';

export interface CurrencyChange {
  from: Currency;
  to: Currency;
  paise_per_dollar: number;
  /** The balance before and after, each in its currency. */
  credits_before_paise: number;
  credits_paise: number;
}

/**
 * Changes the currency of a workspace, which must be locked and have no live call: its credits are converted at the exchange rate in
 * force by two ledger rows, one in each currency, and so is a price of its own. Fees follow by themselves: they are priced when they
 * are taken. Null when the workspace pays in that currency already.
 */
export async function changeCurrency(
  tx: Transaction,
  change: { workspace_id: string; to: Currency; by_name: string; at_ms: number },
): Promise<CurrencyChange | null> {
  const { workspace_id, to, by_name, at_ms } = change;
  const [workspace] = await tx<{ currency: Currency }[]>`select currency from workspaces where id = ${workspace_id}`;
  const from = workspace!.currency;
  if (from === to) return null;
  const { USD: paise_per_dollar } = await exchangeRates(tx);
  const convert = (paise: number) => convertPaise(paise, to, paise_per_dollar);
  const { paid_paise, free_paise, seq } = await lockWallet(tx, workspace_id);
  const row = { workspace_id, by_name, at_ms, note: `currency changed from ${from} to ${to}` };
  const key = `conversion:${seq}`;
  await writeConversion(tx, { ...row, key: `${key}:from`, paid_paise: -paid_paise, free_paise: -free_paise });
  await tx`
    update workspaces set currency = ${to},
      own_price_per_minute_paise = ${convertedColumn(tx, 'own_price_per_minute_paise', to, paise_per_dollar)},
      own_browser_price_per_minute_paise =
        ${convertedColumn(tx, 'own_browser_price_per_minute_paise', to, paise_per_dollar)}
    where id = ${workspace_id}`;
  const now = await writeConversion(tx, {
    ...{ ...row, key: `${key}:to`, paid_paise: convert(paid_paise), free_paise: convert(free_paise) },
  });
  const credits_before_paise = paid_paise + free_paise;
  return { from, to, paise_per_dollar, credits_before_paise, credits_paise: now.balance_after_paise };
}

/** A price is rounded up, as all are. */
const convertedColumn = (tx: Transaction, column: string, to: Currency, paisePerDollar: number) =>
  to === 'USD'
    ? tx`ceil(${tx(column)} * 100.0 / ${paisePerDollar}::integer)::bigint`
    : tx`ceil(${tx(column)} * ${paisePerDollar}::integer / 100.0)::bigint`;
